"""Dagster's daemon with its code server, as processes of their own on an estate's home: no run is started by hand.

A test reports what would come from outside, and waits for what must follow by itself. Everything is ended at the end,
also the runs that the daemon has started, since all of them are of one process group.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorTick, TickStatus

from data_platform_tests.flows.estate import Estate

ROOT = Path(__file__).parents[1]
STEP_SECONDS = 300
"""For one thing to follow another: a sensor's tick comes each half minute, and a run opens Spark on a busy machine."""
END_SECONDS = 60
Found = TypeVar("Found")


@dataclass(frozen=True)
class OwnDaemon:
    """``instance`` is the one that the daemon works on, seen from the test's process."""

    process: subprocess.Popen[bytes]
    instance: dg.DagsterInstance
    log: Path

    def wait_for(self, what: str, ask: Callable[[], Found | None], seconds: float = STEP_SECONDS) -> Found:
        """The first answer that is not empty. Fails with the daemon's last output if none comes or a run failed."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            if found := ask():
                return found
            if failed := self.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE])):
                raise AssertionError(f"run {failed[0].run_id} failed while waiting for {what}\n{self.last_words()}")
            time.sleep(0.3)
        raise AssertionError(f"there was no {what} within {seconds} seconds\n{self.last_words()}")

    def wait_for_sensor(self, name: str) -> InstigatorTick:
        """Its first whole tick: from now on it sees what is new."""
        return self.wait_for(f"tick of {name}", lambda: self._tick(name))

    def last_words(self) -> str:
        return self.log.read_text(errors="replace")[-5000:]

    def _tick(self, name: str) -> InstigatorTick | None:
        for state in self.instance.all_instigator_state():
            if state.instigator_name == name:
                whole = [TickStatus.SUCCESS, TickStatus.SKIPPED]
                ticks = self.instance.get_ticks(state.instigator_origin_id, state.selector_id, statuses=whole, limit=1)
                return next(iter(ticks), None)
        return None


INSTANCE = "telemetry: {enabled: false}\nnux: {enabled: false}\n"
"""Not the platform's own, which follows the settings of the process: a test opens this one by its folder."""


@contextmanager
def own_daemon(estate: Estate) -> Iterator[OwnDaemon]:
    environment = _environment(estate)
    home = Path(environment["DAGSTER_HOME"])
    home.mkdir()
    (home / "dagster.yaml").write_text(INSTANCE)
    # two processes that open a new SQLite home at the same time can spoil it
    subprocess.run(  # noqa: S603
        [sys.executable, "-m", "dagster", "instance", "migrate"],
        env=environment, cwd=ROOT, check=True, capture_output=True, timeout=STEP_SECONDS,
    )  # fmt: skip
    log = estate.root / "daemon.log"
    with log.open("wb") as written, dg.DagsterInstance.from_config(str(home)) as instance:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "dagster._daemon", "run", "-m", "data_platform.definitions"],
            env=environment, cwd=ROOT, stdout=written, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            yield OwnDaemon(process, instance, log)
        finally:
            _end(process)


def _environment(estate: Estate) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATA_PLATFORM_", "DAGSTER_"))}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "DAGSTER_HOME": str(estate.root / "dagster"),
        "DATA_PLATFORM_HOME": str(estate.root),
        "DATA_PLATFORM_POLICIES": str(estate.settings.policies),
        "DATA_PLATFORM_SPARK_MASTER": "local[2]",
        "DATA_PLATFORM_SPARK_MEMORY": "1g",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
