"""A rule about values is proposed only if there are enough rows to know, and it has room for those of next month."""

import re

import pytest

from data_platform.onboarding.profile.table_profile import ColumnProfile
from data_platform.onboarding.proposal.rule import RuleKind
from data_platform.onboarding.proposal.value_rule import value_rules
from data_platform_tests.onboarding.proposal.columns import of_numbers, of_texts


def kinds(column: ColumnProfile) -> list[str]:
    return [rule.kind.value for rule in value_rules(column)]


def ends(column: ColumnProfile) -> tuple[float, float]:
    [rule] = [rule for rule in value_rules(column) if rule.kind is RuleKind.RANGE]
    match = re.fullmatch(r"\S+ BETWEEN (\S+) AND (\S+)", rule.value)
    assert match is not None
    return float(match[1]), float(match[2])


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(of_texts("status", {"OPEN": 400, "SHUT": 300}), True, id="small and saturated"),
        pytest.param(of_texts("status", {"OPEN": 60, "SHUT": 30}), False, id="too few rows"),
        pytest.param(of_texts("status", {"OPEN": 999, "SHUT": 1}), False, id="a code that occurs once"),
        pytest.param(of_texts("status", {f"S{n}": 5 for n in range(40)}), False, id="codes that seldom repeat"),
        pytest.param(of_texts("status", {f"S{n}": 50 for n in range(60)}), False, id="too many codes to review"),
        pytest.param(of_texts("customer_name", {"ANN": 400, "BOB": 300}), False, id="a name that is about people"),
        pytest.param(of_texts("c", {"a@b.de": 400, "c@d.de": 300}, personal=("EMAIL",)), False, id="personal data"),
        pytest.param(of_texts("status", {"OPEN": 700}, is_exact=False), False, id="a sample may lack codes"),
    ],
)
def test_codes_are_a_rule_if_no_code_is_new(column: ColumnProfile, *, expected: bool) -> None:
    assert ("codes" in kinds(column)) is expected


def test_a_value_is_required_if_each_of_enough_rows_has_one() -> None:
    assert "required" in kinds(of_numbers("amount", [1.0, 2.0] * 50))
    assert "required" not in kinds(of_numbers("amount", [1.0, 2.0] * 49))
    assert "required" not in kinds(of_numbers("amount", [1.0, 2.0] * 50, nulls=1))


def test_a_pattern_is_a_rule_if_nearly_all_values_have_it() -> None:
    good = {f"AB-{number:04}": 2 for number in range(500)}

    assert "pattern" in kinds(of_texts("reference", good))
    assert "pattern" in kinds(of_texts("reference", {**good, "odd": 1}))
    assert "pattern" not in kinds(of_texts("reference", {**good, "1a2b3c4d5e": 20}))
    assert "pattern" not in kinds(of_texts("word", {f"{'x' * n}": 50 for n in range(3, 60)}))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("county_name", True, id="the name of a thing"),
        pytest.param("City", True, id="a place"),
        pytest.param("name", False, id="any name"),
        pytest.param("customer_name", False, id="the name of a person"),
        pytest.param("bank_customer", False, id="people of a thing"),
        pytest.param("owner", False, id="somebody"),
    ],
)
def test_values_of_a_column_about_people_are_not_listed(name: str, *, expected: bool) -> None:
    assert ("codes" in kinds(of_texts(name, {"FIRST": 400, "SECOND": 300}))) is expected


def test_the_form_of_personal_values_is_asked_for_before_they_are_masked() -> None:
    numbers = {f"205325{number}": 2 for number in range(8000, 8400)}

    [rule] = [
        rule for rule in value_rules(of_texts("phone", numbers, personal=("PHONE",))) if rule.kind is RuleKind.FORM
    ]

    assert rule.value == "phone RLIKE '^(?:[0-9]{10})$'"


def test_a_range_has_what_was_seen_and_room_beyond_it() -> None:
    low, high = ends(of_numbers("percent", [float(n % 101) for n in range(5_000)]))

    assert low == 0  # what was never negative stays so
    assert 100 < high < 150


def test_a_long_tail_gets_more_room_than_a_bounded_column() -> None:
    tail = [float(n % 100) for n in range(5_000)] + [400.0]

    assert ends(of_numbers("delay", tail))[1] >= 700


def test_a_filler_is_not_in_the_range() -> None:
    low, high = ends(of_numbers("amount", [float(n % 100) for n in range(5_000)] + [9_999_999.0]))

    assert (low, high < 2_000) == (0, True)


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(of_numbers("flag", [0.0, 1.0] * 100), id="a flag"),
        pytest.param(of_numbers("number", [float(n) for n in range(500)]), id="an identifier"),
        pytest.param(of_numbers("batch", [float(n % 50) for n in range(500)], is_growing=True), id="growing numbers"),
        pytest.param(of_numbers("phone", [float(n % 50) for n in range(500)], personal=("PHONE",)), id="personal data"),
        pytest.param(of_numbers("amount", [float(n % 9) for n in range(99)]), id="too few rows"),
    ],
)
def test_no_range_is_proposed_for(column: ColumnProfile) -> None:
    assert "range" not in kinds(column)
