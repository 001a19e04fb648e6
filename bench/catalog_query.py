"""How long the catalog takes to answer, on a large estate and on one of a tenth of its size. Prints JSON.

The estate is layered as real ones are: sources, then jobs that each read some datasets of earlier layers and write one
or two of the next. On PostgreSQL (``DATA_PLATFORM_TEST_POSTGRES_URL``) if there is one, else on SQLite; the rows are
put in by the tables' own columns, since what is measured is reading. Each figure is of questions about random nodes, in
milliseconds: median and 95th percentile. ``full_depth`` asks for the first hundred hits of all that there are, with
counts of all; the graph is in memory then, and ``graph_read`` is what reading it once costs.
"""

import argparse
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from statistics import median, quantiles
from typing import Any

from sqlalchemy import insert
from store import own_catalog

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.lineage_table import GRAPH_REVISION, LINEAGE_EDGE, PROCESS_RUN, RUN_DATASET, RUN_EVENT
from data_platform.catalog.registry_table import DATASET, DATASET_SCHEMA, DATASET_VERSION, PROCESS

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = (
    "orders",
    "customers",
    "trades",
    "risk",
    "ledger",
    "positions",
    "prices",
    "rates",
    "limits",
    "invoice",
    "claim",
)
LAYERS = 8


@contextmanager
def catalog() -> Iterator[Catalog]:
    with own_catalog() as url, open_catalog(url) as opened:
        yield opened


def fill(opened: Catalog, *, datasets: int, processes: int, edges: int, events: int, dice: random.Random) -> None:
    names = [f"{dice.choice(WORDS)}_{dice.choice(WORDS)}_{number}" for number in range(datasets)]
    put(opened, DATASET, (dataset_row(number, name) for number, name in enumerate(names, 1)))
    columns = ((number, place) for number in range(1, datasets + 1) for place in range(20))
    put(opened, DATASET_SCHEMA, (column_row(number, place, dice) for number, place in columns))
    put(opened, PROCESS, (process_row(number, dice) for number in range(1, processes + 1)))
    put(opened, LINEAGE_EDGE, edge_rows(datasets, processes, edges, dice))
    runs = max(events // 2, 1)
    put(opened, PROCESS_RUN, (run_row(number, processes) for number in range(runs)))
    put(opened, RUN_EVENT, (event_row(number, runs) for number in range(events)))
    put(opened, DATASET_VERSION, (version_row(number, datasets) for number in range(runs)))
    put(opened, RUN_DATASET, (use_row(number, datasets) for number in range(runs)))
    with opened._database.engine.begin() as connection:
        connection.execute(GRAPH_REVISION.update().values(revision=1))
    if opened._database.engine.dialect.name == "postgresql":
        with opened._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("ANALYZE")


def put(opened: Catalog, table: Any, rows: Iterator[dict[str, Any]]) -> None:
    with opened._database.engine.begin() as connection:
        chunk = []
        for row in rows:
            chunk.append(row)
            if len(chunk) == 10_000:
                connection.execute(insert(table), chunk)
                chunk = []
        if chunk:
            connection.execute(insert(table), chunk)


def dataset_row(number: int, name: str) -> dict[str, Any]:
    return {
        "dataset_id": number, "namespace": "ds://bank", "name": name, "full_name": f"ds://bank/{name}",
        "description": f"Daily {name.replace('_', ' ')}", "tags": ["daily"], "status": "ACTIVE", "created_by": "bench",
        "owner_team": f"team{number % 50}", "created_at": NOW, "updated_at": NOW,
    }  # fmt: skip


def column_row(number: int, place: int, dice: random.Random) -> dict[str, Any]:
    return {
        "dataset_id": number, "schema_hash": "h", "column_order": place, "column_name": f"{dice.choice(WORDS)}_{place}",
        "column_type": "string", "nullable": True, "column_metadata": {}, "first_seen_at": NOW,
    }  # fmt: skip


def process_row(number: int, dice: random.Random) -> dict[str, Any]:
    key = f"AUTOSYS/BOX{number % 300}/{dice.choice(WORDS).upper()}_{number}"
    return {
        "process_id": number, "process_key": key, "namespace": "AUTOSYS", "name": key[8:], "description": "",
        "trigger_mode": "PROCESS", "created_at": NOW, "updated_at": NOW,
    }  # fmt: skip


def edge_rows(datasets: int, processes: int, edges: int, dice: random.Random) -> Iterator[dict[str, Any]]:
    """Job n reads of the layers before its own, and writes into its own: mostly of the last one, seldom of any."""
    known: set[tuple[str, int, int]] = set()
    layer = datasets // LAYERS
    while len(known) < edges:
        process = dice.randrange(1, processes + 1)
        place = 1 + process % (LAYERS - 1)
        if dice.random() < datasets / edges:
            row = ("PRODUCES", process, dice.randrange(place * layer, (place + 1) * layer) + 1)
        else:
            begin = 0 if dice.random() < 0.1 else (place - 1) * layer
            row = ("CONSUMES", process, dice.randrange(begin, place * layer) + 1)
        if row in known:
            continue
        known.add(row)
        ends = (("PROCESS", process), ("DATASET", row[2]))
        source, target = ends if row[0] == "PRODUCES" else ends[::-1]
        yield {
            "source_type": source[0], "source_id": source[1], "target_type": target[0], "target_id": target[1],
            "edge_role": row[0], "transform_meta": {}, "created_at": NOW,
        }  # fmt: skip


def run_of(number: int) -> str:
    return str(uuid.UUID(int=number + 1))


def run_row(number: int, processes: int) -> dict[str, Any]:
    began = NOW - timedelta(minutes=number)
    return {
        "run_uuid": run_of(number), "process_id": number % processes + 1, "start_ts": began, "status": "COMPLETED",
        "end_ts": began + timedelta(minutes=5), "attempt": 1, "first_event_at": began, "historical": False,
        "last_event_at": began, "facets_json": {}, "created_at": NOW,
    }  # fmt: skip


def event_row(number: int, runs: int) -> dict[str, Any]:
    return {
        "run_uuid": run_of(number % runs), "process_key": "k", "event_type": "COMPLETE", "event_time": NOW,
        "historical": False, "digest": f"{number:064}", "payload_json": "{}", "warnings": [], "received_at": NOW,
    }  # fmt: skip


def version_row(number: int, datasets: int) -> dict[str, Any]:
    return {
        "dataset_id": number % datasets + 1, "version_tag": str(number), "schema_hash": "h", "row_count": number,
        "produced_by_run_id": run_of(number), "produced_at": NOW - timedelta(minutes=number), "historical": False,
        "metadata_json": {},
    }  # fmt: skip


def use_row(number: int, datasets: int) -> dict[str, Any]:
    return {"run_uuid": run_of(number), "dataset_id": number % datasets + 1, "role": "OUTPUT", "said_at": NOW}


def measure(ask: Callable[[], Any], times: int) -> dict[str, float]:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        ask()
        took.append((time.perf_counter() - began) * 1000)
    return {"median_ms": round(median(took), 2), "p95_ms": round(quantiles(took, n=20)[-1], 2)}


def questions(opened: Catalog, datasets: int, processes: int, dice: random.Random, times: int) -> dict[str, Any]:
    known = opened.lineage
    began = time.perf_counter()
    first = known.impact("1")
    read = (time.perf_counter() - began) * 1000
    sizes = [known.impact(str(dice.randrange(1, datasets // LAYERS)), limit=1).total for _ in range(50)]

    def any_dataset() -> str:
        return str(dice.randrange(1, datasets + 1))

    def any_source() -> str:
        return str(dice.randrange(1, datasets // LAYERS))

    return {
        "graph_read_ms": round(read, 1),
        "hits_of_full_depth": {"first": first.total, "median_of_sources": median(sizes), "most": max(sizes)},
        "impact_full_depth": measure(lambda: known.impact(any_source()), times),
        "upstream_full_depth": measure(lambda: known.impact(any_dataset(), direction="upstream"), times),
        "one_hop": measure(lambda: known.impact(any_dataset(), depth=1), times),
        "consumers": measure(lambda: known.consumers(any_dataset()), times),
        "dataset_page": measure(lambda: known.dataset_page(any_dataset()), times),
        "versions": measure(lambda: known.versions(any_dataset()), times),
        "last_successful_run": measure(lambda: known.last_successful_run(any_dataset()), times),
        "process_page": measure(lambda: known.process_page(str(dice.randrange(1, processes + 1))), times),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=5_000)
    parser.add_argument("--edges", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=200)
    asked = parser.parse_args()
    found: dict[str, Any] = {"store": "postgresql" if os.environ.get("DATA_PLATFORM_TEST_POSTGRES_URL") else "sqlite"}
    for share in (10, 1):
        size = {name: max(getattr(asked, name) // share, 1) for name in ("datasets", "processes", "edges", "events")}
        dice = random.Random(7)  # noqa: S311 - the same estate each time
        with catalog() as opened:
            fill(opened, **size, dice=dice)
            answers = questions(opened, size["datasets"], size["processes"], dice, asked.times)
        found["whole" if share == 1 else "a_tenth"] = {**size, **answers}
    found["growth_of_p95"] = {
        name: round(figures["p95_ms"] / found["a_tenth"][name]["p95_ms"], 2)
        for name, figures in found["whole"].items()
        if isinstance(figures, dict) and "p95_ms" in figures
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
