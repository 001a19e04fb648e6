"""Runs stages in a process of its own that ends itself with SIGKILL after a number of steps.

The process is forked from a server that has imported everything and has no thread, so a kill costs a second and not
ten. It uses the Spark session of its caller, which outlives it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.settings import read_settings
from data_platform.stage import driver
from data_platform_tests.flows.killed import address, attach

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

    from data_platform_tests.flows.estate import Estate

TIMEOUT_SECONDS = 300
Work = Sequence[tuple[PartitionKey, Sequence[Stage]]]


def run_until_killed(estate: Estate, work: Work, steps: int) -> bool:
    """Runs ``work`` until ``steps`` steps are done; returns whether it was killed before it ended."""
    arguments = (str(estate.root), address(estate.spark), work, estate.now.isoformat(), steps)
    process = _server().Process(target=_run, args=arguments)
    process.start()
    process.join(TIMEOUT_SECONDS)
    assert process.exitcode in (0, -signal.SIGKILL), f"the run ended with {process.exitcode}"
    return process.exitcode != 0


@cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _run(home: str, jvm: dict[str, str], work: Work, now: str, steps: int) -> None:
    os.environ.update(jvm)
    settings = read_settings({"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": str(Path(home) / "policies")})
    moment, done = datetime.fromisoformat(now), 0

    def die(_step: str, _details: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        if done == steps:
            os.kill(os.getpid(), signal.SIGKILL)

    platform = Platform(settings, now=lambda: moment, on_step=die, session=attach())
    for day, stages in work:
        dataset = platform.policies.dataset("orders")
        for stage in stages:
            try:
                report = driver.run_stage(platform, dataset, stage, day, new_run_id(moment))
            except UsageError:
                assert stage is stages[0], "only the first stage may be refused, since what it reads did not pass"
                break
            if not report.proceeds:
                break
    os._exit(0)
