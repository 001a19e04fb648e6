"""Runs one stage and kills itself at a named step: the program of ``test_crash``, started as a process of its own.

python -m data_platform_tests.flows.killed <home> <day> <stage> <step, or never> <now>
"""

import os
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

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

    options = SparkOptions(
        master="local[1]",
        shuffle_partitions=1,
        driver_memory="1g",
        warehouse=str(settings.home / "killed"),
        log=str(settings.home / "killed.log"),
        extra={"spark.driver.extraJavaOptions": FAST_START},
    )
    platform = Platform(settings, now=lambda: moment, on_step=die, session=open_session(options))
    dataset = platform.policies.dataset("orders")
    report = driver.run_stage(platform, dataset, Stage(stage), PartitionKey(day), new_run_id(moment))
    return 0 if report.passed else 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
