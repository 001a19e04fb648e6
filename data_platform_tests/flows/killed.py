"""Runs one dataset and dies at a named step: the program of ``test_crash``, started as a process of its own.

    python -m data_platform_tests.flows.killed <home> <day> <stage:step, or never>
"""

import os
import signal
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from data_platform.lake.session import SparkOptions, open_session
from data_platform.model.run import new_run_id
from data_platform.pipeline import road
from data_platform.pipeline.platform import Platform
from data_platform.settings import read_settings


def main(home: str, day: str, where: str) -> None:
    settings = read_settings({"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": str(Path(home) / "policies")})

    def die(step: str, told: dict[str, Any]) -> None:
        if f"{told.get('stage', '')}:{step}" == where:
            os.kill(os.getpid(), signal.SIGKILL)

    session = open_session(SparkOptions(master="local[1]", shuffle_partitions=1, driver_memory="1g"))
    platform = Platform(settings, on_step=die, session=session)
    dataset = platform.policies.dataset("orders")
    reports = list(road.run(platform, dataset, date.fromisoformat(day), new_run_id(datetime.now(UTC))))
    sys.exit(0 if reports[-1].passed else 3)


if __name__ == "__main__":
    main(*sys.argv[1:])
