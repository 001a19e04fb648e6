"""``data-platform serve``: the catalog's HTTP service, by default for this machine alone.

Tokens go over the wire as they are, so another machine may reach the service only over TLS, its own or that of a proxy
that the operator vouches for with ``--allow-remote``.
"""

from __future__ import annotations

import ipaddress
import signal
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import Annotated, Any

import typer

from data_platform.cli.guard import Debug, guarded
from data_platform.cli.port import refuse_taken
from data_platform.errors import EnvironmentProblem, UsageError

APPLICATION = "data_platform.server:create"
"""By its name, since the command line is beside the service and not above it."""

STOP_SECONDS = 20
"""For requests that are being answered when the service is asked to end."""

KEEP_ALIVE_SECONDS = 30
PLAIN = "%(asctime)s %(levelname)s %(name)s %(message)s"


def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535)] = 8080,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Listen beyond this machine without TLS: a proxy has it.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key, PEM.")] = None,
    json_log: Annotated[bool, typer.Option("--json-log", help="A JSON document a line of the log.")] = False,
    debug: Debug = False,
) -> None:
    """Serve the catalog over HTTP until SIGTERM or Ctrl-C. /docs shows what it answers.

    Examples:

    data-platform serve

    data-platform serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --json-log
    """
    with guarded(as_json=False, debug=debug):
        _check(host, tls_cert, tls_key, allow_remote=allow_remote)
        _run(host, port, tls_cert, tls_key, _log(json_log=json_log))


def _check(host: str, tls_cert: Path | None, tls_key: Path | None, *, allow_remote: bool) -> None:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key go together: name both")
    for path in (tls_cert, tls_key):
        if path is not None and not path.is_file():
            raise UsageError(f"there is no file {path}")
    if not is_loopback(host) and tls_cert is None and not allow_remote:
        raise UsageError(
            f"{host} is open to other machines, and tokens would cross the network unprotected: name --tls-cert and "
            "--tls-key, or --allow-remote if a proxy with TLS stands before it"
        )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _run(host: str, port: int, tls_cert: Path | None, tls_key: Path | None, log: dict[str, Any]) -> None:
    import uvicorn

    from data_platform.api.connection import BoundedConnection, connection_room

    # uvicorn ends in order and then raises the signal again: for a service manager an ordered end is exit code 0
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    config = uvicorn.Config(
        APPLICATION,
        factory=True,
        host=host,
        port=port,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
        log_config=log,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        http=BoundedConnection.with_room(connection_room()),
        ws="none",
    )
    refuse_taken(host, port, "--port")  # uvicorn's own way to say so is a line of its log
    server = uvicorn.Server(config)
    try:
        server.run()
    except KeyboardInterrupt:
        return
    except SystemExit:  # uvicorn's own word for: the address is taken
        raise EnvironmentProblem(
            f"the service cannot listen at {host}:{port}: see the line before; is it taken?"
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _log(*, json_log: bool) -> dict[str, Any]:
    formatter = {"()": "data_platform.cli.log_line.JsonLine"} if json_log else {"format": PLAIN}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "filters": {"no_query": {"()": "data_platform.cli.log_line.WithoutQuery"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["no_query"],
                "stream": "ext://sys.stderr",
            }
        },
        "loggers": {
            name: {"handlers": ["stderr"], "level": "INFO", "propagate": False} for name in ("uvicorn", "data_platform")
        },
    }
