"""The owner of a lease is identified well enough to detect that it is dead, and never confused with another process."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from data_platform.stage import lease_owner

HOST = socket.gethostname()
SLEEP = [sys.executable, "-c", "print(flush=True); import time; time.sleep(600)"]


def test_this_process_is_alive_and_described_for_people() -> None:
    me = lease_owner.this_process("run_1")

    assert not lease_owner.is_dead(me)
    assert lease_owner.described(me) == f"run_1 on {HOST} (process {os.getpid()})"


def test_a_process_that_was_given_the_number_of_a_dead_one_is_not_taken_for_it() -> None:
    run, pid, start, place = lease_owner.this_process("run_1").rsplit(":", 3)

    assert lease_owner.is_dead(f"{run}:{pid}:{int(start) + 1}:{place}")


@pytest.mark.parametrize("host", [HOST, "another-host"])
def test_the_state_of_another_machine_or_boot_is_unknown(host: str) -> None:
    assert not lease_owner.is_dead(f"run_1@{host}:999999999:1:0123456789abcdef")


def test_a_killed_process_is_dead_even_before_its_exit_code_is_read() -> None:
    process = subprocess.Popen(SLEEP, stdout=subprocess.PIPE)  # noqa: S603
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        known = lease_owner._start_of(process.pid)
        place = lease_owner.this_process("x").rsplit(":", 1)[1]
        name = f"run_1@{HOST}:{process.pid}:{known}:{place}"
        alive = lease_owner.is_dead(name)
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is still in the table

        assert (alive, lease_owner.is_dead(name)) == (False, True)


def test_an_owner_of_an_earlier_version_is_identified_by_host_and_pid() -> None:
    assert not lease_owner.is_dead(f"run_1@{HOST}:{os.getpid()}")
    assert lease_owner.is_dead(f"run_1@{HOST}:999999999")
    assert not lease_owner.is_dead("run_1")
    assert lease_owner.described("run_1") == "run_1"
