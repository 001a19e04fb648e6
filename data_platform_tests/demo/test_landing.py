"""Good days keep every promise of their policies, and each bad day breaks exactly the declared one."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from data_platform.demo.landing import BAD_DAYS, BadDay, days, land, land_references
from data_platform.ingestion.manifest.document import manifest_problems
from data_platform_tests.demo import delivered
from data_platform_tests.demo.delivered import DAILY, REFERENCES, broken, bundle, delivered_file, folder

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.model.contract import Reference

RETYPED, UNKNOWN_CARRIER, CUT_OFF, BROKEN_ROWS = BAD_DAYS
FLIGHTS = "ops/flights"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that the demo ever lands, the bad days as they are at first."""
    folder = tmp_path_factory.mktemp("landing")
    land_references(folder)
    for day in days():
        land(folder, day)
    for bad in BAD_DAYS:
        bad.land(folder)
    return folder


def slices() -> list[tuple[str, date | None]]:
    """Every delivery that ought to be good; on the bad days that is all but the flights."""
    good = [(name, day) for day in days() for name in DAILY]
    beside = [(name, bad.day) for bad in BAD_DAYS for name in DAILY if name != FLIGHTS]
    return [*good, *beside, *((name, None) for name in REFERENCES)]


good_slices = pytest.mark.parametrize(("name", "day"), slices(), ids=lambda value: str(value or "whole"))
bad_days = pytest.mark.parametrize("bad", BAD_DAYS, ids=lambda bad: bad.title)


@good_slices
def test_a_good_delivery_has_the_declared_columns_and_no_others(root: Path, name: str, day: date | None) -> None:
    assert delivered.columns(root, name, day) == bundle(name).schema_.declared.names


@good_slices
def test_a_good_delivery_matches_its_manifest(root: Path, name: str, day: date | None) -> None:
    manifest = delivered.manifest(root, name, day)
    records = delivered.records(root, name, day)

    assert manifest_problems(manifest, folder(root, name, day)) == ()
    assert manifest.record_count == len(records)
    for column, said in manifest.control_totals.items():
        assert sum(Decimal(record[column] or 0) for record in records) == Decimal(said)


@good_slices
def test_a_delivery_is_of_the_producer_that_its_policy_names(root: Path, name: str, day: date | None) -> None:
    source = delivered.policy(name).source

    assert source is not None
    assert source.producer == delivered.manifest(root, name, day).producer


@good_slices
def test_the_rows_of_a_good_delivery_keep_every_promise(root: Path, name: str, day: date | None) -> None:
    rows = delivered.rows(root, name, day)

    assert broken(name, rows) == {}
    assert unreferenced(root, name, rows) == {}
    assert len(rows) >= bundle(name).dq.min_rows


@good_slices
def test_a_good_delivery_lies_within_its_metrics(root: Path, name: str, day: date | None) -> None:
    rows = delivered.rows(root, name, day)

    for metric in bundle(name).dq.metrics:
        values = [row[metric.field] for row in rows if row[metric.field] is not None]
        assert metric.max_null_rate is None or 1 - len(values) / len(rows) <= metric.max_null_rate
        assert metric.min_mean is None or sum(values) / len(values) >= metric.min_mean
        assert metric.max_mean is None or sum(values) / len(values) <= metric.max_mean
        assert metric.min_distinct is None or len(set(values)) >= metric.min_distinct


@pytest.mark.parametrize("name", [name for name in DAILY if name != "ops/weather"])
def test_a_column_of_the_partition_holds_the_day(root: Path, name: str) -> None:
    for day in days():
        assert {row["flight_date"] for row in delivered.rows(root, name, day)} == {str(day)}


def test_days_and_bad_days_follow_each_other() -> None:
    all_days = [*days(), *(bad.day for bad in BAD_DAYS)]

    assert all_days == [date(2013, 1, 1) + timedelta(days=n) for n in range(7)]


@bad_days
def test_a_bad_day_has_a_description(bad: BadDay) -> None:
    assert all(len(text) > 10 for text in (bad.title, bad.what_happened, bad.expected))


@pytest.mark.parametrize("bad", [RETYPED, UNKNOWN_CARRIER, BROKEN_ROWS], ids=lambda bad: bad.title)
def test_the_sender_of_a_bad_day_is_sincere(root: Path, bad: BadDay) -> None:
    manifest = delivered.manifest(root, FLIGHTS, bad.day)
    records = delivered.records(root, FLIGHTS, bad.day)

    assert manifest_problems(manifest, folder(root, FLIGHTS, bad.day)) == ()
    assert manifest.record_count == len(records)
    for column, said in manifest.control_totals.items():
        assert sum(Decimal(record[column]) for record in records if record) == Decimal(said)


def test_a_retyped_distance_is_text_in_every_row_and_all_else_is_right(root: Path) -> None:
    records = delivered.records(root, FLIGHTS, RETYPED.day)
    declared = bundle(FLIGHTS).schema_.declared

    assert all(str(record["distance"]).endswith(" miles") for record in records)
    assert delivered.columns(root, FLIGHTS, RETYPED.day) == declared.names
    assert delivered.manifest(root, FLIGHTS, RETYPED.day).control_totals == {}
    with pytest.raises(ValueError, match="invalid literal for int"):
        delivered.rows(root, FLIGHTS, RETYPED.day)


def test_an_unknown_carrier_breaks_the_reference_and_nothing_else(root: Path) -> None:
    rows = delivered.rows(root, FLIGHTS, UNKNOWN_CARRIER.day)

    assert broken(FLIGHTS, rows) == {}
    assert unreferenced(root, FLIGHTS, rows) == {"carrier": 8}
    assert len(rows) == 720


def test_a_truncated_delivery_is_shorter_than_promised_and_its_last_line_is_incomplete(root: Path) -> None:
    file = delivered_file(root, FLIGHTS, CUT_OFF.day)
    manifest = delivered.manifest(root, FLIGHTS, CUT_OFF.day)

    (signature,) = manifest_problems(manifest, file.parent)
    assert signature.startswith(f"MANIFEST_SIZE:flights.csv:{file.stat().st_size}≠")
    assert delivered.records(root, FLIGHTS, CUT_OFF.day)[-1] == {}
    assert not file.read_bytes().endswith(b"\n")


def test_broken_rows_break_two_rules_and_one_line_is_no_record(root: Path) -> None:
    rows = delivered.rows(root, FLIGHTS, BROKEN_ROWS.day)
    records = delivered.records(root, FLIGHTS, BROKEN_ROWS.day)

    assert broken(FLIGHTS, rows) == {"distance_is_positive": 12, "departure_delay_is_possible": 3}
    assert unreferenced(root, FLIGHTS, rows) == {}
    assert len(records) - len(rows) == 1
    assert 1 - 16 / len(records) >= bundle(FLIGHTS).contract_lite.min_compliance


@bad_days
def test_landing_a_bad_day_again_repairs_it(bad: BadDay, tmp_path: Path) -> None:
    land_references(tmp_path)
    bad.land(tmp_path)

    land(tmp_path, bad.day)

    rows = delivered.rows(tmp_path, FLIGHTS, bad.day)
    manifest = delivered.manifest(tmp_path, FLIGHTS, bad.day)
    assert manifest_problems(manifest, folder(tmp_path, FLIGHTS, bad.day)) == ()
    assert manifest.record_count == len(rows)
    assert broken(FLIGHTS, rows) == {}
    assert unreferenced(tmp_path, FLIGHTS, rows) == {}


def test_landing_twice_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    land_references(tmp_path)
    for day in days():
        land(tmp_path, day)
    for bad in BAD_DAYS:
        bad.land(tmp_path)

    assert content(tmp_path) == content(root)


def test_nothing_but_deliveries_and_manifests_is_left_behind(root: Path) -> None:
    names = {path.name for path in root.rglob("*") if path.is_file()}

    assert names == {
        "airlines.csv",
        "airports.jsonl",
        "bookings.csv",
        "flights.csv",
        "manifest.json",
        "planes.parquet",
        "weather.csv",
    }


def unreferenced(root: Path, name: str, rows: delivered.Rows) -> dict[str, int]:
    """Fields of a reference to the number of rows whose key is not in the landed target."""

    def missing(reference: Reference) -> int:
        target = delivered.rows(root, reference.dataset.removeprefix("ds://"))
        keys = {tuple(row[field] for field in reference.target) for row in target}
        return sum(tuple(row[field] for field in reference.fields) not in keys for row in rows)

    counts = {",".join(item.fields): missing(item) for item in bundle(name).contract.references}
    return {fields: count for fields, count in counts.items() if count}


def content(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
