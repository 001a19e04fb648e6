"""A baseline agrees with itself."""

from typing import Any

import pytest
from pydantic import ValidationError

from data_platform.model.baseline import Baseline
from data_platform.model.schema import Column, Schema

ORDERS = Schema.of([Column(name="order_id", type="bigint", nullable=False), Column(name="total", type="decimal(10,2)")])
COLUMNS = [
    {"name": "order_id", "type": "BIGINT", "nullable": False},
    {"name": "total", "type": "decimal(10, 2)", "nullable": True},
]


def test_the_declared_schema_is_the_one_that_was_measured() -> None:
    baseline = Baseline.model_validate({"schema": COLUMNS, "schema_fingerprint": ORDERS.fingerprint})

    assert baseline.declared == ORDERS


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(
            {"schema": COLUMNS, "schema_fingerprint": "0" * 16}, "schema_fingerprint is 0000", id="fingerprint"
        ),
        pytest.param({"schema": [*COLUMNS, COLUMNS[0]]}, "a column appears twice", id="a column twice"),
        pytest.param({"schema": [{"name": "a", "type": "money"}]}, "'money' is not a type", id="no type"),
        pytest.param({"schema": COLUMNS, "null_rates": {"totl": 0.1}}, "null_rates names totl", id="no column"),
        pytest.param({"null_rates": {"total": 1.1}}, "less than or equal to 1", id="more than all"),
        pytest.param({"rows": 5}, "Extra inputs", id="an unknown key"),
    ],
)
def test_what_contradicts_itself_is_refused(content: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Baseline.model_validate(content)


def test_a_fingerprint_may_be_alone() -> None:
    assert Baseline.model_validate({"schema_fingerprint": "0123456789abcdef"}).declared.columns == ()
