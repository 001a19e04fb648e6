"""The derived datasets' SQL answers with the declared columns, and with numbers that can be counted by hand."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot
import yaml
from sqlglot import exp

from data_platform.demo.history import flight_rows, plane_rows
from data_platform.demo.landing import days, land, land_references
from data_platform.model.process import Process
from data_platform.model.schema import normal_type
from data_platform_tests.demo import delivered
from data_platform_tests.demo.delivered import DERIVED, POLICIES, broken, bundle, policy

if TYPE_CHECKING:
    from pathlib import Path

DAY = days()[0]
each_process = pytest.mark.parametrize("name", DERIVED)


def process(name: str) -> Process:
    file = POLICIES / "processes" / f"{policy(name).process}.yaml"
    return Process.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("landing")
    land_references(folder)
    land(folder, DAY)
    return folder


def made(root: Path, name: str) -> list[dict[str, Any]]:
    """The rows of ``name`` for the first day, its inputs as they were landed."""
    found = process(name)
    tables = {}
    for item in found.inputs:
        source = item.dataset.removeprefix("ds://")
        day = DAY if policy(source).partition else None
        tables[item.view] = (bundle(source).schema_.declared, delivered.rows(root, source, day))
    with closing(delivered.database(tables)) as connection:
        return delivered.run_steps(connection, [(step.name, step.sql) for step in found.steps])


@each_process
def test_a_process_makes_its_dataset_in_at_least_three_steps_of_several_inputs(name: str) -> None:
    found = process(name)

    assert found.output == policy(name).urn
    assert len(found.steps) >= 3
    assert len(found.inputs) >= 3
    assert all(step.description for step in found.steps)


@each_process
def test_a_step_reads_inputs_and_earlier_steps_only(name: str) -> None:
    found = process(name)
    known = {item.view for item in found.inputs}

    for step in found.steps:
        tables = {table.name for table in sqlglot.parse_one(step.sql, dialect="spark").find_all(exp.Table)}
        assert tables
        assert tables <= known
        known.add(step.name)


@each_process
def test_every_input_is_read(name: str) -> None:
    found = process(name)
    queries = [sqlglot.parse_one(step.sql, dialect="spark") for step in found.steps]

    assert {item.view for item in found.inputs} <= {t.name for query in queries for t in query.find_all(exp.Table)}


@each_process
def test_the_last_step_has_exactly_the_declared_columns_and_casts_all_that_is_not_text(name: str) -> None:
    declared = bundle(name).schema_.declared
    query = sqlglot.parse_one(process(name).steps[-1].sql, dialect="spark")
    casts = {
        item.alias: normal_type(item.this.to.sql(dialect="spark"))
        for item in query.selects
        if isinstance(item, exp.Alias) and isinstance(item.this, exp.Cast)
    }

    assert tuple(query.named_selects) == declared.names
    assert casts == {column.name: column.type for column in declared.columns if column.type != "string"}


@each_process
def test_what_a_process_makes_keeps_its_contract(root: Path, name: str) -> None:
    rows = made(root, name)

    assert broken(name, rows) == {}
    assert len(rows) >= bundle(name).dq.min_rows
    assert sum(row["flights"] for row in rows) == len(flight_rows(DAY))


def test_carrier_daily_counts_flights_cancellations_and_miles(root: Path) -> None:
    flights = flight_rows(DAY)
    by_carrier = {row["carrier"]: row for row in made(root, "analytics/carrier_daily")}

    assert {carrier: row["flights"] for carrier, row in by_carrier.items()} == Counter(f["carrier"] for f in flights)
    united = [f for f in flights if f["carrier"] == "UA"]
    row = by_carrier["UA"]
    delays = [int(f["arr_delay"]) for f in united if f["arr_delay"]]
    register = {plane["tailnum"] for plane in plane_rows()}
    assert row["seats_known"] == sum(f["tailnum"] in register for f in united)
    assert row["carrier_name"] == "United Air Lines Inc."
    assert row["cancelled"] == sum(not f["dep_time"] for f in united)
    assert row["miles_flown"] == sum(int(f["distance"]) for f in united if f["dep_time"])
    assert row["avg_arr_delay"] == pytest.approx(sum(delays) / len(delays), abs=0.005)
    assert row["on_time_share"] == pytest.approx(sum(d < 15 for d in delays) / len(united), abs=0.00005)


def test_airport_hour_has_the_weather_of_the_hour_and_null_where_there_is_none(root: Path) -> None:
    rows = {(row["origin"], row["hour"]): row for row in made(root, "analytics/airport_hour")}
    weather = {(row["origin"], row["hour"]): row for row in delivered.rows(root, "ops/weather", DAY)}

    assert {key for key, row in rows.items() if row["temp"] is None} == rows.keys() - weather.keys()
    assert 0 < len(rows.keys() - weather.keys()) < 5
    assert rows["JFK", 8]["temp"] == weather["JFK", 8]["temp"]
    assert rows["JFK", 8]["airport_name"] == "John F Kennedy Intl"
