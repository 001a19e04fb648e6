"""What it costs to advance one pointer, and those of a publish group, beside one commit of the same rows.

One pointer is the transaction of a certification: pointer, history, report, verdict, evidence, lineage events. A group
is everything that the last member's run does: the leases of all members, their states, the same records for each, and
their views. ``transaction`` is the part of it in which readers wait for nothing and writers wait. The other side
inserts as many rows, with the same columns and values, into tables without indexes, in one transaction of the same
database. Milliseconds, median and 95th percentile, on SQLite and on PostgreSQL, if a server is named. Prints JSON.
"""

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import yaml
from sqlalchemy import Column, MetaData, Table, func, insert, select
from store import SERVER, own_schema, sqlite

from data_platform.catalog.database import Database
from data_platform.catalog.evidence_table import EVIDENCE
from data_platform.catalog.publication_table import PUBLICATION, PUBLICATION_MEMBER
from data_platform.catalog.table import CERTIFICATION_HISTORY, RULE_RESULT, RUN, VERDICT
from data_platform.installation import Platform
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.evidence import Evidence
from data_platform.model.partition_key import PartitionKey
from data_platform.model.publication import Candidate
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.schema import Column as SchemaColumn
from data_platform.model.schema import Schema
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.policies import Dataset
from data_platform.settings import read_settings
from data_platform.stage.event_emitter import later_events_of
from data_platform.stage.group import rule_of
from data_platform.stage.group_publication import publish_group

POINTER_TARGET_MS, GROUP_TARGET_MS = 50, 200
SCHEMA = Schema.of([SchemaColumn(name=f"column_{n}", type="string", nullable=True) for n in range(20)])
TABLES = (RUN, VERDICT, RULE_RESULT, EVIDENCE, CERTIFICATION_HISTORY, PUBLICATION, PUBLICATION_MEMBER)
RESULT = RuleResult(rule="pointer", signature="CERTIFIED", outcome=Outcome.PASSED, severity=Severity.BLOCK, rows=None)


class Log:
    """A gold table that nobody rolls back."""

    def history_since(self, version: int) -> list[Any]:  # noqa: ARG002
        return []


class WithoutSpark(Platform):
    def table(self, dataset: Dataset, stage: Stage, spark: Any = None) -> Any:  # noqa: ARG002
        return Log()


@contextmanager
def opened(url: str, members: int) -> Iterator[WithoutSpark]:
    """A group of ``members`` datasets, and one that is published alone."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        names = [f"dataset_{number:03}" for number in range(members)]
        for name in [*names, "alone"]:
            declare(home / "policies" / "datasets" / "bench" / name, name)
        (home / "policies" / "groups").mkdir()
        group = {"name": "everything", "owner_team": "bench", "members": names}
        (home / "policies" / "groups" / "everything.yaml").write_text(yaml.safe_dump(group))
        settings = {"DATA_PLATFORM_HOME": folder, "DATA_PLATFORM_POLICIES": f"{folder}/policies"}
        platform = WithoutSpark(read_settings({**settings, "DATA_PLATFORM_CATALOG_URL": url}))
        try:
            yield platform
        finally:
            platform.close()


def declare(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    policy = {
        "urn": f"ds://bench/{name}", "owner_team": "bench", "tier": "TIER_2",
        "storage": {"gold": f"bench://gold/{name}"}, "partition": {"key": "day", "start": date(2020, 1, 1)},
        "source": {"format": "csv", "path": f"{name}/{{partition}}", "producer": "bench"},
    }  # fmt: skip
    columns = [{"field": column.name, "type": "STRING"} for column in SCHEMA.columns]
    bundle = {"schema": {"constraints": columns}, "contract": {"unique": ["column_0"]}}
    (folder / "dataset.yaml").write_text(yaml.safe_dump(policy))
    (folder / "policy_bundle.yaml").write_text(yaml.safe_dump(bundle))


def advance_one(platform: Platform, version: int, day: PartitionKey) -> float:
    """Seconds of one certification's transaction."""
    dataset, now, run_id = platform.policies.dataset("alone"), datetime.now(UTC), f"run_20260101_a{version:011x}"
    verdict = Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.PASSED, results=(RESULT,))
    path = platform.path(dataset, Stage.GOLD)
    report = StageReport(
        dataset=dataset.id, stage=Stage.CERTIFIED, partition=day, run_id=run_id, path=path, version=version,
        rows=RowCounts(read=1, accepted=1), verdicts=(verdict,), started_at=now, finished_at=now, schema=SCHEMA,
    )  # fmt: skip
    evidence = Evidence(
        dataset_urn=dataset.urn, run_id=run_id, gate="CERTIFICATION", result="CERTIFIED", timestamp=now,
        certified_view_status="CERTIFIED", stage=Stage.CERTIFIED.value, partition=day,
    )  # fmt: skip
    pointer = Certification(
        dataset_urn=dataset.urn, status=CertificationStatus.CERTIFIED, version=version, path=path, certified_at=now,
        run_id=run_id, partition=day, schema_fingerprint=SCHEMA.fingerprint,
    )  # fmt: skip
    events = later_events_of(platform, dataset, report)
    began = time.perf_counter()
    platform.catalog.certifications.certify(
        pointer, expected=version - 1 if version else None, evidence=[evidence], report=report, events=events
    )
    return time.perf_counter() - began


def advance_group(platform: Platform, version: int, day: PartitionKey) -> tuple[float, float]:
    """Seconds of a publication, and of its transaction; that its members pass is not measured."""
    group, now = platform.policies.group("everything"), datetime.now(UTC)
    for number, urn in enumerate(group.members):
        dataset = platform.policies.dataset(urn)
        rule = rule_of(platform, dataset)
        if rule is None:
            raise SystemExit(f"{urn} is in no group")
        candidate = Candidate(
            dataset_urn=urn, group=group.name, partition=day, run_id=f"run_20260101_{number:04x}{version:08x}",
            path=platform.path(dataset, Stage.GOLD), version=version, base=version - 1 if version else None,
            slices=(day,), rows=1, schema_fingerprint=SCHEMA.fingerprint, policy_fingerprint=dataset.fingerprint,
            judged_under=dataset.judged_under, delivery_id="", started_at=now, ready_at=now,
        )  # fmt: skip
        platform.catalog.publications.add(candidate, rule, SCHEMA, ())
    steps: dict[str, float] = {}
    platform.on_step = lambda step, _details: steps.setdefault(step, time.perf_counter())
    began = time.perf_counter()
    reports = publish_group(platform, platform.policies.dataset(group.members[-1]), f"run_20260101_{version:012x}")
    took = time.perf_counter() - began
    if len(reports) != len(group.members):
        raise SystemExit(f"{len(reports)} of {len(group.members)} members were published")
    return took, steps["publish"] - steps["prepared"]


def raw_commit(database: Database, rows: dict[Table, list[dict[str, Any]]]) -> Callable[[], float]:
    """Inserts the same rows into tables without keys and indexes, in one transaction; returns the seconds."""
    metadata = MetaData()
    copies = {
        table: Table(f"raw_{table.name}", metadata, *(Column(c.name, c.type) for c in table.columns)) for table in rows
    }
    with database.writing() as connection:
        metadata.drop_all(connection)
        metadata.create_all(connection)

    def commit() -> float:
        began = time.perf_counter()
        with database.writing() as connection:
            for table, copied in copies.items():
                if rows[table]:
                    connection.execute(insert(copied), rows[table])
        return time.perf_counter() - began

    return commit


def rows_written(database: Database, write: Callable[[], object]) -> dict[Table, list[dict[str, Any]]]:
    """The rows that ``write`` adds to each table."""
    with database.reading() as connection:
        before = {table: connection.execute(select(func.count()).select_from(table)).scalar_one() for table in TABLES}
    write()
    added = {}
    with database.reading() as connection:
        for table in TABLES:
            order = [column.desc() for column in table.primary_key.columns]
            count = connection.execute(select(func.count()).select_from(table)).scalar_one() - before[table]
            found = connection.execute(select(table).order_by(*order).limit(count)).mappings()
            added[table] = [dict(row) for row in found]
    return added


def figures(took: list[float]) -> dict[str, float]:
    return {"p50_ms": round(median(took) * 1000, 2), "p95_ms": round(quantiles(took, n=20)[-1] * 1000, 2)}


def measured(url: str, members: int, rounds: int) -> dict[str, Any]:
    days = [PartitionKey.of_value(date(2020, 1, 1) + timedelta(days=number)) for number in range(rounds + 2)]
    with opened(url, members) as platform:
        database = platform.catalog._database
        own = rows_written(database, lambda: advance_one(platform, 0, days[0]))
        shared = rows_written(database, lambda: advance_group(platform, 0, days[0]))
        raw_one, raw_group = raw_commit(database, own), raw_commit(database, shared)
        one, whole, transaction, raw = list[float](), list[float](), list[float](), (list[float](), list[float]())
        for version in range(1, rounds + 1):  # the sides take turns
            one.append(advance_one(platform, version, days[version]))
            raw[0].append(raw_one())
            took = advance_group(platform, version, days[version])
            whole.append(took[0])
            transaction.append(took[1])
            raw[1].append(raw_group())
    return {
        "one_pointer": figures(one),
        "one_raw_commit": figures(raw[0]),
        "one_ratio": round(median(one) / median(raw[0]), 1),
        "group": figures(whole),
        "group_transaction": figures(transaction),
        "group_raw_commit": figures(raw[1]),
        "group_ratio": round(median(whole) / median(raw[1]), 1),
        "group_rows": sum(len(rows) for rows in shared.values()),
        "within_target": figures(one)["p95_ms"] < POINTER_TARGET_MS and figures(whole)["p95_ms"] < GROUP_TARGET_MS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--members", type=int, default=20, help="members of the group")
    parser.add_argument("--rounds", type=int, default=100, help="publications to measure")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    found: dict[str, Any] = {
        "members": given.members,
        "rounds": given.rounds,
        "targets_ms": {"one_pointer_p95": POINTER_TARGET_MS, "group_p95": GROUP_TARGET_MS},
    }
    with sqlite() as url:
        found["sqlite"] = measured(url, given.members, given.rounds)
    if SERVER:
        with own_schema(SERVER) as url:
            found["postgresql"] = measured(url, given.members, given.rounds)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
