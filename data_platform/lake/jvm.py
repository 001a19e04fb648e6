"""Starts the Java process of a Spark session, and makes sure that it never outlives this one.

PySpark's own start puts the JVM into the terminal's process group, where Ctrl-C, a hang-up or ``kill`` of the group
reaches it, and loses track of it if the start is interrupted. Here the JVM has a session of its own, so that only this
process decides when it ends. Two mechanisms end it however this process ends, also by SIGKILL: the JVM itself reads
from a pipe that closes then, and a small shell kills its process group if it is still alive after ten seconds.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.environment import inherited, variable, variables
from data_platform.errors import EnvironmentProblem
from data_platform.lake.class_archive import archive_option
from data_platform.lake.java import require_java
from data_platform.lake.jvm_log import java_option
from data_platform.model.private_path import private_file

if TYPE_CHECKING:
    from collections.abc import Mapping

START_SECONDS = 600
"""The first start on a machine downloads Delta's jars (87 MB); every later one takes seconds."""
POLL_SECONDS = 0.05
LOG_TAIL_BYTES = 20_000
_WATCH = (
    'while read -r _; do :; done; n=0; while kill -s 0 -- "-$1" 2>/dev/null && [ $n -lt 50 ]; '
    'do sleep 0.2; n=$((n+1)); done; [ $n -lt 50 ] || kill -s KILL -- "-$1" 2>/dev/null'
)
_ERROR_WORD = re.compile(r"(?i)\b(error|exception|unresolved|not found|denied|no space|refused|unable|cannot)\b")


@dataclass
class _Started:
    """``watcher`` is referenced here, since its pipe closes when it is garbage-collected."""

    process: subprocess.Popen[bytes]
    watcher: subprocess.Popen[bytes]


@dataclass
class _Early:
    """A JVM that was started before its session was asked for, and the file in which it will answer."""

    settings: dict[str, str]
    folder: str
    process: subprocess.Popen[bytes]


_started: list[_Started] = []
_early: list[_Early] = []


def start_early(settings: Mapping[str, str], log: str | None) -> None:
    """Starts the JVM that ``launch`` will soon be asked for with the same arguments, and does not wait for it.

    A problem is reported by ``launch``. ``abandon_early`` ends a JVM that nobody asked for.
    """
    if _early or _started:
        return
    folder = tempfile.mkdtemp(prefix="spark-start-")
    try:
        require_java()
        _early.append(_Early(dict(settings), folder, _submit(settings, log, folder)))
    except (EnvironmentProblem, OSError):
        shutil.rmtree(folder, ignore_errors=True)


def abandon_early() -> None:
    """Ends a JVM that was started early and that no session uses."""
    if _early:
        kill_jvm()


def launch(settings: Mapping[str, str], log: str | None) -> Any:
    """Starts a JVM and returns a py4j gateway to it. Its output goes to the file ``log``, or to this process's output.

    Raises:
        EnvironmentProblem: There is no supported Java, the JVM ended during its start, or it took too long.
    """
    require_java()
    early = _early.pop() if _early and _early[0].settings == dict(settings) else None
    abandon_early()
    before = 0 if early else len(_started)
    folder, process = (early.folder, early.process) if early else (tempfile.mkdtemp(prefix="spark-start-"), None)
    try:
        process = process or _submit(settings, log, folder)
        answer = _answer(folder)
        _wait_for(answer, process, log)
        return _connect(answer.read_bytes())
    except BaseException:
        _kill_later_than(before)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _answer(folder: str) -> Path:
    """The file in which the JVM writes its address."""
    return Path(folder) / "gateway"


def _submit(settings: Mapping[str, str], log: str | None, folder: str) -> subprocess.Popen[bytes]:
    from pyspark.find_spark_home import _find_spark_home

    command = [str(Path(_find_spark_home()) / "bin" / "spark-submit")]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    options = f"{archive_option()} {variable('SPARK_SUBMIT_OPTS')} {java_option(Path(folder))}".strip()
    environment = {
        **inherited(),
        "SPARK_CONNECT_MODE": "0",
        "SPARK_SUBMIT_OPTS": options,
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(_answer(folder)),
    }
    return _start([*command, "pyspark-shell"], environment, log)


def end_jvm(seconds: float) -> None:
    """Lets every JVM that was started here end by itself, as when this process ends; kills it after ``seconds``."""
    for process in (started.process for started in _started):
        assert process.stdin is not None, "it was started with a pipe"  # noqa: S101
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    kill_jvm()


def kill_jvm() -> None:
    """Kill every JVM that was started here, with its Python workers, immediately: Delta's commits are atomic."""
    _kill_later_than(0)
    while _early:  # a later session must not wait for a JVM that was killed
        shutil.rmtree(_early.pop().folder, ignore_errors=True)


def _kill_later_than(count: int) -> None:
    """Kills all but the first ``count``: a JVM that could not start must not end one that runs."""
    while len(_started) > count:
        started = _started.pop()
        if started.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(started.process.pid, signal.SIGKILL)
        for process in (started.process, started.watcher):  # the watcher ends by itself, since the group is gone
            assert process.stdin is not None, "it was started with a pipe"  # noqa: S101
            with suppress(OSError):
                process.stdin.close()
            process.wait()


def _start(command: list[str], environment: Mapping[str, str], log: str | None) -> subprocess.Popen[bytes]:
    target = _log_file(log)
    try:
        process = subprocess.Popen(  # noqa: S603
            command, env=environment, stdin=subprocess.PIPE, stdout=target, stderr=target, start_new_session=True
        )
    finally:
        if target is not None:
            os.close(target)
    watch = ["/bin/sh", "-c", _WATCH, "sh", str(process.pid)]
    null = subprocess.DEVNULL
    watcher = subprocess.Popen(watch, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True)  # noqa: S603
    _started.append(_Started(process, watcher))
    return process


def _log_file(log: str | None) -> int | None:
    if log is None:
        sys.stderr.flush()
        return None
    try:
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        private_file(Path(log))  # Spark may quote rows
        return os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise EnvironmentProblem(
            f"Spark's log {log} cannot be written: {error.strerror}; set DATA_PLATFORM_HOME to a folder that can"
        ) from None


def _wait_for(answer: Path, process: subprocess.Popen[bytes], log: str | None) -> None:
    until = time.monotonic() + START_SECONDS
    while not answer.is_file():
        code = process.poll()
        if code is not None:
            raise EnvironmentProblem(f"Spark did not start (exit code {code}): {_reason(log)}")
        if time.monotonic() > until:
            raise EnvironmentProblem(f"Spark did not start within {START_SECONDS} seconds: {_reason(log)}")
        time.sleep(POLL_SECONDS)


def _reason(log: str | None) -> str:
    """Returns the last line of the log that reports an error, and the place of the rest."""
    if log is None:
        return "see the lines above"
    with suppress(OSError):
        lines = Path(log).read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace").splitlines()
        errors = [line.strip() for line in lines if _ERROR_WORD.search(line) and not line.lstrip().startswith("at ")]
        if errors:
            return f"{errors[-1][:300]}; the rest is in {log}"
    return f"see {log}"


def _connect(info: bytes) -> Any:
    """Connects with PySpark's own function for a running gateway, which reads the address from the environment."""
    from pyspark.java_gateway import launch_gateway

    port = int.from_bytes(info[:4], "big")
    size = int.from_bytes(info[4:8], "big")
    address = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": info[8 : 8 + size].decode()}
    with variables(address):
        return launch_gateway()  # type: ignore[no-untyped-call]
