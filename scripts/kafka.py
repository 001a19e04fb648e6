"""Runs a Kafka broker for development and tests on this machine: one node, KRaft, no password.

Spark's own resolver downloads the jars once; their list is kept beside the list of Delta's jars. The broker replaces
this process, so a signal reaches it directly: SIGTERM and Ctrl-C stop it cleanly.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import uuid
from base64 import urlsafe_b64encode
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from data_platform.lake.delta_jars import listed_jars, write_list
from data_platform.lake.java import require_java
from data_platform.lake.package_jars import download

VERSION = "4.1.0"
PACKAGE = f"org.apache.kafka:kafka_2.13:{VERSION}"
MEMORY = "-Xmx512m"
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{advertised}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/log
num.partitions=3
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
"""


def jars() -> list[str]:
    """The broker's jar files; Spark's resolver is asked only if the list is missing or a file is gone."""
    listed = Path.home() / ".cache" / "data-platform" / "jars" / f"kafka-{VERSION}.json"
    if (found := listed_jars(listed)) is not None:
        return found
    print(f"resolving {PACKAGE}, once for this machine", flush=True)
    own = Path(_find_spark_home()) / "jars"  # the resolver leaves out Scala's library, which Spark has
    found = [*download(PACKAGE), *(str(jar) for jar in own.glob("scala-library-2.13*.jar"))]
    listed.parent.mkdir(parents=True, exist_ok=True)
    write_list(listed, found)
    return found


def java(*arguments: str) -> list[str]:
    return [require_java(), MEMORY, *arguments]


def prepare(folder: Path, port: int, advertised: int, classpath: str) -> Path:
    """Writes the properties, and formats the storage if it is new."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "server.properties"
    if file.exists() and f"127.0.0.1:{port}," in file.read_text():
        return file  # as it was made by an earlier start
    file.write_text(PROPERTIES.format(folder=folder, port=port, advertised=advertised, controller_port=free_port()))
    tool = ["kafka.tools.StorageTool", "format", "--ignore-formatted", "-t", cluster_id(uuid.uuid4().bytes)]
    command = java("-cp", classpath, *tool, "-c", str(file))
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        file.unlink()  # so that the next start formats
        sys.exit(f"the storage in {folder} cannot be formatted: {(done.stderr or done.stdout).strip()[-500:]}")
    return file


def cluster_id(random: bytes) -> str:
    """A new id in base64. Its first bit is 0, since the tool takes an id that starts with "-" for an option."""
    return urlsafe_b64encode(bytes([random[0] & 0x7F]) + random[1:]).decode().rstrip("=")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Run a Kafka broker on this machine until Ctrl-C or SIGTERM.")
    parser.add_argument("--port", type=int, default=9092)
    parser.add_argument("--advertise", type=int, help="the port that clients use, such as one of a proxy")
    parser.add_argument("--folder", type=Path, default=Path(".kafka"), help="for its data; kept between starts")
    parser.add_argument("--resolve", action="store_true", help="only download the jars")
    given = parser.parse_args()
    classpath = os.pathsep.join(jars())
    if given.resolve:
        return
    file = prepare(given.folder.absolute(), given.port, given.advertise or given.port, classpath)
    print(f"Kafka starts on 127.0.0.1:{given.port}, with its data in {given.folder}; Ctrl-C stops it", flush=True)
    command = java("-cp", classpath, "kafka.Kafka", str(file))
    os.execvp(command[0], command)  # noqa: S606 - no shell


if __name__ == "__main__":
    main()
