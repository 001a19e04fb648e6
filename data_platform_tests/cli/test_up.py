"""``data-platform up`` starts all that an installation needs, on PostgreSQL, and ends all of it."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.orchestration.instance import INSTANCE
from data_platform_tests.own_postgres import OwnPostgres, binaries

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from data_platform.cli.main import app; app()", "up"]
SECONDS = 180


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path, url: str | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATA_PLATFORM_", "DAGSTER_"))}
    given = {"DATA_PLATFORM_HOME": str(home), "DATA_PLATFORM_POLICIES": str(ROOT / "policies"), "PYTHONPATH": str(ROOT)}
    return {**kept, **given, **({"DATA_PLATFORM_CATALOG_URL": url} if url else {})}


@pytest.fixture
def postgres() -> Iterator[OwnPostgres]:
    if binaries() is None:
        pytest.skip("needs PostgreSQL's own programs; CI installs them")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        own = OwnPostgres.made_in(Path(folder))
        own.start()
        try:
            yield own
        finally:
            own.stop()


def test_without_postgresql_the_error_names_what_to_set(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603
        COMMAND, env=environment(tmp_path, None), capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 2
    assert "up needs a PostgreSQL server" in done.stderr
    assert "apt-get install postgresql" in done.stderr
    assert not (tmp_path / "dagster").exists()


def test_a_port_in_use_is_reported_before_anything_starts(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(  # noqa: S603
            [*COMMAND, "--port", port, "--dagster-port", str(free_port())],
            env=environment(tmp_path, "postgresql://nobody@127.0.0.1:1/none"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "--port" in done.stderr


def locations(port: int) -> list[str]:
    query = b'{"query": "{workspaceOrError {... on Workspace {locationEntries {name}}}}"}'
    request = urllib.request.Request(f"http://127.0.0.1:{port}/graphql", query, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - this machine
        entries = json.load(answer)["data"]["workspaceOrError"]["locationEntries"]
    return [entry["name"] for entry in entries]


def test_all_come_up_and_end_together(tmp_path: Path, postgres: OwnPostgres) -> None:
    port, dagster_port = free_port(), free_port()
    process = subprocess.Popen(  # noqa: S603
        [*COMMAND, "--port", str(port), "--dagster-port", str(dagster_port)],
        env={**environment(tmp_path, postgres.url), "DATA_PLATFORM_KAFKA_BOOTSTRAP": "127.0.0.1:9"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said: list[str] = []
    is_up = threading.Event()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if "the daemon runs" in line:
                is_up.set()

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        assert is_up.wait(SECONDS), "".join(said)[-3000:]
        for place in (f"{port}/healthz", f"{dagster_port}/server_info"):
            with urllib.request.urlopen(f"http://127.0.0.1:{place}", timeout=10) as answer:
                assert answer.status == 200
        assert (tmp_path / "dagster" / "dagster.yaml").read_text() == INSTANCE
        assert locations(dagster_port) == ["data_platform"]  # sensors keep their cursors under this name
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(SECONDS)
        listener.join(SECONDS)
        assert process.stdout is not None
        process.stdout.close()
    assert code == 0
    assert {line.partition("|")[0].strip() for line in said if "| " in line} >= {
        "service",
        "dagster",
        "daemon",
        "relay",
    }
    assert "\x1b[" not in "".join(said)
    for taken in (port, dagster_port):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", taken)) != 0
