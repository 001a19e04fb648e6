"""A table of a real PostgreSQL is read through bronze to the certified view."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from data_platform.errors import SourceError, SourceUnavailableError
from data_platform.installation import Platform
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.delivered_content import CONTENT_DIGEST
from data_platform.model.jdbc_source import JdbcSource
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.run import StageReport
from data_platform.onboarding.proposal.proposed_policy import Owner
from data_platform.onboarding.request import Request
from data_platform.onboarding.steps import Steps
from data_platform.onboarding.table_place import TableRequest
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.flows.source_table import (
    PASSWORD,
    TRADES,
    URL,
    WHY,
    SourceSchema,
    bronze,
    declare_trades,
    source_schema,
)

pytestmark = pytest.mark.skipif(not URL, reason=WHY)

NEXT = DAY.next
SIMPLE = {"id": "INT", "amount": "DECIMAL(10,2)"}
CHANGED = {"id": "INT", "changed_at": "TIMESTAMP"}


class StoppedByTestError(Exception):
    """The process died at a step."""


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Iterator[SourceSchema]:
    monkeypatch.setenv("CORE_PASSWORD", PASSWORD)
    with source_schema() as schema:
        yield schema


def certified(estate: Estate) -> list[dict[str, Any]]:
    return estate.certified_rows("core/trades")


def last_bronze(estate: Estate, day: PartitionKey | None = DAY) -> Any:
    with estate.platform().catalog as catalog:
        return catalog.runs.latest(TRADES, Stage.BRONZE, day)


def at_step(estate: Estate, wanted: str, act: Any) -> Platform:
    """A platform that calls ``act`` once, when bronze has done the step."""
    platform, done = estate.platform(), list[str]()

    def on_step(step: str, details: dict[str, Any]) -> None:
        if step == wanted and details["stage"] == Stage.BRONZE.value and not done:
            done.append(step)
            act()

    platform.on_step = on_step
    return platform


def bronze_ids(estate: Estate) -> dict[int, str]:
    """The day of each row."""
    with closing(estate.platform()) as opened:
        rows = opened.table(opened.policies.dataset("core/trades"), Stage.BRONZE).rows().collect()
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: str(row["_partition"]) for row in rows}


def die() -> None:
    raise StoppedByTestError


def signatures(report: StageReport) -> set[str]:
    return {result.signature for verdict in report.verdicts for result in verdict.results if result.holds}


def test_a_whole_table_is_certified_with_its_count_snapshot_and_checksum(estate: Estate, core: SourceSchema) -> None:
    core.execute(
        "CREATE TABLE trades (id int PRIMARY KEY, amount numeric(10,2))",
        "INSERT INTO trades SELECT g, g * 1.5 FROM generate_series(1, 50) g",
    )
    declare_trades(estate, core.source(split={"column": "id", "parts": 3}), SIMPLE, partition=None)
    meanwhile = at_step(estate, "intent", lambda: core.execute("DELETE FROM trades WHERE id % 2 = 0"))

    reports = estate.run("core/trades", None, meanwhile)

    rows, first = certified(estate), last_bronze(estate, None)
    assert [report.outcome for report in reports] == ["passed"] * 4
    assert (len(rows), rows[0], rows[-1]["amount"]) == (50, {"id": 1, "amount": Decimal("1.50")}, Decimal("75.00"))
    facts = first.metadata["source"]
    assert (facts["count"], facts["parts"], facts["rows"], facts["table"]) == (50, 3, "all", f'"{core.name}".trades')
    assert facts["snapshot"]
    assert PASSWORD.encode() not in b"".join(path.read_bytes() for path in estate.root.rglob("*") if path.is_file())
    with estate.platform().catalog as catalog:
        graph = catalog.lineage.graph(f"{TRADES}/bronze", direction="upstream", depth=2)
    assert f"postgres.{core.name}.trades" in str(graph)


ODD = {
    "id": "INT", "plain": "DECIMAL(38,4)", "day": "DATE", "local": "TIMESTAMP_NTZ", "at": "TIMESTAMP", "code": "STRING",
    "body": "STRING", "tags": "ARRAY<INT>", "raw": "BINARY", "ratio": "DOUBLE", "Mixed_Case": "STRING", "ok": "BOOLEAN",
}  # fmt: skip


def test_values_that_spark_would_change_or_refuse_are_kept_or_quarantined(estate: Estate, core: SourceSchema) -> None:
    core.execute(
        "CREATE TABLE trades (id int, plain numeric, day date, local timestamp, at timestamptz, code char(5),"
        ' body jsonb, tags int[], raw bytea, ratio float8, "Mixed Case" text, ok bool)',
        "INSERT INTO trades VALUES (1, 12345678901234567890.1234, '0001-01-01', '2025-01-06 01:02:03.123456',"
        " '2025-01-06 01:00:00+02', 'ab', '{\"a\": [1, 2]}', '{1,2,NULL}', '\\x00ff', 1.5, 'O''Hara \"x\"', true)",
        "INSERT INTO trades (id, ratio) VALUES (2, 2.5), (3, 'NaN')",
        "INSERT INTO trades (id, plain) VALUES (4, 'NaN'), (5, 0.00001)",
        "INSERT INTO trades (id, day) VALUES (6, 'infinity'), (7, '0044-03-15 BC')",
        "INSERT INTO trades (id, local) VALUES (8, '-infinity')",
        "INSERT INTO trades (id, at) VALUES (9, 'infinity')",
    )
    columns = [{"field": name, "type": kind} for name, kind in ODD.items()]
    bundle = {"schema": {"constraints": columns}, "contract_lite": {"min_compliance": 0.1}}
    estate.declare(TRADES, bundle, source=core.source())

    silver = estate.run("core/trades", None)[1]

    whole, empty = certified(estate)
    assert (silver.rows.read, silver.rows.quarantined) == (9, 7)
    assert whole == {
        "id": 1, "plain": Decimal("12345678901234567890.1234"), "day": date(1, 1, 1),
        "local": datetime(2025, 1, 6, 1, 2, 3, 123456), "at": datetime(2025, 1, 5, 23, 0), "code": "ab",
        "body": '{"a": [1, 2]}', "tags": [1, 2, None], "raw": bytearray(b"\x00\xff"), "ratio": 1.5,
        "Mixed_Case": 'O\'Hara "x"', "ok": True,
    }  # fmt: skip
    assert (empty["id"], empty["ratio"]) == (2, 2.5)


def test_a_table_whose_column_is_dropped_or_retyped_is_held(estate: Estate, core: SourceSchema) -> None:
    core.execute("CREATE TABLE trades (id int, amount text)", "INSERT INTO trades VALUES (1, 'x')")
    declare_trades(estate, core.source(), SIMPLE, partition=None)

    retyped = bronze(estate)
    core.execute("ALTER TABLE trades DROP COLUMN amount")
    dropped = bronze(estate)

    assert signatures(retyped) == {"SCHEMA_BREAK:amount:DECIMAL→STRING"}
    assert signatures(dropped) == {"SCHEMA_BREAK:amount:REMOVED"}


def test_each_change_is_read_once_though_a_run_dies_and_rows_arrive_meanwhile(
    estate: Estate, core: SourceSchema
) -> None:
    core.execute(
        "CREATE TABLE trades (id int, changed_at timestamptz)",
        "INSERT INTO trades SELECT g, '2025-01-06 10:00+00'::timestamptz + g * '1 microsecond'::interval"
        " FROM generate_series(1, 5) g",
    )
    declare_trades(estate, core.source(rows="changes", watermark="changed_at"), CHANGED)
    with pytest.raises(StoppedByTestError):
        bronze(estate, DAY, at_step(estate, "commit", die))
    core.execute("INSERT INTO trades VALUES (6, '2025-01-06 11:00+00')")

    with pytest.raises(SourceError, match=f"bronze of {DAY} has not passed: run {DAY} first"):
        bronze(estate, NEXT)
    bronze(estate, DAY)
    bronze(estate, NEXT)
    core.execute("INSERT INTO trades VALUES (7, '2025-01-06 12:00+00')")
    bronze(estate, DAY)
    again = bronze(estate, NEXT)

    assert again.verdicts[0].metadata[CONTENT_DIGEST]
    assert bronze_ids(estate) == {**dict.fromkeys(range(1, 6), str(DAY)), 6: str(NEXT)}
    with pytest.raises(SourceError, match="in the order of its days"):
        bronze(estate, DAY.previous)


def test_an_empty_interval_is_opened_anew_and_a_row_without_a_watermark_holds_the_day(
    estate: Estate, core: SourceSchema
) -> None:
    core.execute("CREATE TABLE trades (id int, changed_at timestamptz)")
    declare_trades(estate, core.source(rows="changes", watermark="changed_at"), CHANGED)

    assert bronze(estate, DAY).rows.read == 0
    core.execute("INSERT INTO trades VALUES (1, '2025-01-06 10:00+00'), (2, NULL)")
    held = bronze(estate, DAY)
    core.execute("UPDATE trades SET changed_at = '2025-01-06 09:00+00' WHERE id = 2")

    assert signatures(held) == {"NULL_WATERMARK:changed_at"}
    assert bronze(estate, DAY).rows.accepted == 2


def test_a_table_is_onboarded_with_the_types_of_the_database(estate: Estate, core: SourceSchema) -> None:
    core.execute(
        "CREATE TABLE trades (id int, amount numeric(12,2), day date, state text)",
        "INSERT INTO trades SELECT g, g * 1.5, date '2025-01-01' + g % 9, "
        "CASE WHEN g % 2 = 0 THEN 'NEW' ELSE 'PAID' END"
        " FROM generate_series(1, 200) g",
        "INSERT INTO trades VALUES (201, 'NaN', 'infinity', 'NEW')",
    )
    table = TableRequest(table=f'"{core.name}".trades', user=core.reader, password_from="CORE_PASSWORD")  # noqa: S106
    owner = Owner(dataset=DatasetId.parse(TRADES), team="treasury")
    request = Request(path=core.jdbc_url, owner=owner, table=table)
    with closing(estate.platform()) as platform:
        steps = Steps(platform, request, Actor(name="ann", role="PLATFORM_ADMIN"))
        proposal = steps.propose()
        [tried] = steps.try_last_days(proposal)
        dataset = steps.dataset()

    types = {column.name: column.type for column in dataset.bundle.schema_.declared.columns}
    assert (proposal["rows"], proposal["columns"]) == (201, 4)
    assert types == {"id": "int", "amount": "decimal(12,2)", "day": "date", "state": "string"}
    assert dataset.policy.source == JdbcSource.model_validate({**core.source(), "producer": "treasury"})
    assert (tried["read"], tried["accepted"], tried["rejected"], tried["certified"]) == (201, 200, 1, True), tried
    assert PASSWORD not in str(proposal)


def test_a_connection_that_is_cut_off_midway_writes_nothing_and_a_rerun_helps(
    estate: Estate, core: SourceSchema
) -> None:
    core.execute("CREATE TABLE trades (id int, amount numeric(10,2))", "INSERT INTO trades VALUES (1, 1)")
    declare_trades(estate, core.source(), SIMPLE, partition=None)
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{core.reader}'"  # noqa: S608

    with pytest.raises(SourceUnavailableError, match="a rerun may help"):
        bronze(estate, platform=at_step(estate, "intent", lambda: core.execute(cut)))

    assert bronze(estate).rows.accepted == 1
