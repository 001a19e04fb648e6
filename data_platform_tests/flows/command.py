"""The command `data-platform run` as a process of its own: how tests start it, wait for it, and see what it left."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from data_platform.orchestration.instance import opened_instance
from data_platform_tests.flows.estate import DAY, Estate

ROOT = Path(__file__).parents[2]
ARGUMENTS = ["run", "-s", "orders", "-p", str(DAY)]
RUN = [sys.executable, "-c", "from data_platform.cli.main import app; app()", *ARGUMENTS]
PATIENCE_SECONDS = 300


def wait_for(what: str, happened: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert process.poll() is None, f"ended with {process.returncode} before {what}"
        assert time.monotonic() < until, f"{what} did not happen"
        time.sleep(0.02)


def jvms(estate: Estate) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if "SparkSubmit" in words and str(estate.root) in words:
            found.append(folder.name)
    return found


def statuses(estate: Estate) -> list[str]:
    """Of Dagster's runs, the latest first."""
    with opened_instance(estate.settings) as instance:
        return [run.status.value for run in instance.get_runs()]
