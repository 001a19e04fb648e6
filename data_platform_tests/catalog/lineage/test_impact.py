"""Impact reaches everything that depends on a node, once, with a way that explains it; on columns too."""

from itertools import pairwise

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import InputError, NotFoundError
from data_platform.model.lineage import NodeType
from data_platform_tests.catalog.lineage.example import dataset, event, from_columns, run_id, send


def chain(catalog: Catalog, *names: str) -> None:
    """``a → job_b → b → job_c → c`` and so on; each column ``x`` comes from the one before."""
    for number, (source, target) in enumerate(pairwise(names), 1):
        output = dataset(target, columnLineage=from_columns(x=[(source, "x")]))
        send(catalog, event(run=run_id(number), job=f"job_{target}", inputs=[dataset(source)], outputs=[output]))


def test_impact_reaches_any_depth_and_shows_the_path(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c", "d")

    page = catalog.lineage.impact("s3://lake/a", only=NodeType.DATASET)

    assert [(hit.node.name, hit.depth) for hit in page.hits.items] == [
        ("s3://lake/b", 2), ("s3://lake/c", 4), ("s3://lake/d", 6),
    ]  # fmt: skip
    assert page.hits.items[1].path == ("s3://lake/a", "etl/job_b", "s3://lake/b", "etl/job_c", "s3://lake/c")
    assert (page.total, page.by_type) == (3, {"DATASET": 3})


def test_upstream_goes_against_the_data(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c")

    page = catalog.lineage.impact("s3://lake/c", direction="upstream")

    assert [hit.node.name for hit in page.hits.items] == ["etl/job_c", "s3://lake/b", "etl/job_b", "s3://lake/a"]


def test_depth_counts_edges(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c")

    assert [hit.node.name for hit in catalog.lineage.impact("s3://lake/a", depth=2).hits.items] == [
        "etl/job_b",
        "s3://lake/b",
    ]


def test_pages_of_impact_go_on_where_the_last_one_ended_while_the_graph_grows(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c", "d")
    first = catalog.lineage.impact("s3://lake/a", limit=2)
    send(catalog, event(run=run_id(9), job="job_aa", inputs=[dataset("a")], outputs=[dataset("aa")]))

    rest = catalog.lineage.impact("s3://lake/a", limit=100, cursor=first.hits.cursor)

    names = [hit.node.name for hit in (*first.hits.items, *rest.hits.items)]
    assert len(names) == len(set(names))
    assert {"s3://lake/b", "s3://lake/c", "s3://lake/d"} <= set(names)
    assert rest.hits.cursor is None


def test_a_graph_in_memory_follows_what_another_process_writes(catalog: Catalog, catalog_url: str) -> None:
    chain(catalog, "a", "b")
    assert catalog.lineage.impact("s3://lake/a").total == 2

    with open_catalog(catalog_url) as other:
        chain(other, "a", "b", "c")

    assert catalog.lineage.impact("s3://lake/a").total == 4


def test_a_box_does_not_depend_on_its_jobs(catalog: Catalog) -> None:
    parent = {"parent": {"run": {"runId": run_id(9)}, "job": {"namespace": "etl", "name": "box"}}}
    send(catalog, event(inputs=[dataset("a")]) | {"run": {"runId": run_id(1), "facets": parent}})

    assert [hit.node.name for hit in catalog.lineage.impact("s3://lake/a").hits.items] == ["etl/load"]


def test_columns_are_followed_to_any_depth(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c")
    two = from_columns(y=[("c", "x"), ("c", "z")], x=[("d", "x")])
    send(catalog, event(run=run_id(8), job="last", outputs=[dataset("d", columnLineage=two)]))

    down = catalog.lineage.column_impact("s3://lake/a", "x").hits
    up = catalog.lineage.column_impact("s3://lake/d", "y", direction="upstream").hits

    assert [(hit.dataset, hit.column, hit.depth) for hit in down] == [
        ("s3://lake/b", "x", 1), ("s3://lake/c", "x", 2), ("s3://lake/d", "y", 3),
    ]  # fmt: skip
    assert down[-1].path == ("s3://lake/a.x", "s3://lake/b.x", "s3://lake/c.x", "s3://lake/d.y")
    assert down[-1].process == "etl/last"
    assert {(hit.dataset, hit.column) for hit in up} == {
        ("s3://lake/c", "x"), ("s3://lake/c", "z"), ("s3://lake/b", "x"), ("s3://lake/a", "x"),
    }  # fmt: skip


def test_a_dataset_event_may_report_lineage(catalog: Catalog) -> None:
    said = dataset("b", columnLineage=from_columns(x=[("a", "x")]))
    document = {key: value for key, value in event().items() if key in ("eventTime", "producer", "schemaURL")}
    send(catalog, {**document, "dataset": said})

    assert [hit.node.name for hit in catalog.lineage.impact("s3://lake/a").hits.items] == ["s3://lake/b"]
    assert catalog.lineage.column_impact("s3://lake/a", "x").hits[0].process is None


def test_a_graph_to_draw_has_the_edges_among_its_nodes(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c")

    graph = catalog.lineage.graph("s3://lake/b", depth=1)

    assert {node.name for node in graph.nodes} == {"etl/job_b", "etl/job_c"}
    assert {(edge.source, edge.target) for edge in graph.edges} == {
        ("etl/job_b", "s3://lake/b"),
        ("s3://lake/b", "etl/job_c"),
    }
    assert not graph.cut


def test_consumers_are_those_who_read_it_directly(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c")

    assert [ref.name for ref in catalog.lineage.consumers("s3://lake/b")] == ["etl/job_c"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"direction": "sideways"}, "direction"),
        ({"depth": 0}, "depth"),
        ({"limit": 0}, "limit"),
        ({"cursor": "made up"}, "cursor"),
        ({"cursor": "WzFd"}, "cursor"),
    ],
)
def test_a_wrong_question_is_refused_by_name(catalog: Catalog, asked: dict[str, object], field: str) -> None:
    chain(catalog, "a", "b")

    with pytest.raises(InputError) as refusal:
        catalog.lineage.impact("s3://lake/a", **asked)  # type: ignore[arg-type]
    assert refusal.value.field == field


def test_an_unknown_name_is_an_error(catalog: Catalog) -> None:
    with pytest.raises(NotFoundError, match="no dataset 's3://lake/none' is in the catalog"):
        catalog.lineage.impact("s3://lake/none")
    with pytest.raises(NotFoundError, match="no process 'etl/none'"):
        catalog.lineage.process_page("etl/none")
    with pytest.raises(NotFoundError, match="no run"):
        catalog.lineage.run(run_id(5))


def test_the_answer_about_a_column_names_cycles_and_look_alikes_too(catalog: Catalog) -> None:
    chain(catalog, "a", "b")
    back = from_columns(x=[("b", "x")])
    send(catalog, event(run=run_id(8), job="back", inputs=[dataset("b")], outputs=[dataset("a", columnLineage=back)]))
    send(catalog, event(run=run_id(9), job="other", outputs=[dataset("B")]))

    found = catalog.lineage.column_impact("s3://lake/a", "x")

    assert [(hit.dataset, hit.column) for hit in found.hits] == [("s3://lake/b", "x")]
    assert [set(cycle.nodes) >= {"s3://lake/a", "s3://lake/b"} for cycle in found.cycles] == [True]
    assert [(alike.of, alike.dataset) for alike in found.look_alikes] == [("s3://lake/b", "s3://lake/B")]
