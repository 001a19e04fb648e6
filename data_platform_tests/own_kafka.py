"""A Kafka broker of a test's own, which it may kill and start again; and what a topic holds."""

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

SCRIPT = Path(__file__).parents[1] / "scripts" / "kafka.py"
BOOTSTRAP = os.environ.get("DATA_PLATFORM_TEST_KAFKA_BOOTSTRAP")
"""The broker that ``.ci/run`` starts for the tests."""
WHY = "needs a broker: `make kafka`, and DATA_PLATFORM_TEST_KAFKA_BOOTSTRAP=127.0.0.1:9092"
START_SECONDS = 90
QUIET = {"log_level": 0}


@dataclass
class OwnKafka:
    folder: Path
    port: int
    advertised: int | None = None
    """The port that clients are told to use; its own by default."""
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @classmethod
    def made_in(cls, folder: Path) -> "OwnKafka":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return cls(folder, probe.getsockname()[1])

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, str(SCRIPT), "--port", str(self.port), "--folder", str(self.folder)]
        command += ["--advertise", str(self.advertised)] if self.advertised else []
        with (self.folder / "output").open("ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)  # noqa: S603
        until = time.monotonic() + START_SECONDS
        while not answers(self.bootstrap):
            assert self.process.poll() is None, (self.folder / "output").read_text()[-1000:]
            assert time.monotonic() < until, "the broker did not answer"
            time.sleep(0.3)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        assert self.process is not None, "it was started"
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


def answers(bootstrap: str) -> bool:
    host, _, port = bootstrap.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        AdminClient({"bootstrap.servers": bootstrap, **QUIET}).list_topics(timeout=5)
    except (OSError, KafkaException):
        return False
    return True


def messages_of(bootstrap: str, topic: str) -> list[Any]:
    """Everything that the topic holds now, each partition in its order."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "tests", "enable.auto.commit": False, **QUIET})
    found = []
    for number in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
        first, end = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=10)
        consumer.assign([TopicPartition(topic, number, first)])
        while first < end:
            message = consumer.poll(10)
            assert message is not None, "the broker has the rest"
            assert message.error() is None, message.error()
            found.append(message)
            first = message.offset() + 1
    consumer.close()
    return found


def evidence_id(message: Any) -> str:
    """How a consumer recognizes a record that it has seen."""
    return dict(message.headers())["evidence_id"].decode()
