"""How many reports of legacy jobs one service takes a second into PostgreSQL, in each form, and whether any is lost.

A report is small: that a version of a dataset of one day is there. ``event`` is what ``register_dataset`` sends,
``batched`` the same as the spool forwards it, ``endpoint`` is Dagster's report endpoint with its body. Clients are
processes on the same machine, and share its processors. Prints JSON.
"""

import argparse
import json
import os
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from catalog_ingest import cpu_seconds, measure, schema, service

from data_platform.catalog import open_catalog
from data_platform.model.access import Role
from data_platform.openlineage.legacy_event import dataset_event, mention

DATASETS = 100
ENDPOINT = "/report_asset_materialization/"


def event(number: int, form: str) -> dict[str, Any]:
    day = date(2025, 1, 1) + timedelta(days=number % 300)
    output = mention(f"ds://legacy/d{number % DATASETS}", version=f"{day}/{form}{number}", rows=number)
    return dataset_event(output, time=datetime.now(UTC))


def report(number: int) -> dict[str, Any]:
    day = date(2025, 1, 1) + timedelta(days=number % 300)
    key = ["legacy", f"d{number % DATASETS}"]
    return {"asset_key": key, "partition": str(day), "data_version": f"r{number}", "metadata": {"rows": number}}


def declare(home: Path) -> Path:
    (home / "policies" / "legacy").mkdir(parents=True)
    days = {"start": "2025-01-01"}
    declared = [{"dataset": f"ds://legacy/d{number}", "partition": days} for number in range(DATASETS)]
    (home / "policies" / "legacy" / "all.yaml").write_text(yaml.safe_dump({"datasets": declared}))
    return home / "policies"


def encoded(documents: list[dict[str, Any]], size: int) -> list[bytes]:
    if size == 1:
        return [json.dumps(document).encode() for document in documents]
    return [json.dumps(documents[start : start + size]).encode() for start in range(0, len(documents), size)]


def run(count: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"load": round(os.getloadavg()[0], 1)}
    total = 0
    with tempfile.TemporaryDirectory() as folder, schema() as url:
        with open_catalog(url) as catalog:
            made = {"actor": "bench", "actor_role": "LOCAL", "now": datetime.now(UTC)}
            _, token = catalog.access.create_token("bench", Role.DATA_OWNER, **made)
        home = Path(folder)
        with service(url, home, DATA_PLATFORM_POLICIES=str(declare(home))) as (address, _, pid):
            forms = (
                ("warm", "/api/v1/lineage", encoded([event(n, "w") for n in range(DATASETS)], 1), 1),
                ("event_1_client", "/api/v1/lineage", encoded([event(n, "a") for n in range(count // 2)], 1), 1),
                ("event_16_clients", "/api/v1/lineage", encoded([event(n, "b") for n in range(count)], 1), 16),
                ("batched", "/api/v1/lineage/batch", encoded([event(n, "c") for n in range(count)], 100), 1),
                ("endpoint_16_clients", ENDPOINT, encoded([report(n) for n in range(count)], 1), 16),
            )
            for name, path, bodies, clients in forms:
                before = cpu_seconds(pid)
                acknowledged, seconds = measure(address, token, path, bodies, clients)
                total += acknowledged
                if name != "warm":
                    figures[f"{name}_per_second"] = round(acknowledged / seconds, 1)
                    figures[f"{name}_cpu_ms"] = round((cpu_seconds(pid) - before) / acknowledged * 1000, 2)
        with open_catalog(url) as catalog:
            arrived = sum(len(catalog.arrivals.names(start)) for start in range(0, total + 5000, 5000))
    return {**figures, "acknowledged": total, "arrived": arrived, "lost": total - arrived, "target_per_second": 500}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=4000)
    print(json.dumps(run(parser.parse_args().count), indent=2))


if __name__ == "__main__":
    main()
