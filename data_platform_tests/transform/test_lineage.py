"""The sources of a column are read from the SQL of all steps, without Spark and without a guess."""

import pytest

from data_platform.model.schema import Column, Schema
from data_platform.transform.lineage import ColumnSource, column_lineage
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
