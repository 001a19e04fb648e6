"""G4_CONTRACT: rows that break a promise, rows that keep it and errors are three things."""

import re

import pytest
from pyspark.sql import DataFrame, SparkSession

from data_platform.gates import contract
from data_platform.gates.expression import contract_plan
from data_platform.gates.expression.relation import Related
from data_platform.gates.expression.split import split
from data_platform.gates.expression.token import stand_in
from data_platform.model.contract import Contract, Invariant
from data_platform.model.policy_bundle import FieldConstraint, SchemaPolicy
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.verdict import Outcome, Severity

SCHEMA = SchemaPolicy(
    constraints=(
        FieldConstraint(field="id", type="INT", nullable=False),
        FieldConstraint(field="kind", type="STRING", enum=("A", "B")),
        FieldConstraint(field="total", type="INT"),
    )
)


def orders(spark: SparkSession, *rows: tuple[int | None, str | None, int | None]) -> DataFrame:
    return spark.createDataFrame(list(rows), "id int, kind string, total int")


@pytest.mark.parametrize(
    ("row", "violations"),
    [
        pytest.param((1, "A", 5), None, id="keeps all"),
        pytest.param((1, None, None), None, id="nullable columns may be NULL"),
        pytest.param((None, "A", 5), ["MISSING_FIELD:id"], id="NOT NULL is a promise"),
        pytest.param((1, "C", 5), ["UNKNOWN_ENUM:kind"], id="a new enum value is not named"),
        pytest.param((1, "A", 0), ["INVARIANT:total:positive"], id="an invariant is named by its id"),
        pytest.param((None, "C", 0), ["MISSING_FIELD:id", "UNKNOWN_ENUM:kind", "INVARIANT:total:positive"], id="all"),
    ],
)
def test_a_row_is_quarantined_with_every_rule_that_it_breaks(
    spark: SparkSession, row: tuple[int | None, str | None, int | None], violations: list[str] | None
) -> None:
    rows = orders(spark, row)
    planned = contract_plan.plan(rows, Contract(invariants=(Invariant(rule="total > 0", id="positive"),)), SCHEMA)

    parted = split(rows, planned.rejects, details=planned.details)

    assert parted.accepted.count() == (violations is None)
    assert [r[VIOLATIONS] for r in parted.rejected.collect()] == ([violations] if violations else [])


def unknown(spark: SparkSession, *values: str, codes: bool = False, personal: tuple[str, ...] = ()) -> list[str]:
    """What each of ``values`` is called in the signature of a row that has it."""
    rows = orders(spark, *((n, value, 5) for n, value in enumerate(values)))
    constraint = FieldConstraint(field="kind", type="STRING", enum=("A",), unknown_codes=codes)
    short = stand_in(bytes(range(32)), "ds://shop/orders")
    planned = contract_plan.plan(
        rows, Contract(), SchemaPolicy(constraints=(constraint,)), stand_in=short, personal=personal
    )
    rejected = split(rows, planned.rejects, details=planned.details).rejected.orderBy("id").collect()
    return [r[VIOLATIONS][0].removeprefix("UNKNOWN_ENUM:kind:") for r in rejected]


def test_a_signature_has_a_token_in_place_of_an_unknown_value(spark: SparkSession) -> None:
    values = ("vera.leak@example.com", "VERA_LEAK", "219-09-9995", "B", "B", "the contact is ursula.leak@example.com")

    found = unknown(spark, *values)

    assert all(re.fullmatch("[0-9a-f]{12}", token) for token in found)
    assert [found.index(token) for token in found] == [0, 1, 2, 3, 3, 5]  # two values have two tokens, one has one
    assert unknown(spark, *values) == found


def test_a_signature_shows_an_unknown_code_only_if_the_policy_allows_codes_and_no_pii_rule_searches(
    spark: SparkSession,
) -> None:
    values = ("FLASH_SALE", "A1", "flash sale", "Vera", "X2125550147", "V@B", "A" * 40, "B\n")

    shown = [value for value in unknown(spark, *values, codes=True) if value in values]

    assert shown == ["FLASH_SALE", "A1"]
    assert not set(unknown(spark, *values, codes=True, personal=("kind",))) & set(values)
    assert not set(unknown(spark, *values)) & set(values)


def test_a_rule_over_a_column_that_is_not_there_is_an_error_and_no_pass(spark: SparkSession) -> None:
    rows = orders(spark, (1, "A", 5))
    planned = contract_plan.plan(rows, Contract(invariants=(Invariant(rule="totl > 0"),)), SCHEMA)

    verdict = contract.judge(planned, read=1, kept=1, broken={}, min_compliance=0.0)

    assert verdict.outcome is Outcome.ERRORED
    assert 'column "totl" not found' in [r.reason for r in verdict.results]


@pytest.mark.parametrize(
    ("kept", "outcome"), [(95, Outcome.PASSED), (94, Outcome.FAILED)], ids=["at the bound", "below it"]
)
def test_too_few_rows_that_keep_the_contract_hold_the_batch(kept: int, outcome: Outcome) -> None:
    planned = contract_plan.ContractPlan(rejects={"MISSING_FIELD:id": None})  # type: ignore[dict-item]

    verdict = contract.judge(planned, read=100, kept=kept, broken={"MISSING_FIELD:id": 100 - kept}, min_compliance=0.95)

    assert verdict.outcome is outcome
    assert verdict.compliance == kept / 100
    assert verdict.signatures == ("MISSING_FIELD:id",)


def test_a_blocking_invariant_holds_the_batch_and_a_warning_does_not(spark: SparkSession) -> None:
    rows = orders(spark, (1, "A", 0))
    rules = (
        Invariant(rule="total > 0", id="block", severity=Severity.BLOCK),
        Invariant(rule="total > 1", id="warn", severity=Severity.WARN),
    )
    planned = contract_plan.plan(rows, Contract(invariants=rules), SCHEMA)

    held = contract.judge(planned, read=1, kept=1, broken={"INVARIANT:total:block": 1}, min_compliance=1)
    warned = contract.judge(planned, read=1, kept=1, broken={"INVARIANT:total:warn": 1}, min_compliance=1)

    assert (held.outcome, warned.outcome) == (Outcome.FAILED, Outcome.PASSED)
    assert warned.signatures == ("INVARIANT:total:warn",)


def test_relations_join_the_verdict() -> None:
    passed = contract.judge(contract_plan.ContractPlan(), read=3, kept=3, broken={}, min_compliance=1)

    assert contract.with_relations(passed, {"NOT_UNIQUE:id": Related(0)}).outcome is Outcome.PASSED
    assert contract.with_relations(passed, {"NOT_UNIQUE:id": Related(2)}).outcome is Outcome.FAILED
    assert contract.with_relations(passed, {"UNKNOWN_REFERENCE:k:ds://x/y": "not certified"}).outcome is Outcome.ERRORED


@pytest.mark.parametrize(
    ("kept", "found", "compliance"),
    [
        pytest.param(4, {"NOT_UNIQUE:id": Related(0)}, 1.0, id="all keep it"),
        pytest.param(4, {"UNKNOWN_REFERENCE:a:ds://x/y": Related(1)}, 0.75, id="one refers to nothing"),
        pytest.param(4, {"UNKNOWN_REFERENCE:a:ds://x/y": "never certified"}, None, id="not asked"),
        pytest.param(4, {"NOT_UNIQUE:id": Related(1), "NOT_UNIQUE:a": Related(1)}, None, id="two, perhaps of one row"),
        pytest.param(3, {"NOT_UNIQUE:id": Related(1)}, None, id="a rule and a relation, perhaps of one row"),
    ],
)
def test_a_broken_relation_is_in_the_share_of_rows_that_keep_every_rule(
    kept: int, found: dict[str, Related | str], compliance: float | None
) -> None:
    before = contract.judge(contract_plan.ContractPlan(), read=4, kept=kept, broken={}, min_compliance=0)

    after = contract.with_relations(before, found)

    assert (before.compliance, after.compliance) == (kept / 4, compliance)
    assert after.metadata["rows_kept"] == (None if compliance is None else 4 * compliance)


def test_compliance_is_unknown_if_a_rule_cannot_be_evaluated() -> None:
    planned = contract_plan.ContractPlan(errors={"INVARIANT:x:y": 'column "x" not found'})

    assert contract.judge(planned, read=4, kept=4, broken={}, min_compliance=0).compliance is None
