"""Pages of datasets and processes show what was reported, newest first; schemas of two versions can be compared."""

from datetime import timedelta

import pytest
from sqlalchemy import insert, update

from data_platform.catalog import Catalog
from data_platform.catalog.cursor import encode
from data_platform.catalog.registry_table import DATASET, SLA
from data_platform.errors import InputError, NotFoundError
from data_platform_tests.catalog.lineage.example import BEGAN, NOW, dataset, event, run_id, schema, send


def versions(catalog: Catalog, *columns: list[tuple[str, str]]) -> None:
    """A version ``v1``, ``v2`` and so on of dataset a for each list of columns, a minute apart."""
    for number, listed in enumerate(columns, 1):
        facets = {"schema": schema(*listed), "version": {"datasetVersion": f"v{number}"}}
        send(catalog, event(minute=number, run=run_id(number), outputs=[dataset("a", **facets)]))


def test_a_page_shows_the_latest_version_with_its_columns(catalog: Catalog) -> None:
    versions(catalog, [("id", "int")], [("id", "long"), ("name", "string")])

    page = catalog.lineage.dataset_page("s3://lake/a")

    assert page.latest is not None
    assert page.latest.tag == "v2"
    assert [(column.name, column.type) for column in page.columns] == [("id", "long"), ("name", "string")]
    assert (page.upstream, page.downstream) == (1, 0)


def test_versions_come_newest_first_page_by_page(catalog: Catalog) -> None:
    versions(catalog, *([[("id", "int")]] * 5))

    tags, cursor = [], None
    for _ in range(3):
        page = catalog.lineage.versions("s3://lake/a", limit=2, cursor=cursor)
        tags += [version.tag for version in page.items]
        cursor = page.cursor
    assert tags == ["v5", "v4", "v3", "v2", "v1"]
    assert cursor is None


def test_a_version_that_only_a_reader_reported_is_last_and_not_the_latest(catalog: Catalog) -> None:
    versions(catalog, [("id", "int")])
    send(catalog, event(run=run_id(8), job="reader", inputs=[dataset("a", version={"datasetVersion": "v9"})]))

    listed = catalog.lineage.versions("s3://lake/a").items
    assert [(version.tag, version.produced_at is None) for version in listed] == [("v1", False), ("v9", True)]
    latest = catalog.lineage.dataset_page("s3://lake/a").latest
    assert latest is not None
    assert latest.tag == "v1"


def test_two_versions_differ_by_what_became_of_each_column(catalog: Catalog) -> None:
    versions(
        catalog,
        [("id", "int"), ("gone", "string"), ("kept", "date"), ("other", "int")],
        [("id", "long"), ("other", "int"), ("kept", "date"), ("new", "string")],
    )

    found = catalog.lineage.schema_diff("s3://lake/a", "v1", "v2")

    assert [(change.kind, change.column, change.before, change.after) for change in found.changes] == [
        ("REMOVED", "gone", "string", None),
        ("ADDED", "new", None, "string"),
        ("RETYPED", "id", "int", "long"),
        ("MOVED", "kept", "2", "3"),
        ("MOVED", "other", "3", "2"),
    ]
    assert catalog.lineage.schema_diff("s3://lake/a", "v1").after == "v2"
    assert catalog.lineage.schema_diff("s3://lake/a", "v1", "v1").changes == ()


def test_a_schema_that_was_never_reported_is_an_error(catalog: Catalog) -> None:
    send(catalog, event(outputs=[dataset("a", version={"datasetVersion": "v1"})]))

    with pytest.raises(NotFoundError, match="has no version 'v2'"):
        catalog.lineage.schema("s3://lake/a", "v2")
    with pytest.raises(NotFoundError, match="no producer has reported the schema"):
        catalog.lineage.schema("s3://lake/a", "v1")


def test_a_tag_that_comes_late_names_the_version_that_waited_for_it(catalog: Catalog) -> None:
    statistics = {"outputFacets": {"outputStatistics": {"rowCount": 7}}}
    send(catalog, event("RUNNING", outputs=[{**dataset("a"), **statistics}]))
    assert [version.tag for version in catalog.lineage.versions("s3://lake/a").items] == [run_id(1)]

    send(catalog, event(minute=1, outputs=[dataset("a", version={"datasetVersion": "v1"})]))

    assert [(version.tag, version.row_count) for version in catalog.lineage.versions("s3://lake/a").items] == [
        ("v1", 7)
    ]


def test_checks_are_counted_by_their_newest_result(catalog: Catalog) -> None:
    def checked(success: bool) -> dict[str, object]:
        return dataset("a", dataQualityAssertions={"assertions": [{"assertion": "unique", "success": success}]})

    send(catalog, event(outputs=[checked(False)]), event(minute=1, run=run_id(2), outputs=[checked(True)]))

    assert catalog.lineage.dataset_page("s3://lake/a").checks == {"PASS": 1}


def test_a_process_shows_its_inputs_outputs_and_runs(catalog: Catalog) -> None:
    for number in (1, 2, 3):
        send(catalog, event(minute=number, run=run_id(number), inputs=[dataset("a")], outputs=[dataset("b")]))

    page = catalog.lineage.process_page("etl/load")

    assert (page.inputs, page.outputs) == (("s3://lake/a",), ("s3://lake/b",))
    assert [run.run_uuid for run in page.runs] == [run_id(3), run_id(2), run_id(1)]
    first = catalog.lineage.process_runs("etl/load", limit=2)
    rest = catalog.lineage.process_runs("etl/load", limit=2, cursor=first.cursor)
    assert [run.run_uuid for run in (*first.items, *rest.items)] == [run_id(3), run_id(2), run_id(1)]
    assert page.process.id == catalog.lineage.process_page(str(page.process.id)).process.id


def test_datasets_past_their_window_come_first(catalog: Catalog) -> None:
    send(catalog, event(outputs=[dataset("late"), dataset("fresh")]), event(run=run_id(2), inputs=[dataset("never")]))
    with catalog._database.writing() as connection:
        connection.execute(insert(SLA).values(sla_id=1, name="hour", sla_window_sec=3600, created_at=NOW))
        connection.execute(insert(SLA).values(sla_id=2, name="month", sla_window_sec=31 * 86400, created_at=NOW))
        connection.execute(update(DATASET).values(default_sla_id=1))
        connection.execute(update(DATASET).where(DATASET.c.name == "fresh").values(default_sla_id=2))

    states = catalog.lineage.sla_states(now=BEGAN + timedelta(hours=3))

    assert [(state.dataset, state.met, state.late_seconds) for state in states] == [
        ("s3://lake/never", False, None),
        ("s3://lake/late", False, 7200.0),
        ("s3://lake/fresh", True, 10800.0 - 31 * 86400),
    ]
    assert len(catalog.lineage.sla_states(now=NOW, late_only=True)) == 2


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(("2026-01-01T00:00:00+00:00", 2**63), id="a key that no column holds"),
        pytest.param(("2026-01-01T00:00:00", 1), id="a moment without a zone"),
        pytest.param(("0001-01-01T00:00:00+10:00", 1), id="a moment before there were any"),
        pytest.param(("soon", 1), id="no moment"),
        pytest.param((1, 1), id="another listing's"),
    ],
)
def test_an_invalid_cursor_is_rejected_by_field_name(catalog: Catalog, key: tuple[object, ...]) -> None:
    versions(catalog, [("id", "int")])

    with pytest.raises(InputError) as refusal:
        catalog.lineage.versions("s3://lake/a", cursor=encode(*key))
    assert refusal.value.field == "cursor"
