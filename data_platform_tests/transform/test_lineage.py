"""The sources of a column are read from the SQL of all steps, without Spark and without a guess."""

import pytest

from data_platform.model.schema import Column, Schema
from data_platform.transform.lineage import ColumnSource, column_lineage, reads_all_columns
from data_platform.transform.step import step_lineage
from data_platform_tests.transform.steps import process

ORDERS = "ds://shop/orders"
SCHEMAS = {
    ORDERS: Schema.of(Column(name=name, type=kind) for name, kind in {"id": "bigint", "total": "double"}.items())
}


def source(*columns: str) -> tuple[ColumnSource, ...]:
    return tuple(ColumnSource(ORDERS, column) for column in columns)


@pytest.mark.parametrize(
    ("steps", "sources"),
    [
        pytest.param(["SELECT id FROM orders"], {"id": source("id")}, id="a column as it is"),
        pytest.param(["SELECT id + total AS x FROM orders"], {"x": source("id", "total")}, id="a computed column"),
        pytest.param(
            ["SELECT sum(total) AS t FROM orders WHERE id > 0 GROUP BY id"], {"t": source("total")}, id="filter"
        ),
        pytest.param(["SELECT 1 AS one, id FROM orders"], {"one": (), "id": source("id")}, id="a constant has none"),
        pytest.param(
            ["SELECT id AS key, total FROM orders", "SELECT key, total * 2 AS twice FROM s0"],
            {"key": source("id"), "twice": source("total")},
            id="through a step",
        ),
    ],
)
def test_a_column_has_the_columns_that_it_is_computed_from(
    steps: list[str], sources: dict[str, tuple[ColumnSource, ...]]
) -> None:
    assert column_lineage(process(*steps), SCHEMAS) == sources


def test_a_step_reads_its_inputs_and_earlier_steps() -> None:
    steps = process("SELECT id AS key FROM orders", "SELECT s0.key, o.total FROM s0 JOIN orders AS o ON o.id = s0.key")

    first, second = step_lineage(steps, SCHEMAS)

    assert (first.reads, first.columns) == (("orders",), {"key": (("orders", "id"),)})
    assert second.reads == ("orders", "s0")
    assert second.columns == {"key": (("s0", "key"),), "total": (("orders", "total"),)}


@pytest.mark.parametrize("broken", ["SELECT FROM WHERE", "SELECT 'a"])
def test_a_query_that_cannot_be_parsed_has_no_lineage(broken: str) -> None:
    assert column_lineage(process(broken), SCHEMAS) == {}
    assert step_lineage(process(broken), SCHEMAS)[0].columns == {}


@pytest.mark.parametrize(
    ("steps", "reads_all"),
    [
        pytest.param(["SELECT * FROM orders"], True, id="all"),
        pytest.param(["SELECT o.* EXCEPT (id) FROM orders o"], True, id="all but one"),
        pytest.param(["SELECT id, count(*) AS n FROM orders GROUP BY id"], False, id="a count of rows"),
        pytest.param(["SELECT id FROM orders", "SELECT * FROM s0"], False, id="all of a step that lists its columns"),
        pytest.param(["SELECT id FROM orders WHERE ("], False, id="a query that cannot be parsed"),
    ],
)
def test_a_process_that_selects_all_columns_gets_each_new_one(steps: list[str], reads_all: bool) -> None:
    assert reads_all_columns(process(*steps), ORDERS) is reads_all
    assert not reads_all_columns(process(*steps), "ds://shop/other")
