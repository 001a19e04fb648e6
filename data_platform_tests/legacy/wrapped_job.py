"""A job in the wrapper, for tests: started as a scheduler would start it, in a process group of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEY = "AUTOSYS/NIGHT/LOAD"
AWAY = "http://127.0.0.1:9"
PATIENCE_SECONDS = 60
_OF_OTHERS = ("DATA_PLATFORM_", "AUTO")


def wrapped(*command: str, options: tuple[str, ...] = ()) -> list[str]:
    return [sys.executable, "-P", "-m", "data_platform.legacy.wrapper", "--process", KEY, *options, "--", *command]


def environment(spool: Path, url: str = AWAY, **more: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OF_OTHERS)}
    return {**own, "PYTHONPATH": str(ROOT), "DATA_PLATFORM_SPOOL": str(spool), "DATA_PLATFORM_URL": url, **more}


def finished(
    *command: str, spool: Path, url: str = AWAY, options: tuple[str, ...] = (), given: bytes = b"", **more: str
) -> subprocess.CompletedProcess[bytes]:
    """How the job ended."""
    return subprocess.run(  # noqa: S603 - the tests' own commands
        wrapped(*command, options=options),
        env=environment(spool, url, **more),
        input=given,
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def started(
    *command: str, spool: Path, url: str = AWAY, options: tuple[str, ...] = (), **more: str
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603
        wrapped(*command, options=options),
        env=environment(spool, url, **more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,  # in this session still: a group that nobody outside belongs to cannot be stopped
    )


def shell(script: str) -> tuple[str, str, str]:
    return ("/bin/sh", "-c", script)


def python(code: str) -> tuple[str, str, str]:
    return (sys.executable, "-c", code)


def wait_for(what: Callable[[], object]) -> None:
    """Raises: TimeoutError, if it never comes."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not what():
        if time.monotonic() > until:
            raise TimeoutError("it never came")
        time.sleep(0.02)
