"""The service with its portal on a port of this machine, within the test's process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import uvicorn

from data_platform.api.application import build
from data_platform.catalog import Catalog
from data_platform.portal.application import add_portal
from data_platform_tests.api.served import LIMITS
from data_platform_tests.portal.portal_client import KEY


@contextmanager
def served_portal(catalog: Catalog, policies: Path, *, now: datetime) -> Iterator[str]:
    app = build(catalog, LIMITS, policies=policies, now=lambda: now)
    add_portal(app, catalog, policies=policies, session_key=KEY, now=lambda: now)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
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
