"""A signal ends a command with one line and the shell's exit code at any time."""

import signal
import subprocess
import sys
from functools import partial

import pytest

from data_platform.cli.interruption import UNWIND_SECONDS

PROGRAM = """
import logging, sys, threading, time, typer
from data_platform.cli.guard import guarded
app = typer.Typer(pretty_exceptions_enable=False)

@app.command()
def go(what: str) -> None:
    with guarded(as_json=what == "json", debug=False):
        try:
            print("ready", flush=True)
            while True:  # a signal that comes just before a wait is answered after it
                threading.Event().wait(0.1)
        except BaseException:
            logging.error("noise of what is unwound")
            if what == "error":
                raise ConnectionRefusedError("as PySpark does it") from None
            if what == "stuck":
                print("unwinding", flush=True)
                threading.Event().wait(600)
            raise

app()
"""
STOPPED = "stopped; the next run rolls back writes that no gate has judged"


def started(what: str, *before: str) -> subprocess.Popen[str]:
    command = [*before, sys.executable, "-c", PROGRAM, what]
    heeded = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # these tests may run under nohup
    process = subprocess.Popen(  # noqa: S603
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeded,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(
    ("number", "what", "code"),
    [
        pytest.param(signal.SIGINT, "wait", 130, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, "wait", 143, id="kill"),
        pytest.param(signal.SIGHUP, "error", 129, id="hang-up, answered by a library with an error of its own"),
    ],
)
def test_a_signal_is_one_line_and_an_exit_code(number: signal.Signals, what: str, code: int) -> None:
    process = started(what)

    process.send_signal(number)

    assert process.communicate(timeout=60) == ("", STOPPED + "\n")
    assert process.returncode == code


def test_a_stopped_command_answers_in_json_where_json_was_asked_for() -> None:
    process = started("json")

    process.send_signal(signal.SIGTERM)

    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (143, "")
    assert '"exit_code": 143' in out


def test_a_second_ctrl_c_ends_a_command_that_does_not_unwind() -> None:
    process = started("stuck")
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.readline() == "unwinding\n"

    process.send_signal(signal.SIGINT)

    process.communicate(timeout=UNWIND_SECONDS - 1)  # sooner than it is ended anyway
    assert process.returncode == 130


def test_a_hang_up_that_nohup_ignores_stays_ignored() -> None:
    process = started("wait", "nohup")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)

    _, err = process.communicate(timeout=60)

    assert process.returncode == 143
    assert err.endswith(STOPPED + "\n")
