"""A change of columns names the datasets that it breaks, at any depth, with their owners."""

from typing import Any

from data_platform.catalog import Catalog
from data_platform_tests.catalog.lineage.example import dataset, event, from_columns, run_id, schema, send


def read(catalog: Catalog, number: int, source: str, target: str, **columns: list[tuple[str, str]]) -> None:
    """A job reads ``source`` and makes ``columns`` of ``target``; without columns nobody knows which."""
    facets: dict[str, Any] = {"columnLineage": from_columns(**columns)} if columns else {}
    facets["ownership"] = {"owners": [{"name": f"team-{target}", "type": "OWNER"}]}
    job = event(run=run_id(number), job=f"job{number}", inputs=[dataset(source)], outputs=[dataset(target, **facets)])
    send(catalog, job)


def test_readers_of_a_changed_column_are_named_at_any_depth_nearest_first(catalog: Catalog) -> None:
    read(catalog, 1, "a", "b", total=[("a", "amount")], day=[("a", "day")])
    read(catalog, 2, "b", "c", revenue=[("b", "total")])
    read(catalog, 3, "c", "d", share=[("c", "revenue")])
    read(catalog, 4, "a", "e", day=[("a", "day")])

    impact = catalog.lineage.victims("s3://lake/a", ["amount"])

    assert [(v.dataset, v.columns, v.because, v.depth) for v in impact.broken] == [
        ("s3://lake/b", ("total",), ("amount",), 1),
        ("s3://lake/c", ("revenue",), ("amount",), 2),
        ("s3://lake/d", ("share",), ("amount",), 3),
    ]
    assert (impact.total, impact.unclear_total) == (3, 0)


def test_a_reader_without_column_lineage_is_named_as_unclear(catalog: Catalog) -> None:
    read(catalog, 1, "a", "b", total=[("a", "amount")])
    read(catalog, 2, "a", "blind")

    impact = catalog.lineage.victims("s3://lake/a", ["day"])

    assert (impact.total, [v.dataset for v in impact.unclear]) == (0, ["s3://lake/blind"])


def test_the_list_is_bounded_and_the_count_is_not(catalog: Catalog) -> None:
    for number in range(1, 61):
        read(catalog, number, "a", f"b{number}", x=[("a", "x")])

    impact = catalog.lineage.victims("s3://lake/a", ["x"])

    assert (len(impact.broken), impact.total) == (50, 60)


def test_a_cycle_ends_and_the_dataset_is_not_its_own_victim(catalog: Catalog) -> None:
    read(catalog, 1, "a", "b", x=[("a", "x")])
    read(catalog, 2, "b", "a", x=[("b", "x")])

    assert [v.dataset for v in catalog.lineage.victims("s3://lake/a", ["x"]).broken] == ["s3://lake/b"]


def test_a_dataset_that_the_catalog_does_not_have_breaks_nothing(catalog: Catalog) -> None:
    assert catalog.lineage.victims("ds://no/such", ["x"]).total == 0


def test_the_difference_of_two_versions_has_its_victims_and_an_added_column_none(catalog: Catalog) -> None:
    for number, columns in enumerate(([("x", "int"), ("y", "int")], [("x", "long"), ("new", "int")]), 1):
        facets = {"schema": schema(*columns), "version": {"datasetVersion": f"v{number}"}}
        send(catalog, event(minute=number, run=run_id(number), outputs=[dataset("a", **facets)]))
    read(catalog, 8, "a", "b", x=[("a", "x")])
    read(catalog, 9, "a", "c", y=[("a", "y")], n=[("a", "new")])

    found = catalog.lineage.schema_diff("s3://lake/a", "v1", "v2")

    assert [(v.dataset, v.because) for v in found.impact.broken] == [("s3://lake/c", ("y",))]
