"""``data-platform up``: Dagster's web server, its daemon and the catalog's service on one machine, on one PostgreSQL.

All three are started and watched here. Each line that they print comes with the name of who said it; if one ends, the
others are ended too, since an operator should see a platform that is up or one that is down, and nothing in between.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import Debug, guarded
from data_platform.errors import EnvironmentProblem, UsageError
from data_platform.model.private_path import private_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from data_platform.settings import Settings

READY_SECONDS = 120
"""Dagster's web server loads the code location before it answers."""
END_SECONDS = 30
WANTED = """\
up needs a PostgreSQL server, and DATA_PLATFORM_CATALOG_URL names {found}.
  Debian:  apt-get install postgresql && su postgres -c "createuser -P platform && createdb -O platform platform"
  then:    export DATA_PLATFORM_CATALOG_URL=postgresql://platform:PASSWORD@127.0.0.1/platform"""

INSTANCE = """\
# Written by `data-platform up`: Dagster keeps its runs and events in the database of the catalog.
storage:
  postgres:
    postgres_url: {env: DAGSTER_POSTGRES_URL}
telemetry: {enabled: false}
nux: {enabled: false}
run_retries: {enabled: true, max_retries: 2, retry_on_asset_or_op_failure: false}
run_monitoring: {enabled: true, max_runtime_seconds: 7200}
concurrency:
  runs: {max_concurrent_runs: 2}
  pools: {default_limit: 1, granularity: op}
freshness: {enabled: true}
code_servers: {wait_for_local_processes_on_shutdown: true}
"""


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Part:
    name: str
    process: subprocess.Popen[str]
    ready: str | None = None


def up(
    *,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="To listen on; loopback if left out.")] = "127.0.0.1",
    dagster_port: Annotated[int, typer.Option(metavar="N", help="Of Dagster's UI.")] = 3000,
    port: Annotated[int, typer.Option(metavar="N", help="Of the catalog's service.")] = 8080,
    debug: Debug = False,
) -> None:
    """Start Dagster's UI, its daemon and the catalog's service on PostgreSQL; Ctrl-C ends them all."""
    with guarded(as_json=False, debug=debug):
        from data_platform.settings import read_settings

        settings = read_settings()
        environment = _environment(settings)
        for name, number in (("--dagster-port", dagster_port), ("--port", port)):
            _refuse_taken(host, number, name)
        _write_instance(settings.dagster_home)
        _migrate(settings, environment)
        parts = _start(environment, host, dagster_port, port)
        raise typer.Exit(_watch(parts))


def _environment(settings: Settings) -> dict[str, str]:
    url = settings.catalog_url
    scheme, found, rest = url.partition("://")
    if not found or scheme not in ("postgresql", "postgres", "postgresql+psycopg2"):
        raise UsageError(WANTED.format(found=scheme or "nothing"))
    return {
        **os.environ,
        "DAGSTER_HOME": str(settings.dagster_home),
        # SQLAlchemy 2.1 reads plain postgresql:// as another driver, which Dagster does not bring
        "DAGSTER_POSTGRES_URL": f"postgresql+psycopg2://{rest}",
        "DATA_PLATFORM_CATALOG_URL": url,
        "PYTHONUNBUFFERED": "1",
    }


def _refuse_taken(host: str, port: int, option: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise EnvironmentProblem(
                f"{host}:{port} cannot be listened on ({error.strerror}): name another with {option}"
            ) from None


def _write_instance(home: Path) -> None:
    """A ``dagster.yaml`` that somebody wrote stays; it says itself where Dagster keeps its things."""
    private_folder(home)
    file = home / "dagster.yaml"
    if not file.exists():
        file.write_text(INSTANCE)


def _migrate(settings: Settings, environment: dict[str, str]) -> None:
    """Once, before several processes would do so at once."""
    from data_platform.catalog import open_catalog

    open_catalog(settings.catalog_url).close()
    command = [*_python("dagster"), "instance", "migrate"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=READY_SECONDS, check=False)  # noqa: S603
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise EnvironmentProblem(f"Dagster's tables could not be made in {settings.dagster_home}: {last[:300]}")


def _start(environment: dict[str, str], host: str, dagster_port: int, port: int) -> list[Part]:
    module = ["-m", "data_platform.definitions"]
    web = [*_python("dagster_webserver"), *module, "-h", host, "-p", str(dagster_port)]
    daemon = [*_python("dagster._daemon"), "run", *module]
    command = [sys.executable, "-c", "from data_platform.cli.main import app; app()"]
    service = [*command, "serve", "--host", host, "--port", str(port)]
    return [
        _part("service", service, environment, f"http://{host}:{port}/readyz"),
        _part("dagster", web, environment, f"http://{host}:{dagster_port}/server_info"),
        _part("daemon", daemon, environment, None),
    ]


def _python(module: str) -> list[str]:
    return [sys.executable, "-m", module]


def _part(name: str, command: Sequence[str], environment: dict[str, str], ready: str | None) -> Part:
    # a session of its own: Ctrl-C reaches only us, and we end the three in order
    process = subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    threading.Thread(target=_tell, args=(name, process), daemon=True).start()
    return Part(name, process, ready)


def _tell(name: str, process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None, "it was asked for a pipe"  # noqa: S101
    plain = not sys.stdout.isatty()  # Dagster colours its lines also where nobody sees colours
    for line in process.stdout:
        sys.stdout.write(f"{name:<8}| {_COLOURS.sub('', line) if plain else line}")
        sys.stdout.flush()


def _watch(parts: list[Part]) -> int:
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    try:
        if _wait_until_ready(parts, asked):
            for part in parts:
                if part.ready:
                    screen.out().print(f"{part.name} is up: {part.ready.rsplit('/', 1)[0]}", markup=False)
            screen.out().print("the daemon runs; Ctrl-C ends all three", markup=False)
        while not asked.wait(0.5):
            for part in parts:
                if (code := part.process.poll()) is not None:
                    screen.err().print(f"error: {part.name} ended with {code}; ending the others", markup=False)
                    return 1
        return 0
    finally:
        _end(parts)


def _wait_until_ready(parts: list[Part], asked: threading.Event) -> bool:
    """False if one ended, or we were asked to end, before all answered."""
    until = time.monotonic() + READY_SECONDS
    waiting = [part for part in parts if part.ready]
    while waiting and not asked.is_set() and all(part.process.poll() is None for part in parts):
        waiting = [part for part in waiting if not _answers(part.ready or "")]
        if time.monotonic() > until:
            raise EnvironmentProblem(f"{waiting[0].name} did not answer within {READY_SECONDS} seconds: see its lines")
        asked.wait(0.3)
    return not waiting


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - an address of ours
            return True
    except (urllib.error.URLError, OSError):
        return False


def _end(parts: list[Part]) -> None:
    """The daemon first, so that it starts nothing more; whoever does not end by itself is killed with its children."""
    for part in reversed(parts):
        part.process.terminate()
    until = time.monotonic() + END_SECONDS
    for part in reversed(parts):
        with suppress(subprocess.TimeoutExpired):
            part.process.wait(max(until - time.monotonic(), 0.1))
        with suppress(ProcessLookupError):
            os.killpg(part.process.pid, signal.SIGKILL)
        part.process.wait()
