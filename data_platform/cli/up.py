"""``data-platform up``: Dagster's web server, its daemon and the catalog's service on one machine and one PostgreSQL.

This module starts and watches all three, and the relay of evidence if Kafka is configured. Each line that they print is
prefixed with the name of the process. If one exits, the others are stopped too, so that the platform is either
completely up or down.
"""

from __future__ import annotations

import os
import re
import signal
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
from data_platform.cli.port import refuse_taken
from data_platform.environment import inherited
from data_platform.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.settings import Settings

READY_SECONDS = 120
"""Dagster's web server loads the code location before it answers."""
END_SECONDS = 30
WANTED = """\
up needs a PostgreSQL server, but DATA_PLATFORM_CATALOG_URL names {scheme}.
  Debian:  apt-get install postgresql && su postgres -c "createuser -P platform && createdb -O platform platform"
  then:    export DATA_PLATFORM_CATALOG_URL=postgresql://platform:PASSWORD@127.0.0.1/platform"""

OURS = [sys.executable, "-c", "from data_platform.cli.main import app; app()"]
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Part:
    name: str
    process: subprocess.Popen[str]
    ready: str | None = None


def up(
    *,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    dagster_port: Annotated[int, typer.Option(metavar="N", help="Port of Dagster's UI.")] = 3000,
    port: Annotated[int, typer.Option(metavar="N", help="Port of the catalog's service.")] = 8080,
    debug: Debug = False,
) -> None:
    """Start Dagster's UI, its daemon and the catalog's service on PostgreSQL; Ctrl-C stops all three."""
    with guarded(as_json=False, debug=debug):
        from data_platform.orchestration.instance import prepare_home
        from data_platform.settings import read_settings

        settings = read_settings()
        environment = _environment(settings)
        for name, number in (("--dagster-port", dagster_port), ("--port", port)):
            refuse_taken(host, number, name)
        workspace = prepare_home(settings)
        _migrate(settings, environment)
        relays = settings.kafka_bootstrap is not None
        raise typer.Exit(_run(environment, str(workspace), host, dagster_port, port, relays=relays))


def _environment(settings: Settings) -> dict[str, str]:
    from data_platform.orchestration.instance import environment_of
    from data_platform.orchestration.storage import postgres_url

    url = settings.catalog_url
    if postgres_url(url) is None:
        raise UsageError(WANTED.format(scheme=url.partition("://")[0] or "nothing"))
    return inherited() | environment_of(settings) | {"PYTHONUNBUFFERED": "1"}


def _migrate(settings: Settings, environment: dict[str, str]) -> None:
    """Creates both schemas once, before several processes would do it at the same time."""
    from data_platform.catalog import open_catalog

    open_catalog(settings.catalog_url).close()
    command = [*_python("dagster"), "instance", "migrate"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=READY_SECONDS, check=False)  # noqa: S603
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no error message"])[-1]
        raise EnvironmentProblem(f"Dagster's tables could not be created for {settings.dagster_home}: {last[:300]}")


def _run(environment: dict[str, str], workspace: str, host: str, dagster_port: int, port: int, *, relays: bool) -> int:
    stop_requested = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # before any process is started
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: stop_requested.set())
    parts = _start(environment, workspace, host, dagster_port, port)
    if relays:
        parts.append(_part("relay", [*OURS, "evidence", "relay", "--follow"], environment, None))
    return _watch(parts, stop_requested)


def _start(environment: dict[str, str], workspace: str, host: str, dagster_port: int, port: int) -> list[Part]:
    location = ["-w", workspace]
    web = [*_python("dagster_webserver"), *location, "-h", host, "-p", str(dagster_port)]
    daemon = [*_python("dagster._daemon"), "run", *location]
    service = [*OURS, "serve", "--host", host, "--port", str(port)]
    return [
        _part("service", service, environment, f"http://{host}:{port}/readyz"),
        _part("dagster", web, environment, f"http://{host}:{dagster_port}/server_info"),
        _part("daemon", daemon, environment, None),
    ]


def _python(module: str) -> list[str]:
    return [sys.executable, "-m", module]


def _part(name: str, command: Sequence[str], environment: dict[str, str], ready: str | None) -> Part:
    # a session of its own: Ctrl-C reaches only this process, which then stops the three in order
    process = subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    threading.Thread(target=_forward_output, args=(name, process), daemon=True).start()
    return Part(name, process, ready)


def _forward_output(name: str, process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None, "the process was started with a pipe"  # noqa: S101
    plain = not sys.stdout.isatty()  # Dagster colours its lines even if the output is no terminal
    for line in process.stdout:
        sys.stdout.write(f"{name:<8}| {_COLOURS.sub('', line) if plain else line}")
        sys.stdout.flush()


def _watch(parts: list[Part], stop_requested: threading.Event) -> int:
    try:
        if _wait_until_ready(parts, stop_requested):
            for part in parts:
                if part.ready:
                    screen.out().print(f"{part.name} is up: {part.ready.rsplit('/', 1)[0]}", markup=False)
            screen.out().print("the daemon runs; Ctrl-C stops all three", markup=False)
        while not stop_requested.wait(0.5):
            for part in parts:
                if (code := part.process.poll()) is not None:
                    line = f"error: {part.name} ended with exit code {code}; stopping the others"
                    screen.err().print(line, markup=False)
                    return 1
        return 0
    finally:
        _end(parts)


def _wait_until_ready(parts: list[Part], stop_requested: threading.Event) -> bool:
    """False if one of them exited, or a stop was requested, before all answered."""
    until = time.monotonic() + READY_SECONDS
    waiting = [part for part in parts if part.ready]
    while waiting and not stop_requested.is_set() and all(part.process.poll() is None for part in parts):
        waiting = [part for part in waiting if not _answers(part.ready or "")]
        if time.monotonic() > until:
            raise EnvironmentProblem(f"{waiting[0].name} did not answer within {READY_SECONDS} seconds: see its output")
        stop_requested.wait(0.3)
    return not waiting


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - built from our own options
            return True
    except (urllib.error.URLError, OSError):
        return False


def _end(parts: list[Part]) -> None:
    """Stops the daemon first, so that it starts no run. A process that does not stop is killed with its children."""
    for part in reversed(parts):
        part.process.terminate()
    until = time.monotonic() + END_SECONDS
    for part in reversed(parts):
        with suppress(subprocess.TimeoutExpired):
            part.process.wait(max(until - time.monotonic(), 0.1))
        with suppress(ProcessLookupError):
            os.killpg(part.process.pid, signal.SIGKILL)
        part.process.wait()
