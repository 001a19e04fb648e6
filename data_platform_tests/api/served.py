"""The service as it is in production, uvicorn on a port of this machine, within the test's process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from data_platform.api.application import build
from data_platform.api.connection import BoundedConnection
from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.api.service import Limits
from data_platform.catalog import Catalog

LIMITS = Limits(event_bytes=1 << 20, batch_bytes=1 << 20)


@contextmanager
def served(
    catalog: Catalog,
    limits: Limits = LIMITS,
    policies: Path | None = None,
    *,
    room: int = 200,
    diff: QuarantineCommand | None = None,
) -> Iterator[str]:
    """``room`` is how many connections it accepts."""
    app, connection = build(catalog, limits, policies=policies, diff=diff), BoundedConnection.with_room(room)
    with serving(app, http=connection) as address:
        yield address


@contextmanager
def serving(app: FastAPI, **config: Any) -> Iterator[str]:
    """``config`` is uvicorn's. The port is bound before the server starts, so nobody else can take it in between."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", **config))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            until = time.monotonic() + 30
            while not server.started and time.monotonic() < until:
                time.sleep(0.05)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
