"""Bounds of a delivery come from its smallest one, and only from enough of them."""

from data_platform.onboarding.profile.table_profile import TableProfile
from data_platform.onboarding.proposal.batch_rule import batch_rules
from data_platform.onboarding.proposal.rule import RuleKind
from data_platform_tests.onboarding.proposal.columns import of_numbers


def test_a_delivery_has_half_of_the_rows_of_the_smallest_one() -> None:
    days = {f"2025-01-0{day}": 100 * day for day in range(1, 6)}

    [rule, _] = batch_rules(TableProfile(columns=(of_numbers("amount", [1.0, 2.0] * 9),), rows=days))

    assert (rule.kind, rule.value) == (RuleKind.ROWS, 50)


def test_a_few_deliveries_give_no_bound() -> None:
    [rule, _] = batch_rules(TableProfile(columns=(of_numbers("amount", [1.0, 2.0] * 9),), rows={"2025-01-01": 900}))

    assert rule.value == 1


def test_nulls_are_bounded_by_the_worst_delivery_and_only_warn() -> None:
    column = of_numbers("amount", [1.0] * 100, nulls=10, worst_null_rate=0.2)

    rules = {rule.kind: rule for rule in batch_rules(TableProfile(columns=(column,), rows={"all": 100}))}

    assert rules[RuleKind.NULLS].value == 0.35
    assert "warns only" in rules[RuleKind.NULLS].reason
