"""Evidence keeps its order and every field, and cannot be changed afterwards."""

from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy.exc import DBAPIError

from data_platform.catalog import Catalog
from data_platform.catalog.database import open_database
from data_platform.errors import UsageError
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, certification, evidence, report


def test_evidence_is_returned_as_recorded(catalog: Catalog) -> None:
    said = evidence(
        gate="G3_SCHEMA",
        result="FAIL",
        failure_signature="SCHEMA_BREAK:order_total:DECIMAL→STRING",
        quarantine_table="quarantine.orders_20260215_run_abc123",
        certified_view_status="HELD_AT_PREVIOUS",
        previous_certified_version="v42",
        stage="gold",
        partition=DAY,
    )

    catalog.runs.record(report(), [said])

    assert catalog.evidence.find() == (said,)


def test_evidence_is_listed_newest_first_in_recorded_order(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1"), [evidence("run_1", gate="G3_SCHEMA"), evidence("run_1", gate="DQ")])
    catalog.runs.record(report("run_2"), [evidence("run_2", timestamp=NOW - timedelta(days=1))])

    assert [(e.run_id, e.gate) for e in catalog.evidence.find()] == [
        ("run_2", "DQ"),
        ("run_1", "DQ"),
        ("run_1", "G3_SCHEMA"),
    ]
    assert len(catalog.evidence.find(limit=2)) == 2


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        pytest.param({"urn": ORDERS}, ["run_2", "run_1"], id="by dataset"),
        pytest.param({"run_id": "run_1"}, ["run_1"], id="by run"),
        pytest.param({"gate": "G5_PII"}, ["run_3"], id="by gate"),
        pytest.param({"result": "FAIL"}, ["run_2"], id="by result"),
        pytest.param({"urn": ORDERS, "gate": "G5_PII"}, [], id="by both"),
    ],
)
def test_evidence_is_found(catalog: Catalog, wanted: dict[str, str], found: list[str]) -> None:
    said = [
        evidence("run_1"),
        evidence("run_2", result="FAIL"),
        evidence("run_3", gate="G5_PII", dataset_urn="ds://curated/items"),
    ]
    catalog.runs.record(report(), said)

    assert [e.run_id for e in catalog.evidence.find(**wanted)] == found  # type: ignore[arg-type]


def test_times_of_any_zone_are_returned_in_utc(catalog: Catalog) -> None:
    said = NOW.astimezone(timezone(timedelta(hours=-5)))

    catalog.runs.record(report(), [evidence(timestamp=said)])

    found = catalog.evidence.find()[0].timestamp
    assert found == NOW
    assert found.utcoffset() == timedelta(0)


def test_a_time_without_a_zone_is_refused(catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="a time without a zone"):
        catalog.runs.record(report(), [evidence(timestamp=datetime(2026, 2, 15))])
    assert catalog.runs.recent() == ()


@pytest.mark.parametrize("table", ["evidence", "certification_history"])
@pytest.mark.parametrize(
    "change",
    [
        pytest.param("UPDATE {table} SET run_id = 'other'", id="update"),
        pytest.param("DELETE FROM {table}", id="delete"),
    ],
)
def test_the_database_itself_refuses_changes(catalog: Catalog, catalog_url: str, table: str, change: str) -> None:
    catalog.certifications.certify(certification(1), expected=None, evidence=[evidence()])
    database = open_database(catalog_url)

    with pytest.raises(DBAPIError, match=f"{table} is append-only"), database.engine.begin() as connection:
        connection.exec_driver_sql(change.format(table=table))
    database.close()
    assert catalog.evidence.find() == (evidence(),)
    assert catalog.certifications.history(ORDERS) == (certification(1),)


def test_replacing_a_row_is_a_change_too(catalog: Catalog, catalog_url: str) -> None:
    catalog.runs.record(report(), [evidence()])
    database = open_database(catalog_url)
    replace = (
        "INSERT OR REPLACE INTO evidence SELECT * FROM evidence"
        if database.engine.dialect.name == "sqlite"
        else "TRUNCATE evidence"
    )

    with pytest.raises(DBAPIError, match="evidence is append-only"), database.engine.begin() as connection:
        connection.exec_driver_sql(replace)
    database.close()
    assert catalog.evidence.find() == (evidence(),)
