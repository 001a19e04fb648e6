"""What a machine lacks is one line: what was found, what was expected, what to do, and the setting."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from data_platform_tests.flows.estate import DAY, Estate, declare_orders, orders

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from data_platform.cli.main import app; app()"]
RUN = ("run", "--select", "orders", "--partition", str(DAY))


@pytest.fixture
def installed(tmp_path: Path) -> Estate:
    estate = Estate(tmp_path / "home", spark=None)
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    return estate


def variables(estate: Estate) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATA_PLATFORM_", "DAGSTER_"))}
    settings = {"DATA_PLATFORM_HOME": str(estate.root), "DATA_PLATFORM_POLICIES": str(estate.root / "policies")}
    return {**kept, **settings, "PYTHONPATH": str(ROOT)}


def call(estate: Estate, *words: str, **environment: str) -> tuple[int, list[str]]:
    """Exit code, and the lines of both outputs."""
    done = subprocess.run(  # noqa: S603
        [*COMMAND, *words],
        env={**variables(estate), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, [line for line in done.stdout.splitlines() if line.strip()]


def test_a_run_without_a_fitting_java_ends_before_it_begins(installed: Estate, tmp_path: Path) -> None:
    code, lines = call(installed, *RUN, JAVA_HOME=str(tmp_path / "nowhere"))

    assert code == 1
    [line] = lines
    assert line.startswith(f"error: JAVA_HOME is {tmp_path / 'nowhere'}, and there is no program bin/java in it")


@pytest.mark.parametrize(
    ("words", "environment", "said"),
    [
        pytest.param(("status",), {"DATA_PLATFORM_HOME": "/proc/none"}, "set DATA_PLATFORM_HOME", id="home"),
        pytest.param(RUN, {"DAGSTER_HOME": "/proc/none"}, "DAGSTER_HOME", id="Dagster's home"),
        pytest.param(
            ("status",),
            {"DATA_PLATFORM_CATALOG_URL": "sqlite:////proc/none.db"},
            "or DATA_PLATFORM_CATALOG_URL",
            id="a folder that takes no file",
        ),
        pytest.param(
            RUN,
            {"DATA_PLATFORM_CATALOG_URL": "postgresql://someone:secret@127.0.0.1:9/none"},
            "(DATA_PLATFORM_CATALOG_URL) did not answer",
            id="PostgreSQL is away",
        ),
    ],
)
def test_what_cannot_be_used_is_one_line_that_names_the_setting(
    installed: Estate, words: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    code, lines = call(installed, *words, **environment)

    assert code == 1
    [line] = lines
    assert said in line
    assert "secret" not in line


@pytest.mark.parametrize("command", ["serve", "dev"])
def test_a_port_in_use_is_named_with_its_option(installed: Estate, command: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        code, lines = call(installed, command, "--port", str(port))

    assert code == 1
    [line] = lines
    assert line.startswith(f"error: cannot listen on 127.0.0.1:{port} (Address already in use)")
    assert "--port" in line


def test_dev_can_be_ended_where_a_script_started_it_in_the_background(installed: Estate) -> None:
    """A shell starts what ends with ``&`` with SIGINT ignored; Dagster takes its handler for SIGTERM too."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        dev = subprocess.Popen(  # noqa: S603
            [*COMMAND, "dev", "--port", str(free_port())],
            env=variables(installed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        until = time.monotonic() + 300
        while b"dagster\0dev" not in Path(f"/proc/{dev.pid}/cmdline").read_bytes():
            assert dev.poll() is None, dev.returncode
            assert time.monotonic() < until, "it did not become `dagster dev`"
            time.sleep(0.05)
        [ignored] = [line for line in Path(f"/proc/{dev.pid}/status").read_text().splitlines() if "SigIgn" in line]
    finally:
        os.killpg(dev.pid, signal.SIGKILL)
        dev.wait()

    assert not int(ignored.split()[1], 16) & 1 << (signal.SIGINT - 1)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
