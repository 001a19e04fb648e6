"""``data-platform serve``: the catalog's HTTP service, by default for this machine alone.

Requests carry tokens unencrypted, so other machines may reach the service only over TLS: its own, or that of a proxy,
which the operator confirms with ``--allow-remote``.
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
WITH_TOOLS = "data_platform.server:create_with_tools"
"""Names, not imports: the command line and the service are on the same layer."""

STOP_SECONDS = 20
"""The time for running requests to finish when the service is stopped."""

KEEP_ALIVE_SECONDS = 30
PLAIN = "%(asctime)s %(levelname)s %(name)s %(message)s"


def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535, help="The port to listen on.")] = 8080,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Accept other machines without TLS, behind a TLS proxy.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key, PEM.")] = None,
    mcp: Annotated[bool, typer.Option("--mcp", help="Serve the tools of assistants (MCP) at /mcp too.")] = False,
    json_log: Annotated[bool, typer.Option("--json-log", help="Log one JSON document per line.")] = False,
    debug: Debug = False,
) -> None:
    """Serve the catalog over HTTP until SIGTERM or Ctrl-C. /docs describes the API.

    Examples:

    data-platform serve

    data-platform serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --json-log
    """
    with guarded(as_json=False, debug=debug):
        _check(host, tls_cert, tls_key, allow_remote=allow_remote)
        application = WITH_TOOLS if mcp else APPLICATION
        _run(application, host, port, tls_cert, tls_key, _log(json_log=json_log))


def _check(host: str, tls_cert: Path | None, tls_key: Path | None, *, allow_remote: bool) -> None:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key need each other: give both")
    for path in (tls_cert, tls_key):
        if path is not None and not path.is_file():
            raise UsageError(f"there is no file {path}")
    if not is_loopback(host) and tls_cert is None and not allow_remote:
        raise UsageError(
            f"{host} is reachable from other machines, and tokens would cross the network unencrypted: give --tls-cert "
            "and --tls-key, or --allow-remote behind a proxy with TLS"
        )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _run(
    application: str, host: str, port: int, tls_cert: Path | None, tls_key: Path | None, log: dict[str, Any]
) -> None:
    import uvicorn

    from data_platform.api.connection import BoundedConnection, connection_room

    # uvicorn shuts down and then raises the signal again; a service manager expects exit code 0 after a clean shutdown
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    config = uvicorn.Config(
        application,
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
    refuse_taken(host, port, "--port")  # uvicorn would only log it
    server = uvicorn.Server(config)
    try:
        server.run()
    except KeyboardInterrupt:
        return
    except SystemExit:  # uvicorn exits so if the address is taken
        raise EnvironmentProblem(
            f"the service cannot listen on {host}:{port}, perhaps because it is taken: see the log line before"
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
