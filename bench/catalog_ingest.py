"""How many OpenLineage events one service takes a second, over HTTP and into PostgreSQL, and whether any is lost.

The service is a process of its own, as ``data-platform serve`` starts it; clients are other processes on the same
machine, so they share its processors. Events are of 16 KB: a schema of 40 columns, lineage for 20 of them, and a Spark
plan to fill the rest. Jobs and datasets recur, as they do in life. ``…_cpu_ms`` is the service's own time an event,
which does not hang on what else the machine does, and ``load`` is how much that was. The server is that of
DATA_PLATFORM_TEST_POSTGRES_URL; a schema is made in it and dropped. Prints JSON.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select
from store import SERVER, own_schema

from data_platform.catalog import open_catalog
from data_platform.catalog.lineage_table import RUN_EVENT
from data_platform.model.access import Role

REPOSITORY = Path(__file__).resolve().parent.parent
EVENT_BYTES = 16_000
JOBS = DATASETS = 200
STEADY = 400
"""Events before the first measurement: the first of a job or dataset creates it, and that is measured separately."""


def event(number: int) -> dict[str, Any]:
    columns = [{"name": f"c{place}", "type": "string", "description": "of the source"} for place in range(40)]
    source = {"namespace": "s3://lake", "name": f"in_{number % DATASETS}"}
    links = {f"c{place}": {"inputFields": [{**source, "field": f"f{place}"}]} for place in range(20)}
    facets = {"schema": {"fields": columns}, "columnLineage": {"fields": links}}
    document: dict[str, Any] = {
        "eventType": "COMPLETE",
        "eventTime": datetime.now(UTC).isoformat(),
        "producer": "https://example.net/bench/1.0",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid4()), "facets": {"spark.logicalPlan": {"plan": ""}}},
        "job": {"namespace": "etl", "name": f"job_{number % JOBS}"},
        "inputs": [source, {"namespace": "s3://lake", "name": f"in_{(number + 1) % DATASETS}"}],
        "outputs": [{"namespace": "s3://lake", "name": f"out_{number % DATASETS}", "facets": facets}],
    }
    document["run"]["facets"]["spark.logicalPlan"]["plan"] = "x" * (EVENT_BYTES - len(json.dumps(document)))
    return document


def schema() -> AbstractContextManager[str]:
    """The URL of a catalog in a schema of its own."""
    if not SERVER:
        sys.exit("name a PostgreSQL server: DATA_PLATFORM_TEST_POSTGRES_URL=postgresql://user@host/database")
    return own_schema(SERVER)


@contextmanager
def service(url: str, home: Path, **more: str) -> Iterator[tuple[str, float, int]]:
    """Its address, the seconds from its start until it was ready, and its process; ``more`` are variables."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATA_PLATFORM_")}
    environment |= {"DATA_PLATFORM_CATALOG_URL": url, "DATA_PLATFORM_HOME": str(home), "PYTHONPATH": str(REPOSITORY)}
    environment |= more
    code = "from data_platform.cli.main import app; app()"
    started = time.monotonic()
    with (home / "log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603 - this interpreter
            [sys.executable, "-c", code, "serve", "--port", str(port)], env=environment, stdout=log, stderr=log
        )
    try:
        yield f"http://127.0.0.1:{port}", ready_after(f"http://127.0.0.1:{port}", started), process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        if process.wait(60) != 0:
            print((home / "log").read_text()[-2000:], file=sys.stderr)


def ready_after(url: str, started: float) -> float:
    while time.monotonic() - started < 60:
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return time.monotonic() - started
        except httpx.TransportError:
            time.sleep(0.02)
    sys.exit("the service did not get ready within a minute")


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process: on a busy machine more stable than elapsed time."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def commits_of(url: str) -> float:
    lines = httpx.get(f"{url}/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith("data_platform_ingest_seconds_count")).split()[1])


def post(url: str, token: str, path: str, bodies: list[bytes], sent: Any) -> None:
    """One client, one request after the other; ``sent`` gets how many events were acknowledged."""
    acknowledged = 0
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=120)) as line:  # costs the least
        for body in bodies:
            line.request("POST", path, body, headers)
            answer = line.getresponse()
            text = answer.read()
            if answer.status not in (200, 201):
                sys.exit(f"{answer.status}: {text[:500]!r}")
            acknowledged += json.loads(text).get("kept", 1)
    sent.put(acknowledged)


def measure(url: str, token: str, path: str, bodies: list[bytes], clients: int) -> tuple[int, float]:
    """Acknowledged events, and the seconds from the first request to the last answer."""
    context = multiprocessing.get_context("fork")
    sent = context.Queue()
    shares = [bodies[place::clients] for place in range(clients)]
    started = time.monotonic()
    processes = [context.Process(target=post, args=(url, token, path, share, sent)) for share in shares]
    for process in processes:
        process.start()
    acknowledged = sum(sent.get(timeout=600) for _ in processes)
    seconds = time.monotonic() - started
    for process in processes:
        process.join()
    return acknowledged, seconds


def run(events: int, batch: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, schema() as url:
        with open_catalog(url) as catalog:
            made = {"actor": "bench", "actor_role": "LOCAL", "now": datetime.now(UTC)}
            _, token = catalog.access.create_token("bench", Role.DATA_OWNER, **made)
        total, figures = 0, {}
        with service(url, Path(folder)) as (address, start_seconds, pid):
            for name, size, clients, count in (
                ("first_seen_batched", batch, 1, STEADY),
                ("batched", batch, 1, events),
                ("batched_2_clients", batch, 2, events),
                ("single_1_client", 1, 1, events // 2),
                ("single_8_clients", 1, 8, events),
            ):
                path = "/api/v1/lineage/batch" if size > 1 else "/api/v1/lineage"
                before, commits = cpu_seconds(pid), commits_of(address)
                acknowledged, seconds = measure(address, token, path, bodies(count, size), clients)
                figures[f"{name}_per_second"] = round(acknowledged / seconds, 1)
                figures[f"{name}_cpu_ms"] = round((cpu_seconds(pid) - before) / acknowledged * 1000, 2)
                figures[f"{name}_events_a_commit"] = round(acknowledged / (commits_of(address) - commits), 1)
                total += acknowledged
        with open_catalog(url) as catalog, catalog._database.reading() as connection:
            stored = connection.execute(select(func.count()).select_from(RUN_EVENT)).scalar_one()
    return {
        "event_bytes": EVENT_BYTES,
        "events_a_batch": batch,
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "start_seconds": round(start_seconds, 2),
        **figures,
        "acknowledged": total,
        "stored": stored,
        "lost": total - stored,
        "targets": {"batched_per_second": 500, "single_per_second": 150, "lost": 0, "start_seconds": 3},
    }


def bodies(count: int, size: int) -> list[bytes]:
    documents = [event(number) for number in range(count)]
    if size == 1:
        return [json.dumps(document).encode() for document in documents]
    return [json.dumps(documents[start : start + size]).encode() for start in range(0, count, size)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000)
    parser.add_argument("--batch", type=int, default=100)
    given = parser.parse_args()
    print(json.dumps(run(given.events, given.batch), indent=2))


if __name__ == "__main__":
    main()
