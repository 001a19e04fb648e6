"""Runs one stage and kills itself at a named step: the program of ``test_crash``, started as a process of its own.

python -m data_platform_tests.flows.killed <home> <day> <stage> <step, or never> <now>

If ``PYSPARK_GATEWAY_PORT`` is set, it uses the Spark session that already runs there, which takes a second; otherwise
it starts a JVM of its own, which dies with it.
"""

import os
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from data_platform.installation import Platform
from data_platform.lake.session import SparkOptions, open_session
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.settings import read_settings
from data_platform.stage import driver

FAST_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
"""This JVM lives for one stage: what its compiler would learn is never used."""


def main(home: str, day: str, stage: str, where: str, now: str) -> int:
    settings = read_settings({"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": str(Path(home) / "policies")})
    moment = datetime.fromisoformat(now)

    def die(step: str, _told: dict[str, Any]) -> None:
        if step == where:
            os.kill(os.getpid(), signal.SIGKILL)

    session = attach() if "PYSPARK_GATEWAY_PORT" in os.environ else open_session(own_jvm(settings.home))
    platform = Platform(settings, now=lambda: moment, on_step=die, session=session)
    dataset = platform.policies.dataset("orders")
    report = driver.run_stage(platform, dataset, Stage(stage), PartitionKey(day), new_run_id(moment))
    return 0 if report.passed else 3


def own_jvm(home: Path) -> SparkOptions:
    return SparkOptions(
        master="local[1]",
        shuffle_partitions=1,
        driver_memory="1g",
        warehouse=str(home / "killed"),
        log=str(home / "killed.log"),
        extra={"spark.driver.extraJavaOptions": FAST_START},
    )


def address(session: SparkSession) -> dict[str, str]:
    """The variables with which ``attach`` in another process finds the JVM of ``session``."""
    gateway = session.sparkContext._gateway
    assert gateway is not None
    found = gateway.gateway_parameters
    return {"PYSPARK_GATEWAY_PORT": str(found.port), "PYSPARK_GATEWAY_SECRET": found.auth_token}


def attach() -> SparkSession:
    """A new session in the JVM of another process, as PySpark's own shells for notebooks make it."""
    gateway = launch_gateway()
    jvm = gateway.jvm
    java = jvm.org.apache.spark.sql.classic.SparkSession.getDefaultSession().get()
    context = jvm.JavaSparkContext(java.sparkContext())
    python = SparkContext(jsc=context, gateway=gateway, conf=SparkConf(_jconf=context.getConf()))
    return SparkSession(python, java.newSession())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
