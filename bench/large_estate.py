"""A catalog of 10,000 datasets with a million stage runs, verdicts, records of evidence and run events.

Most rows are made by the database itself, from the datasets or processes and a table of days, so that the estate is
there within some minutes. Chains of evidence have valid MACs.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from catalog_query import column_row, dataset_row, edge_rows, process_row, put
from estate_evidence import add_evidence
from estate_people import add_people
from freshness import DAY, NOW, policies_of
from sqlalchemy import Column, Integer, MetaData, Table, Text, case, cast, insert, literal, select
from sqlalchemy.sql import ClauseElement

from data_platform.catalog.column import PartitionText, UtcTime
from data_platform.catalog.lineage_table import GRAPH_REVISION, LINEAGE_EDGE, PROCESS_RUN, RUN_DATASET, RUN_EVENT
from data_platform.catalog.registry_table import DATASET, DATASET_SCHEMA, DATASET_VERSION, PROCESS
from data_platform.catalog.search import rebuild
from data_platform.catalog.table import CERTIFICATION, CERTIFICATION_HISTORY, RUN, TABLE_SCHEMA, VERDICT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from data_platform.catalog import Catalog
    from data_platform.model.evidence_key import EvidenceKeys
    from data_platform.policies import Policies

DAYS, VERDICT_DAYS, LONG_DAYS = 25, 9, 3_650
STAGES = {
    "bronze": ("G1_RESOLUTION", "G2_IDENTITY", "G3_SCHEMA"), "silver": ("G4_CONTRACT", "G5_PII", "DQ"),
    "gold": ("G3_SCHEMA", "G4_CONTRACT", "G5_PII"), "gold_certified": ("CERTIFICATION",),
}  # fmt: skip
EVENT = (
    '{"eventType": "%s", "eventTime": "2025-06-11T09:00:00Z", "producer": "https://example.net/bench", "schemaURL": '
    '"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent", "run": {"runId": "',
    '"}, "job": {"namespace": "AUTOSYS", "name": "', '"}}',
)  # fmt: skip
"""An OpenLineage event around its run id and the name of its job."""
SLOT = Table(
    "bench_slot", MetaData(), Column("number", Integer, primary_key=True), Column("partition", PartitionText),
    Column("begin", UtcTime), Column("end", UtcTime), Column("run", Text),
)  # fmt: skip
_D, _P, _S = DATASET.c, PROCESS.c, SLOT.c
_IS_LATE, _IS_HELD = _D.dataset_id % 100 == 0, _D.dataset_id % 50 == 1


@dataclass(frozen=True)
class Size:
    datasets: int
    """There are half as many processes, ten times as many edges, and a hundred runs and events for each."""


def build_estate(catalog: Catalog, keys: EvidenceKeys, folder: Path, size: Size) -> Policies:
    """Fills an empty catalog; the policies that it returns are those of its datasets."""
    dice = random.Random(7)  # noqa: S311 - the same estate each time
    names = _register(catalog, size, dice)
    with catalog._database.writing() as connection:
        SLOT.create(connection)
        connection.execute(insert(SLOT), list(_slots()))
        connection.execute(insert(TABLE_SCHEMA), [{"fingerprint": "s", "first_seen_at": NOW}])
        _add_runs(connection)
        _add_pointers(connection)
        _add_lineage_runs(connection)
    _add_long_history(catalog, names[0])
    add_evidence(catalog, keys, names, list(_slots())[-DAYS:])
    add_people(catalog, names)
    with catalog._database.writing() as connection:
        rebuild(connection)
        connection.execute(GRAPH_REVISION.update().values(revision=1))
        SLOT.drop(connection)
    if catalog._database.engine.dialect.name == "postgresql":
        with catalog._database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
    return policies_like(folder, names)


def policies_like(folder: Path, names: list[str]) -> Policies:
    policies = policies_of(folder, len(names))
    teams = ({"urn": f"ds://bank/{name}", "owner_team": f"team{n % 50}"} for n, name in enumerate(names, 1))
    named = (
        replace(one, policy=one.policy.model_copy(update={**team, "tier": f"TIER_{place % 3 + 1}"}))
        for place, (one, team) in enumerate(zip(policies.datasets, teams, strict=True))
    )
    return replace(policies, datasets=tuple(sorted(named, key=lambda one: one.urn)))


def _register(catalog: Catalog, size: Size, dice: random.Random) -> list[str]:
    count = size.datasets
    rows = [dataset_row(number, f"d_{number}") for number in range(1, count + 1)]
    rows = [{**row, "name": f"{row['name']}_{dice.choice('abcdefgh')}"} for row in rows]
    put(catalog, DATASET, ({**row, "full_name": f"ds://bank/{row['name']}"} for row in rows))
    places = ((number, place) for number in range(1, count + 1) for place in range(20))
    put(catalog, DATASET_SCHEMA, (column_row(number, place, dice) for number, place in places))
    put(catalog, PROCESS, (process_row(number, dice) for number in range(1, count // 2 + 1)))
    put(catalog, LINEAGE_EDGE, edge_rows(count, count // 2, 10 * count, dice))
    return [row["name"] for row in rows]


def _slots() -> Iterator[dict[str, Any]]:
    """Days, of which the newest ``DAYS`` have stage runs; processes ran on all of them."""
    for number in range(1, 101):
        back = 100 - number
        begin = NOW - timedelta(days=back, hours=6)
        day = DAY.shifted(-back)
        yield {
            "number": number,
            "partition": day,
            "begin": begin,
            "end": begin + timedelta(minutes=4),
            "run": f"r{day}_",
        }


def _fill(connection: Connection, table: Table, source: Any, order: Any, **values: Any) -> None:
    """INSERT … SELECT: ``values`` are columns of ``source``, or the same value for each row."""
    chosen = [v if isinstance(v, ClauseElement) else literal(v, table.c[name].type) for name, v in values.items()]
    connection.execute(insert(table).from_select(list(values), source.with_only_columns(*chosen).order_by(*order)))


def _of_days(days: int) -> Any:
    return select(_D.dataset_id).select_from(DATASET.join(SLOT, _S.number > 100 - days))


def _add_runs(connection: Connection) -> None:
    for stage in STAGES:
        is_last, source = _S.number == 100, _of_days(DAYS)
        source = source.where(~(is_last & _IS_LATE))
        if stage == "gold_certified":
            source = source.where(~(is_last & _IS_HELD))
        outcome = (
            case((is_last & _IS_HELD, literal("failed")), else_=literal("passed")) if stage == "gold" else "passed"
        )
        _fill(
            connection, RUN, source, (_S.number, _D.dataset_id), run_id=_S.run + _D.name, dataset_urn=_D.full_name,
            stage=stage, partition=_S.partition, outcome=outcome, path=stage, version=_S.number, rows_read=1_000,
            rows_accepted=990 + _D.dataset_id % 10, rows_quarantined=0, rows_dropped=0, started_at=_S.begin,
            finished_at=_S.end, reason="", signatures={}, delivery_id="d", policy_fingerprint="p",
            schema_fingerprint="s", input_versions={}, metadata={}, digest="",
        )  # fmt: skip
    recent = select(RUN.c.id).where(RUN.c.started_at > NOW - timedelta(days=VERDICT_DAYS))
    for stage, gates in STAGES.items():
        for position, gate in enumerate(gates):
            _fill(
                connection, VERDICT, recent.where(RUN.c.stage == stage), (RUN.c.id,), run=RUN.c.id, position=position,
                gate=gate, outcome=RUN.c.outcome, compliance=1.0, reason="", metadata={},
            )  # fmt: skip


def _add_pointers(connection: Connection) -> None:
    pointer = {
        "dataset_urn": _D.full_name, "version": _S.number, "path": "gold", "certified_at": _S.end,
        "run_id": _S.run + _D.name, "partition": _S.partition, "schema_fingerprint": "s", "policy_fingerprint": "p",
        "changed_at": _S.end, "reason": "",
    }  # fmt: skip
    history = _of_days(DAYS).where(~((_S.number == 100) & (_IS_HELD | _IS_LATE)))
    _fill(connection, CERTIFICATION_HISTORY, history, (_S.number, _D.dataset_id), status="CERTIFIED", **pointer)
    last = _of_days(2).where(_S.number == case((_IS_HELD | _IS_LATE, 99), else_=100))
    status = case((_IS_HELD, literal("HELD_AT_PREVIOUS")), else_=literal("CERTIFIED"))
    _fill(connection, CERTIFICATION, last, (_D.dataset_id,), status=status, **pointer)


def _add_lineage_runs(connection: Connection) -> None:
    runs, order = select(_P.process_id).select_from(PROCESS.join(SLOT, _S.number > 0)), (_S.number, _P.process_id)
    uuid = (
        literal("00000000-0000-")
        + cast(1_000 + _S.number, Text)
        + "-8000-"
        + cast(100_000_000_000 + _P.process_id, Text)
    )
    failed = (_P.process_id + _S.number) % 50 == 0
    _fill(
        connection, PROCESS_RUN, runs, order, run_uuid=uuid, process_id=_P.process_id, start_ts=_S.begin, end_ts=_S.end,
        status=case((failed, literal("FAILED")), else_=literal("COMPLETED")), attempt=1, first_event_at=_S.begin,
        last_event_at=_S.end, historical=False, facets_json={}, created_at=_S.end,
    )  # fmt: skip
    for kind, at in (("START", _S.begin), ("COMPLETE", _S.end)):
        payload = literal(EVENT[0] % kind) + uuid + literal(EVENT[1]) + _P.name + literal(EVENT[2])
        _fill(
            connection, RUN_EVENT, runs, order, run_uuid=uuid, process_key=_P.process_key,
            event_type=kind, event_time=at, historical=False, digest=literal(kind) + uuid, payload_json=payload,
            warnings=[], received_at=_S.end,
        )  # fmt: skip
    _fill(connection, RUN_DATASET, runs, order, run_uuid=uuid, dataset_id=_P.process_id, role="OUTPUT", said_at=_S.end)
    versions = runs.where(_S.number > 100 - DAYS)
    _fill(
        connection, DATASET_VERSION, versions, order, dataset_id=_P.process_id, version_tag=cast(_S.number, Text),
        schema_hash="h", row_count=1_000, produced_by_run_id=uuid, produced_at=_S.end, historical=False,
        metadata_json={},
    )  # fmt: skip


def _add_long_history(catalog: Catalog, name: str) -> None:
    """Ten years of gold's row counts of one dataset, with a week's rhythm."""
    dice = random.Random(3)  # noqa: S311
    put(catalog, RUN, (
        {
            "run_id": f"long_{back}", "dataset_urn": f"ds://bank/{name}", "stage": "gold",
            "partition": DAY.shifted(-back), "outcome": "passed", "path": "gold", "version": 1,
            "rows_read": 1_000, "rows_quarantined": 0,
            "rows_accepted": int(10_000 * (1 + back % 7 / 3) * (0.9 + dice.random() / 5)), "rows_dropped": 0,
            "started_at": NOW, "finished_at": NOW, "reason": "", "signatures": {}, "delivery_id": "d",
            "policy_fingerprint": "p", "input_versions": {}, "metadata": {}, "digest": "",
        } for back in range(LONG_DAYS, DAYS - 1, -1)
    ))  # fmt: skip


def names_of(catalog: Catalog) -> list[str]:
    """The names of the datasets in the order of their ids; none in an empty catalog."""
    with catalog._database.reading() as connection:
        return list(connection.execute(select(_D.name).order_by(_D.dataset_id)).scalars())
