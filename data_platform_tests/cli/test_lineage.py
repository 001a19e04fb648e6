"""``catalog show``, ``lineage``, ``impact``, ``diff`` and ``emit`` answer people and programs."""

from datetime import timedelta

import pytest

from data_platform.openlineage.event import read_event
from data_platform_tests.catalog.lineage.example import (
    NOW,
    RUN,
    dataset,
    event,
    from_columns,
    run_id,
    schema,
)
from data_platform_tests.cli.shop import Shop


def tell(shop: Shop) -> None:
    """``orders`` in two versions, and ``totals`` made of it."""
    first = dataset("orders", schema=schema(("id", "int")), version={"datasetVersion": "v1"})
    second = dataset("orders", schema=schema(("id", "long"), ("amount", "int")), version={"datasetVersion": "v2"})
    totals = dataset("totals", columnLineage=from_columns(total=[("orders", "amount")]))
    documents = [
        event(minute=0, outputs=[first]),
        event(minute=1, run=run_id(2), outputs=[second]),
        event("START", minute=2, run=run_id(3), job="sum", inputs=[second], outputs=[totals]),
        event("FAIL", minute=3, run=run_id(3), job="sum"),
    ]
    with shop.catalog() as catalog:
        catalog.events.ingest([read_event(document) for document in documents], now=NOW)


def test_a_dataset_is_shown_with_its_latest_version_and_columns(shop: Shop) -> None:
    tell(shop)

    text = shop.run("catalog", "show", "s3://lake/orders").stdout
    page = shop.json("catalog", "show", "s3://lake/orders")

    assert "v2, 2026-02-15 07:01:00, rows not reported" in text
    assert "amount  int" in text
    assert page["latest"]["tag"] == "v2"


def test_a_process_and_a_run_are_shown_too(shop: Shop) -> None:
    tell(shop)

    process = shop.run("catalog", "show", "etl/sum").stdout
    run = shop.run("catalog", "show", run_id(3)).stdout

    assert "s3://lake/orders" in process
    assert "FAILED" in process
    assert "etl/sum" in run
    assert "input   s3://lake/orders  v2" in run


def test_impact_shows_the_path(shop: Shop) -> None:
    tell(shop)

    line = shop.run("catalog", "impact", "s3://lake/orders").stdout.splitlines()[-1]
    column = shop.json("catalog", "impact", "s3://lake/orders", "--column", "amount")
    upstream = shop.json("catalog", "impact", "s3://lake/totals", "--upstream")

    assert line.endswith("s3://lake/orders → etl/sum → s3://lake/totals")
    assert [(hit["dataset"], hit["column"]) for hit in column["hits"]] == [("s3://lake/totals", "total")]
    assert [hit["node"]["name"] for hit in upstream["hits"]["items"]] == ["etl/sum", "s3://lake/orders", "etl/load"]


def test_lineage_is_a_tree_or_a_flowchart(shop: Shop) -> None:
    tell(shop)

    tree = shop.run("catalog", "lineage", "etl/sum").stdout
    chart = shop.run("catalog", "lineage", "etl/sum", "--mermaid").stdout

    assert tree.splitlines()[0] == "etl/sum upstream"
    assert "└── s3://lake/totals" in tree
    assert chart.startswith("flowchart LR\n")
    assert '(["s3://lake/totals"])' in chart
    assert chart.count("-->") == 3


def test_a_schema_change_is_shown_column_by_column(shop: Shop) -> None:
    tell(shop)

    lines = shop.run("catalog", "diff", "s3://lake/orders", "v1").stdout.splitlines()
    same = shop.run("catalog", "diff", "s3://lake/orders", "v1", "v1").stdout

    assert [line.split() for line in lines[1:]] == [["amount", "added", "int"], ["id", "retyped", "int", "long"]]
    assert same == "no column changed from v1 to v1\n"


def test_archived_runs_are_still_found(shop: Shop) -> None:
    tell(shop)
    with shop.catalog() as catalog:
        catalog.registry.archive(
            older_than=timedelta(days=1), folder=shop.root / "archive", now=NOW + timedelta(days=30)
        )

    of_process = shop.json("catalog", "show", "etl/load", "--archived")
    of_dataset = shop.json("catalog", "show", "s3://lake/orders", "--archived", "--since", "2026-02-15")
    one = shop.run("catalog", "show", RUN, "--archived").stdout

    assert [row["run_uuid"] for row in of_process] == [run_id(2), RUN]
    assert {row["run_uuid"] for row in of_dataset} == {RUN, run_id(2), run_id(3)}
    assert "COMPLETED" in one


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "nobody"), "the catalog has no dataset or process 'nobody': search for it with"),
        (("impact", "etl/sum", "--column", "x"), "etl/sum is a process and has no columns"),
        (("diff", "etl/sum", "v1"), "etl/sum is a process and has no versions"),
        (("impact", "s3://lake/orders", "--depth", "0"), "depth: 0: expected 1 or more edges"),
        (("show", "etl/sum", "--archived", "--since", "soon"), "--since 'soon' is not a day"),
        (("emit",), "no OpenLineage endpoint is configured: set DATA_PLATFORM_OPENLINEAGE_URL"),
    ],
)
def test_a_wrong_argument_is_an_error_with_what_to_do(shop: Shop, words: tuple[str, ...], said: str) -> None:
    tell(shop)

    result = shop.run("catalog", *words)

    assert result.exit_code == 2
    assert said in result.stderr
