"""The time to explain an incident on an estate of many datasets, as a ratio to reading its lineage alone.

    python bench/root_cause.py --datasets 10000 --events 1000000

The catalog is a SQLite file: each dataset is derived from up to three others in twenty layers, with the columns of each
and a week of judged stages; jobs have one run and two events for each day, and the oldest fill up to ``--events``.
Incidents are about datasets of the last layers, so that their upstream is large. Prints JSON: seconds are of the
processor, of a process that has the graph in memory, as the service has, and of one that reads it first, as a command.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import insert

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.deployment_table import DEPLOYMENT
from data_platform.catalog.lineage.graph_source import Graphs
from data_platform.catalog.lineage_table import COLUMN_EDGE, GRAPH_REVISION, LINEAGE_EDGE, PROCESS_RUN, RUN_EVENT
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.table import RUN
from data_platform.model.incident_event import SignalGroup
from data_platform.model.partition_key import PartitionKey
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.signals.root_cause.gather import explain_incident

NOW = datetime(2026, 2, 11, 6, 0, tzinfo=UTC)
DAY = PartitionKey("2026-02-10")
LAYERS, COLUMNS, DAYS, CHUNK = 20, 6, 8, 20_000
STAGES = ("silver", "gold", "gold_certified")


class Estate:
    def __init__(self, count: int) -> None:
        rng = Random(7)  # noqa: S311 - a measurement has to be repeatable
        layer = max(1, count // LAYERS)
        self.names = [f"d{number}" for number in range(count)]
        self.inputs = [
            sorted({rng.randrange(max(0, n - 2 * layer), n - n % layer) for _ in range(3)}) if n >= layer else []
            for n in range(count)
        ]


def fill(catalog: Catalog, estate: Estate, events: int) -> None:
    tables: list[tuple[Any, Iterator[dict[str, Any]]]] = [
        (DATASET, _datasets(estate)), (PROCESS, _processes(estate)), (LINEAGE_EDGE, _edges(estate)),
        (COLUMN_EDGE, _columns(estate)), (RUN, _stages(estate)), (PROCESS_RUN, _jobs(estate, events // 2)),
        (RUN_EVENT, _events(estate, events)), (DEPLOYMENT, _deployments(estate)),
    ]  # fmt: skip
    with catalog._database.writing() as connection:
        for table, rows in tables:
            chunk: list[dict[str, Any]] = []
            for row in rows:
                chunk.append(row)
                if len(chunk) == CHUNK:
                    connection.execute(insert(table), chunk)
                    chunk = []
            if chunk:
                connection.execute(insert(table), chunk)
        connection.execute(GRAPH_REVISION.update().values(revision=GRAPH_REVISION.c.revision + 1))


def _datasets(estate: Estate) -> Iterator[dict[str, Any]]:
    for number, name in enumerate(estate.names):
        yield {
            "dataset_id": number + 1, "namespace": "ds://big", "name": name, "full_name": f"ds://big/{name}",
            "description": "", "tags": [], "status": "ACTIVE", "created_by": "bench", "created_at": NOW,
            "updated_at": NOW,
        }  # fmt: skip


def _processes(estate: Estate) -> Iterator[dict[str, Any]]:
    for number, name in enumerate(estate.names):
        yield {
            "process_id": number + 1, "process_key": f"AUTOSYS/{name}", "namespace": "AUTOSYS", "name": name,
            "description": "", "trigger_mode": "PROCESS", "created_at": NOW, "updated_at": NOW,
        }  # fmt: skip


def _edges(estate: Estate) -> Iterator[dict[str, Any]]:
    for number, inputs in enumerate(estate.inputs):
        own = {"transform_meta": {}, "created_at": NOW}
        yield {
            **own, "source_type": "PROCESS", "source_id": number + 1, "target_type": "DATASET", "target_id": number + 1,
            "edge_role": "PRODUCES",
        }  # fmt: skip
        for one in inputs:
            yield {
                **own, "source_type": "DATASET", "source_id": one + 1, "target_type": "PROCESS",
                "target_id": number + 1, "edge_role": "CONSUMES",
            }  # fmt: skip


def _columns(estate: Estate) -> Iterator[dict[str, Any]]:
    for number, inputs in enumerate(estate.inputs):
        for column in range(COLUMNS if inputs else 0):
            yield {
                "source_dataset_id": inputs[column % len(inputs)] + 1, "source_column": f"c{column}",
                "target_dataset_id": number + 1, "target_column": f"c{column}", "process_id": number + 1,
                "created_at": NOW,
            }  # fmt: skip


def _stages(estate: Estate) -> Iterator[dict[str, Any]]:
    for back in range(DAYS):
        day, at = DAY.shifted(-back), NOW - timedelta(days=back, hours=3)
        for number, inputs in enumerate(estate.inputs):
            for stage in STAGES if inputs else ("bronze", *STAGES):
                reads = {f"ds://big/{estate.names[one]}": 100 - back for one in inputs} if stage == "silver" else {}
                yield {
                    "run_id": f"run_{day}_{number}", "dataset_urn": f"ds://big/{estate.names[number]}", "stage": stage,
                    "partition": day, "outcome": "passed", "path": stage, "version": 100 - back, "rows_read": 100,
                    "rows_accepted": 100, "rows_quarantined": 0, "rows_dropped": 0, "started_at": at,
                    "finished_at": at + timedelta(minutes=3), "reason": "", "signatures": {}, "delivery_id": "",
                    "policy_fingerprint": "p", "input_versions": reads, "metadata": {"judged_under": "j"},
                    "digest": "",
                }  # fmt: skip


def _jobs(estate: Estate, count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        at = NOW - timedelta(days=number // len(estate.names), hours=3)
        yield {
            "run_uuid": f"{number:036d}", "process_id": number % len(estate.names) + 1, "start_ts": at,
            "end_ts": at + timedelta(minutes=3), "status": "COMPLETED", "attempt": 1, "first_event_at": at,
            "last_event_at": at, "historical": False, "facets_json": {}, "created_at": at,
        }  # fmt: skip


def _events(estate: Estate, count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        name = estate.names[number // 2 % len(estate.names)]
        yield {
            "run_uuid": f"{number // 2:036d}", "process_key": f"AUTOSYS/{name}", "event_type": "START",
            "event_time": NOW, "historical": False, "digest": f"{number:064d}", "payload_json": "{}", "warnings": [],
            "received_at": NOW,
        }  # fmt: skip


def _deployments(estate: Estate) -> Iterator[dict[str, Any]]:
    for number, name in enumerate(estate.names[::10]):
        at = NOW - timedelta(hours=number % 300)
        yield {
            "deploy_ref": f"r{number}", "target": f"AUTOSYS/{name}", "deployed_at": at, "deployed_by": "ci",
            "recorded_at": at,
        }  # fmt: skip


def open_incidents(catalog: Catalog, estate: Estate, count: int) -> list[int]:
    """Incidents about one column of datasets of the last layers."""
    groups = []
    for name in estate.names[-count:]:
        finding = Finding(
            kind=SignalKind.CONTRACT, dataset=f"ds://big/{name}", partition=DAY, signature="INVARIANT:c1:positive",
            severity=SignalSeverity.CRITICAL, occurred_at=NOW, reason="it is broken", run_id=f"run_{DAY}_{name[1:]}",
        )  # fmt: skip
        groups.append(SignalGroup(findings=(finding,), dataset=finding.dataset, partition=DAY, title=name))
    findings = [group.root for group in groups]
    revision = catalog.incidents.revision()
    catalog.incidents.reconcile(findings, groups, silenced={}, revision=revision, now=NOW)
    return [one.number for one in catalog.incidents.active()]


def explain_each(catalog: Catalog, numbers: list[int], *, cold: bool) -> list[float]:
    took = []
    for number in numbers:
        if cold:
            catalog.cause_records._graphs = Graphs()
        begin = time.process_time()
        explain_incident(catalog, number, now=NOW)
        took.append(time.process_time() - begin)
    return sorted(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--incidents", type=int, default=40)
    options = parser.parse_args()
    estate = Estate(options.datasets)
    with tempfile.TemporaryDirectory() as folder, open_catalog(f"sqlite:///{Path(folder) / 'catalog.db'}") as catalog:
        fill(catalog, estate, options.events)
        numbers = open_incidents(catalog, estate, options.incidents)
        cold = explain_each(catalog, numbers, cold=True)
        warm = explain_each(catalog, numbers, cold=False)
        begin = time.process_time()
        reached = catalog.lineage.impact(f"ds://big/{estate.names[-1]}", direction="upstream", limit=1).total
        lineage = time.process_time() - begin
    if not len(numbers) == options.incidents == len(warm):
        raise SystemExit(f"{len(numbers)} incidents, expected {options.incidents}")
    at = int(0.95 * (len(warm) - 1))
    print(json.dumps({
        "bench": "root_cause", "datasets": options.datasets, "events": options.events, "upstream_nodes": reached,
        "cpu_seconds_p95": round(warm[at], 3), "cpu_seconds_p50": round(warm[len(warm) // 2], 3),
        "cpu_seconds_p95_with_the_graph": round(cold[at], 3), "ratio_to_lineage": round(warm[at] / lineage, 2),
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
