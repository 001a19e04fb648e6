"""A schema is kept once, with its columns, however many runs bring it."""

from data_platform.catalog import Catalog
from data_platform.model.schema import Column, Schema
from data_platform_tests.catalog.example import SCHEMA, report


def test_the_schema_of_a_run_comes_back_by_its_fingerprint(catalog: Catalog) -> None:
    catalog.runs.record(report(schema=SCHEMA), [])

    (run,) = catalog.runs.recent()
    assert run.schema_fingerprint == SCHEMA.fingerprint
    assert catalog.runs.schema(run.schema_fingerprint) == SCHEMA


def test_two_runs_may_bring_the_same_schema_in_another_order(catalog: Catalog) -> None:
    turned = Schema.of(reversed(SCHEMA.columns))
    catalog.runs.record(report("run_1", schema=SCHEMA), [])

    catalog.runs.record(report("run_2", schema=turned), [])

    assert {run.schema_fingerprint for run in catalog.runs.recent()} == {SCHEMA.fingerprint}
    assert catalog.runs.schema(turned.fingerprint) == SCHEMA


def test_a_schema_that_changed_is_another(catalog: Catalog) -> None:
    wider = Schema.of([*SCHEMA.columns, Column(name="note")])
    catalog.runs.record(report("run_1", schema=SCHEMA), [])

    catalog.runs.record(report("run_2", schema=wider), [])

    assert [run.schema_fingerprint for run in catalog.runs.recent()] == [wider.fingerprint, SCHEMA.fingerprint]
    assert catalog.runs.schema(wider.fingerprint) == wider


def test_a_table_without_columns_is_not_an_unknown_one(catalog: Catalog) -> None:
    empty = Schema(())
    catalog.runs.record(report(schema=empty), [])

    assert catalog.runs.schema(empty.fingerprint) == empty
    assert catalog.runs.schema(SCHEMA.fingerprint) is None
