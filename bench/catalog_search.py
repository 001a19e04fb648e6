"""What a search costs in a large catalog: milliseconds of each kind of question, at full size and at a tenth of it.

Names are words of a made-up bank, so that common words are in thousands of datasets. PostgreSQL in a schema of its own,
which is dropped, if ``DATA_PLATFORM_TEST_POSTGRES_URL`` names a server; else SQLite in a temporary folder. Prints JSON.
"""

import argparse
import itertools
import json
import os
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median
from typing import Any

from sqlalchemy import insert, text
from store import own_catalog

from data_platform.catalog import open_catalog
from data_platform.catalog.database import open_database
from data_platform.catalog.registry_table import DATASET, DATASET_SCHEMA, PROCESS
from data_platform.catalog.search import rebuild
from data_platform.model.lineage import NodeType
from data_platform.model.search import SearchRequest


def listed(text: str) -> list[str]:
    return text.split()


NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOUNS = listed(
    "account customer order payment trade position ledger balance invoice branch teller card loan mortgage "
    "deposit transfer settlement counterparty collateral margin rate currency price quote index bond equity "
    "future option swap flight passenger employee vendor product claim policy premium address contact device "
    "session event alert limit"
)
MADE = listed("daily weekly monthly raw clean curated history snapshot delta summary detail audit archive master")
COLUMNS = listed("id code name date amount status type currency country created updated valid from to flag")
QUESTIONS = {
    "exact name": ("{name}", {}),
    "exact URN": ("{urn}", {}),
    "one word": ("{noun}", {}),
    "a beginning": ("{beginning}", {}),
    "two words": ("{noun} {made}", {}),
    "a column": ("{noun}_id", {}),
    "a word of nearly all": ("id", {}),
    "a slip": ("{slip}", {}),
    "a slip in a column": ("{slip}_id", {}),
    "nothing like it": ("qqxyzzy", {}),
    "filters only": ("", {"kind": NodeType.DATASET, "team": "team 3"}),
    "word and column": ("{made}", {"columns": ("customer_id",)}),
}


def fill(url: str, datasets: int, processes: int, columns: int) -> dict[str, float]:
    chance = random.Random(1)  # noqa: S311 - not for secrets
    database = open_database(url)
    times = {"created_at": NOW, "updated_at": NOW}
    with database.writing() as connection:
        for start in range(0, datasets, 1000):
            size = min(1000, datasets - start)
            rows = [dataset(chance, start + n) | times for n in range(size)]
            returned = insert(DATASET).returning(DATASET.c.dataset_id, sort_by_parameter_order=True)
            numbers = connection.execute(returned, rows).scalars().all()
            fields = [field for number in numbers for field in schema(chance, number, columns)]
            connection.execute(insert(DATASET_SCHEMA), fields)
        connection.execute(insert(PROCESS), [process(chance, n) | times for n in range(processes)])
    start = time.perf_counter()
    with database.writing() as connection:
        rebuild(connection)
    took = time.perf_counter() - start
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    database.close()
    return {"rebuild_seconds": round(took, 1), "documents_a_second": round((datasets + processes) / took)}


def dataset(chance: random.Random, n: int) -> dict[str, Any]:
    one, two, made = chance.choice(NOUNS), chance.choice(NOUNS), chance.choice(MADE)
    name, namespace = f"{one}_{two}_{made}_{n}", f"ds://{chance.choice(MADE)}"
    words = " ".join(chance.choice(NOUNS) for _ in range(12))
    return {
        "namespace": namespace,
        "name": name,
        "full_name": f"{namespace}/{name}",
        "description": f"The {made} {one} of each {two}: {words}.",
        "category": chance.choice(NOUNS),
        "tags": [chance.choice(MADE), chance.choice(NOUNS)],
        "owner_team": f"team {n % 50}",
        "owner_email": f"team-{n % 50}@example.com",
        "status": "ACTIVE",
        "created_by": "bench",
    }


def schema(chance: random.Random, number: int, columns: int) -> Iterator[dict[str, Any]]:
    names = {f"{chance.choice(NOUNS)}_{chance.choice(COLUMNS)}" for _ in range(columns * 2)} | {"record_id"}
    for place, name in enumerate(itertools.islice(sorted(names), columns)):
        yield {
            "dataset_id": number,
            "schema_hash": "h",
            "column_order": place,
            "column_name": name,
            "column_type": "string",
            "nullable": True,
            "column_metadata": {},
            "first_seen_at": NOW,
        }


def process(chance: random.Random, n: int) -> dict[str, Any]:
    name = f"{chance.choice(MADE)}_BOX_{n % 100}/LOAD_{chance.choice(NOUNS)}_{n}".upper()
    return {
        "process_key": f"AUTOSYS/{name}",
        "namespace": "AUTOSYS",
        "name": name,
        "description": f"Loads the {chance.choice(NOUNS)} of each {chance.choice(NOUNS)}",
        "trigger_mode": "PROCESS",
        "team": f"team {n % 50}",
        "technology": "AUTOSYS",
    }


def words(chance: random.Random, urns: list[str]) -> dict[str, str]:
    noun, urn = chance.choice([noun for noun in NOUNS if len(noun) > 5]), chance.choice(urns)
    place = chance.randrange(1, len(noun) - 2)
    slip = noun[:place] + noun[place + 1] + noun[place] + noun[place + 2 :]
    named = {"urn": urn, "name": urn.rpartition("/")[2], "made": chance.choice(MADE)}
    return {**named, "noun": noun, "beginning": noun[:3], "slip": slip}


def percentile(times: list[float], share: float) -> float:
    return round(sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000, 1)


def measure(datasets: int, processes: int, columns: int, runs: int) -> dict[str, Any]:
    chance = random.Random(2)  # noqa: S311 - not for secrets
    with own_catalog() as url, open_catalog(url) as catalog:
        filled = fill(url, datasets, processes, columns)
        found = catalog.registry.search(SearchRequest(kind=NodeType.DATASET, limit=100)).hits
        urns = [hit.full_name for hit in found]
        catalog.registry.search(SearchRequest(text="zzzqq"))  # reads the vocabulary
        times: dict[str, list[float]] = {name: [] for name in (*QUESTIONS, "the next page")}
        hits: dict[str, list[int]] = {name: [] for name in times}
        for _ in range(runs):
            for name, (form, filters) in QUESTIONS.items():
                request = SearchRequest(text=form.format(**words(chance, urns)), **filters)
                start = time.perf_counter()
                page = catalog.registry.search(request)
                times[name].append(time.perf_counter() - start)
                hits[name].append(len(page.hits))
                if name == "one word" and page.cursor:
                    start = time.perf_counter()
                    catalog.registry.search(SearchRequest(text=request.text, cursor=page.cursor))
                    times["the next page"].append(time.perf_counter() - start)
    everything = [one for taken in times.values() for one in taken]
    return {
        "datasets": datasets,
        "processes": processes,
        "columns": columns,
        "searches": len(everything),
        **filled,
        "p50_ms": percentile(everything, 0.5),
        "p95_ms": percentile(everything, 0.95),
        "target_p95_ms": 100,
        "p95_ms_by_question": {name: percentile(taken, 0.95) for name, taken in times.items() if taken},
        "median_hits": {name: median(counted) for name, counted in hits.items() if counted},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=5_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--runs", type=int, default=40)
    given = parser.parse_args()
    tenth = measure(given.datasets // 10, given.processes // 10, given.columns, given.runs)
    whole = measure(given.datasets, given.processes, given.columns, given.runs)
    store = "postgresql" if os.environ.get("DATA_PLATFORM_TEST_POSTGRES_URL") else "sqlite"
    growth = {key: round(whole[key] / tenth[key], 2) for key in ("p50_ms", "p95_ms")}
    print(json.dumps({"catalog_search": {"store": store, **whole, "a_tenth": tenth, "growth": growth}}, indent=2))


if __name__ == "__main__":
    main()
