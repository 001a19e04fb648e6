"""What is recorded of the work outlives the process, and a process that was killed is not shown as running."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data_platform.errors import UsageError
from data_platform.model.dataset import DatasetId
from data_platform.review.folder import OnboardingFolder
from data_platform.review.progress import Phase, is_running, read_progress, recorded
from data_platform.settings import exclusive

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
HOLDING = """
import pathlib, sys, time
from data_platform.settings import exclusive
with exclusive(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> OnboardingFolder:
    made = OnboardingFolder(tmp_path, DatasetId("sales", "orders"))
    made.make()
    made.write("request", {})
    return made


def test_what_was_reported_last_is_read_and_then_how_it_ended(folder: OnboardingFolder) -> None:
    with exclusive(folder.root), recorded(folder, by="ann", now=lambda: NOW) as report:
        report("profiling", 3, 8)
        during = read_progress(folder)
    after = read_progress(folder)

    assert during is not None
    assert (during.phase, during.where, during.by) == (Phase.RUNNING, "while profiling (3 of 8)", "ann")
    assert after is not None
    assert after.phase is Phase.DONE


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (UsageError("no file of ann@example.com"), "no file of [REDACTED:EMAIL]"),
        (KeyboardInterrupt(), "somebody stopped it with Ctrl-C"),
        (ValueError("secret"), "an unexpected error (ValueError), which is no fault of the data"),
    ],
)
def test_an_error_is_recorded_and_raised(folder: OnboardingFolder, error: BaseException, text: str) -> None:
    with pytest.raises(type(error)), recorded(folder, by="ann", now=lambda: NOW):
        raise error

    found = read_progress(folder)
    assert found is not None
    assert (found.phase, found.error) == (Phase.FAILED, text)


def test_a_killed_process_has_stopped(folder: OnboardingFolder) -> None:
    command = (sys.executable, "-c", HOLDING, str(folder.root))
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603 - this interpreter
        assert process.stdout is not None
        process.stdout.readline()
        folder.write("progress", {"phase": "running", "what": "profiling", "done": 3, "of": 8, "by": "ann",
                                  "started_at": str(NOW), "updated_at": str(NOW), "error": ""})  # fmt: skip
        running, is_held = read_progress(folder), is_running(folder)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    stopped = read_progress(folder)

    assert running is not None
    assert (running.phase, is_held) == (Phase.RUNNING, True)
    assert stopped is not None
    assert (stopped.phase, stopped.where) == (Phase.STOPPED, "while profiling (3 of 8)")


def test_nothing_is_recorded_of_a_command_whose_path_is_wrong(tmp_path: Path) -> None:
    folder = OnboardingFolder(tmp_path, DatasetId("sales", "orders"))

    with pytest.raises(UsageError), recorded(folder, by="ann", now=lambda: NOW):
        raise UsageError("orders does not exist")

    assert read_progress(folder) is None
