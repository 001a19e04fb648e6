"""The JVM never outlives the process that started it, and no signal of a terminal reaches it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from data_platform.errors import EnvironmentProblem
from data_platform.lake import jvm

PATIENCE_SECONDS = 60
START = """
import sys, time
from data_platform.lake import jvm
jvm.launch({"spark.master": "local[1]"}, sys.argv[1])
print(jvm._started[0].process.pid, flush=True)
time.sleep(600)
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> bool:
    until = time.monotonic() + PATIENCE_SECONDS
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.1)
    return not is_running(pid)


def test_a_killed_process_takes_its_jvm_along_and_nothing_was_printed(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    command = [sys.executable, "-c", START, str(log)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)  # noqa: S603
    assert process.stdout is not None
    assert process.stderr is not None
    pid = int(process.stdout.readline())
    assert os.getpgid(pid) == pid != os.getpgid(process.pid)  # Ctrl-C in the terminal does not reach it

    os.killpg(process.pid, signal.SIGKILL)

    assert wait_until_gone(pid)
    assert process.wait() == -signal.SIGKILL
    assert process.communicate() == (b"", b"")
    assert "incubator" in log.read_text()


def test_a_jvm_that_was_started_early_serves_the_session_and_no_other_one_starts(tmp_path: Path) -> None:
    script = """
import sys
from data_platform.lake import jvm
from data_platform.lake.session import SparkOptions, begin_session, forget_session, open_session
options = SparkOptions(master="local[1]", log=sys.argv[1], delta=False)
begin_session(options)
early = [started.process.pid for started in jvm._started]
session = open_session(options)
forget_session()
print(early == [started.process.pid for started in jvm._started], session.range(3).count(), flush=True)
"""
    answer = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, str(tmp_path / "log")], capture_output=True, text=True, timeout=120, check=True
    )

    assert answer.stdout == "True 3\n"


def test_a_jvm_that_was_started_early_ends_when_nobody_or_another_session_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "_started", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    log = str(tmp_path / "spark.log")

    jvm.start_early({"spark.master": "local[1]"}, log)
    jvm.start_early({"spark.master": "local[1]"}, log)
    [unused] = jvm._started
    jvm.abandon_early()

    assert unused.process.poll() == -signal.SIGKILL
    assert jvm._started == []
    assert list(tmp_path.glob("spark-start-*")) == []


def test_a_jvm_that_was_started_early_and_killed_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "_started", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    jvm.start_early({"spark.master": "local[1]"}, str(tmp_path / "spark.log"))
    assert len(list(tmp_path.glob("spark-start-*"))) == 1

    jvm.kill_jvm()

    assert jvm._early == []
    assert list(tmp_path.glob("spark-start-*")) == []


def test_a_jvm_that_does_not_end_by_itself_is_killed_by_its_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "_started", [])
    stubborn = [sys.executable, "-c", "import time; time.sleep(600)"]  # does not read its standard input
    process = jvm._start(stubborn, os.environ, None)
    [started] = jvm._started
    assert started.watcher.stdin is not None

    started.watcher.stdin.close()  # as when this process ends

    assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL
    jvm.kill_jvm()


def test_a_jvm_that_exits_at_its_start_is_an_error_with_its_last_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "_started", [])
    program = tmp_path / "bin" / "spark-submit"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'Error: no space left' >&2\necho '  at some.place' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr("pyspark.find_spark_home._find_spark_home", lambda: str(tmp_path))
    log = tmp_path / "spark.log"

    with pytest.raises(EnvironmentProblem, match=rf"exit code 3\): Error: no space left; the rest is in {log}"):
        jvm.launch({}, str(log))


def test_a_jvm_that_cannot_start_names_the_setting_and_leaves_the_one_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "_started", [])
    running = jvm._start([sys.executable, "-c", "import time; time.sleep(600)"], os.environ, None)
    (tmp_path / "file").touch()

    with pytest.raises(EnvironmentProblem, match="DATA_PLATFORM_HOME"):
        jvm.launch({}, str(tmp_path / "file" / "spark.log"))

    assert running.poll() is None
    jvm.kill_jvm()
    assert running.poll() == -signal.SIGKILL


def test_the_log_has_the_class_of_an_error_and_no_value_of_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "_started", [])  # the JVM of other tests is not ours to end
    log = tmp_path / "spark.log"
    said = "[CAST_INVALID_INPUT] The value 'ann.case@example.com\nbob' cannot be cast. SQLSTATE: 22018"
    try:
        java = jvm.launch({"spark.master": "local[1]"}, str(log)).jvm
        cause = java.java.lang.RuntimeException("Text 'cal.case@example.com' could not be parsed at index 0")
        java.org.apache.logging.log4j.LogManager.getLogger("writer").error(
            said, java.java.lang.RuntimeException(said, cause)
        )
    finally:
        jvm.kill_jvm()

    text = log.read_text()
    assert text.count("[CAST_INVALID_INPUT] (not shown) SQLSTATE: 22018") >= 2  # the message, and the exception
    assert "Caused by: java.lang.RuntimeException: Text (not shown)" in text
    assert "example.com" not in text
    assert "bob" not in text
