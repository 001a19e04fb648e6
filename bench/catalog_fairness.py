"""How long a small event waits for its answer while others send a huge batch, slow bodies, or nothing at all.

One service on the server of DATA_PLATFORM_TEST_POSTGRES_URL. A small event is sent every tenth of a second by one
client, first to a quiet service, and then beside each kind of bad caller. Prints JSON; seconds.
"""

import argparse
import json
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from catalog_ingest import event, schema, service

from data_platform.catalog import open_catalog
from data_platform.model.access import Role

BATCH_BYTES = 60 * 1_048_576
SILENT = 1_005
SLOW = 50


def small(client: httpx.Client, number: int) -> float:
    document = event(number)
    document["run"].pop("facets")
    began = time.monotonic()
    client.post("/api/v1/lineage", content=json.dumps(document)).raise_for_status()
    return time.monotonic() - began


def waits(url: str, token: str, goes_on: Callable[[], bool]) -> list[float]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    found: list[float] = []
    with httpx.Client(base_url=url, headers=headers, timeout=120) as client:
        while goes_on() or len(found) < 10:
            found.append(small(client, len(found)))
            time.sleep(0.1)
    return found


def figures(found: list[float]) -> dict[str, Any]:
    return {"events": len(found), "median": round(statistics.median(found), 3), "slowest": round(max(found), 3)}


@contextmanager
def huge_batch(url: str, token: str) -> Iterator[Callable[[], bool]]:
    """A batch just below the limit, of jobs that were never seen, which cost most."""
    events = []
    for number in range(BATCH_BYTES // 16_000):
        document = event(number)
        document["job"]["name"] = f"new_{number}"
        events.append(document)
    raw = json.dumps(events).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def send() -> None:
        httpx.post(f"{url}/api/v1/lineage/batch", content=raw, headers=headers, timeout=300)

    thread = threading.Thread(target=send)
    thread.start()
    yield thread.is_alive
    thread.join()


@contextmanager
def slow_bodies(url: str, token: str) -> Iterator[Callable[[], bool]]:
    place, until = httpx.URL(url), time.monotonic() + 8
    with ExitStack() as stack:
        for _ in range(SLOW):
            made = stack.enter_context(closing(socket.create_connection((place.host, place.port or 80))))
            head = f"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            made.sendall(f"{head}Content-Length: 15000000\r\n\r\n{{".encode())
        yield lambda: time.monotonic() < until


@contextmanager
def silent(url: str, _token: str) -> Iterator[Callable[[], bool]]:
    place, until = httpx.URL(url), time.monotonic() + 5
    with ExitStack() as stack:
        for _ in range(SILENT):
            stack.enter_context(closing(socket.create_connection((place.host, place.port or 80))))
        yield lambda: time.monotonic() < until


@contextmanager
def nobody(_url: str, _token: str) -> Iterator[Callable[[], bool]]:
    until = time.monotonic() + 3
    yield lambda: time.monotonic() < until


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    results: dict[str, Any] = {}
    with schema() as url, tempfile.TemporaryDirectory() as home:
        with open_catalog(url) as catalog:
            token = catalog.access.create_token(
                "bench", Role.PLATFORM_ADMIN, actor="bench", actor_role="LOCAL", now=datetime.now(UTC)
            )[1]
        with service(url, Path(home)) as (address, _ready, _pid):
            for other in (nobody, silent, slow_bodies, huge_batch):
                with other(address, token) as goes_on:
                    results[other.__name__] = figures(waits(address, token, goes_on))
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
