"""The contract of a dataset refuses bad pandas frames with signatures and counts, and never passes what it skipped."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.errors
import pytest

import data_platform
from data_platform.errors import ContractError, UsageError
from data_platform.frame.contract import RulesNotCheckedWarning
from data_platform_tests.frame.orders import GOOD, contract
from data_platform_tests.policies.tree import landed, write


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    """Good rows with these changes."""
    return pd.DataFrame([{**GOOD, "id": number, **row} for number, row in enumerate(rows, start=1)])


def broken(*rows: dict[str, Any]) -> dict[str, int]:
    return dict(contract().check(frame(*rows)).broken)


def test_the_contract_of_a_declared_dataset_is_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path, landed("contract: {unique: [order_id]}", columns="order_id BIGINT, total DOUBLE"))
    monkeypatch.setenv("DATA_PLATFORM_POLICIES", str(root))

    orders = data_platform.contract("ds://shop/orders")

    good = pd.DataFrame({"order_id": [1, 2], "total": [0.5, None]})
    assert orders.validate(good) is good
    with pytest.raises(ContractError, match="NOT_UNIQUE:order_id: 1 of 2 rows"):
        orders.validate(good.assign(order_id=1))
    with pytest.raises(UsageError, match="'ds://shop/order' is not a dataset"):
        data_platform.contract("ds://shop/order")


@pytest.mark.parametrize(
    ("row", "signatures"),
    [
        pytest.param({}, [], id="keeps all"),
        pytest.param({"id": None}, ["MISSING_FIELD:id"], id="NOT NULL"),
        pytest.param({"kind": None}, ["MISSING_FIELD:kind"], id="a required field"),
        pytest.param({"kind": "C"}, ["UNKNOWN_ENUM:kind"], id="an enum"),
        pytest.param({"level": 3}, ["UNKNOWN_ENUM:level"], id="an enum of numbers"),
        pytest.param({"price": Decimal("1.5")}, [], id="an enum of decimals, by value and not by text"),
        pytest.param({"code": "abc"}, ["FORMAT:code"], id="a pattern for the whole value"),
        pytest.param({"code": "ab\n"}, ["FORMAT:code"], id="a last line end is part of the value"),
        pytest.param({"id": "1"}, ["TYPE_MISMATCH:id:INT"], id="a text is no number"),
        pytest.param({"id": 1.5}, ["TYPE_MISMATCH:id:INT"], id="a fraction is no whole number"),
        pytest.param({"id": 2**31}, ["TYPE_MISMATCH:id:INT"], id="a number beyond its type"),
        pytest.param({"id": 7.0}, [], id="a whole number as pandas has it beside NULL"),
        pytest.param({"price": Decimal("1.505")}, ["TYPE_MISMATCH:price:DECIMAL(10,2)"], id="too many digits"),
        pytest.param({"price": 1.5}, [], id="a float that is the decimal"),
        pytest.param({"ordered": "2025-03-09"}, ["TYPE_MISMATCH:ordered:DATE"], id="a text is no day"),
        pytest.param({"share": float("inf")}, ["NOT_FINITE:share"], id="infinity"),
        pytest.param({"share": float("nan")}, [], id="NaN is NULL"),
        pytest.param({"price": Decimal("-1.00")}, ["INVARIANT:price:price_is_positive"], id="an invariant"),
        pytest.param({"price": None}, [], id="an invariant of a nullable column that is NULL"),
        pytest.param({"level": None}, ["INVARIANT:kind,level:a_has_a_level"], id="an invariant of the full contract"),
        pytest.param(
            {"sent_at": pd.Timestamp("2025-03-08 23:59")},
            ["INVARIANT:ordered,sent_at:sent_after_the_order"],
            id="a time without an offset is of the dataset's zone",
        ),
    ],
)  # fmt: skip
def test_a_row_that_breaks_a_rule_is_counted_by_its_signature(row: dict[str, Any], signatures: list[str]) -> None:
    assert broken({}, row) == dict.fromkeys(signatures, 1)


def test_repeated_keys_count_their_surplus_rows_and_mark_all_of_them() -> None:
    rows = frame({"id": 1, "kind": "A"}, {"id": 1, "kind": "A"}, {"id": 1, "kind": "A"}, {"id": 2})

    assert contract().check(rows).broken == {"NOT_UNIQUE:id,kind": 2}
    assert [len(found) for found in contract().violations(rows)["_violations"]] == [1, 1, 1, 0]


def test_a_warning_refuses_nothing_and_is_reported() -> None:
    report = contract().check(frame({"share": 0.75}))

    assert (report.passed, dict(report.warned)) == (True, {"INVARIANT:share:share_is_small": 1})


def test_the_frame_keeps_its_index_and_columns_in_any_case() -> None:
    rows = frame({}, {"kind": "C"}).rename(columns={"kind": "KIND"}).set_index(pd.Index([7, 7]))

    marked = contract().violations(rows)

    assert list(marked.columns) == [*rows.columns, "_violations"]
    assert list(marked.index) == [7, 7]
    assert list(marked["_violations"]) == [[], ["UNKNOWN_ENUM:kind"]]


@pytest.mark.parametrize(
    ("change", "signature"),
    [
        pytest.param(lambda rows: rows.drop(columns="code"), "SCHEMA_BREAK:code:REMOVED", id="a missing column"),
        pytest.param(lambda rows: rows.assign(more=1), "SCHEMA_DRIFT:more:ADDED", id="another column"),
    ],
)
def test_a_frame_of_other_columns_is_refused_before_its_rows_are_judged(change: Any, signature: str) -> None:
    rows = change(frame({"kind": "C"}, {}))

    assert contract().check(rows).broken == {signature: 2}
    with pytest.raises(ContractError, match=signature):
        contract().violations(rows)


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="1 names of columns twice"):
        contract().check(frame({}).assign(ID=1))


def test_a_rule_that_only_spark_can_evaluate_is_named_and_never_counts_as_kept() -> None:
    lite = {"invariants": [{"id": "lower", "rule": "lower(kind) = 'a'"}]}
    orders = contract(contract_lite=lite, contract={"references": [{"fields": ["kind"], "dataset": "ds://shop/kinds"}]})

    with pytest.warns(RulesNotCheckedWarning, match=r"INVARIANT:kind:lower \(only Spark.*UNKNOWN_REFERENCE:kind"):
        orders.validate(frame({}))
    assert list(orders.check(frame({})).not_checked) == [
        "INVARIANT:kind:lower",
        "UNKNOWN_REFERENCE:kind:ds://shop/kinds",
    ]
    assert orders.pandas().metadata["not_checked"].keys() == orders.check(frame({})).not_checked.keys()


def test_a_rule_that_raises_is_an_error_and_no_pass() -> None:
    orders = contract(contract={"invariants": [{"id": "divided", "rule": "level / 0 > 1"}]})

    report = orders.check(frame({}))

    assert not report.passed
    assert report.errors == {"INVARIANT:level:divided": "the rule raised ZeroDivisionError on a row"}


def test_a_message_has_no_value_of_the_frame() -> None:
    with pytest.raises(ContractError) as refused:
        contract().validate(frame({"kind": "ann@example.com", "code": "078-05-1120", "id": "secret"}))

    assert "UNKNOWN_ENUM:kind: 1 of 1 rows" in str(refused.value)
    assert not any(value in str(refused.value) for value in ("ann@", "078", "secret"))


def test_the_name_of_a_column_that_is_a_personal_value_is_not_shown() -> None:
    with pytest.raises(ContractError) as refused:
        contract().validate(frame({}).assign(**{"ann@example.com": 1}))

    assert "SCHEMA_DRIFT:" in str(refused.value)
    assert "ann@example.com" not in str(refused.value)


def test_a_switch_that_turns_pandera_off_does_not_turn_the_contract_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from pandera.config import CONFIG

    monkeypatch.setattr(CONFIG, "validation_enabled", False)

    assert broken({"kind": "C"}) == {"UNKNOWN_ENUM:kind": 1}


def test_the_schema_of_pandera_refuses_what_the_contract_refuses() -> None:
    schema = contract().pandas()

    assert schema.validate(frame({})) is not None
    assert {name: str(column.dtype) for name, column in schema.columns.items()}["price"] == "decimal(10,2)"
    with pytest.raises(pandera.errors.SchemaErrors) as refused:
        schema.validate(frame({"kind": "C", "level": 3}), lazy=True)
    assert set(refused.value.failure_cases["check"]) == {"UNKNOWN_ENUM:kind", "UNKNOWN_ENUM:level"}


def test_an_empty_frame_keeps_its_contract() -> None:
    assert contract().check(frame({}).iloc[:0]).passed


@pytest.mark.parametrize("value", [None, [1], {"id": 1}])
def test_what_is_no_frame_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="expected a frame of pandas or Spark"):
        contract().check(value)


def test_a_partition_column_that_the_platform_adds_may_be_in_the_frame_or_not() -> None:
    from dataclasses import replace

    from data_platform.model.policy import DatasetPolicy

    orders = contract()
    policy = orders.dataset.policy.model_dump(exclude_none=True, exclude={"time_zone"}) | {
        "partition": {"key": "day", "start": date(2025, 1, 1), "of_delivery": True},
        "source": {"format": "csv", "path": "orders/{partition}", "producer": "till"},
    }
    daily = type(orders)(replace(orders.dataset, policy=DatasetPolicy.model_validate(policy)))

    assert daily.check(frame({})).passed
    assert daily.check(frame({}).assign(day=date(2025, 1, 1))).passed
    assert daily.check(frame({}).assign(day="2025-01-01")).broken == {"TYPE_MISMATCH:day:DATE": 1}
