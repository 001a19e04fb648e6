"""Tolerances are read exactly, and an invalid one is a clear error."""

from decimal import Decimal

import pytest

from data_platform.errors import UsageError
from data_platform.parity.rule import Rules, Tolerance, parse_share, split_words


def test_a_tolerance_of_a_column_goes_before_that_of_all() -> None:
    tolerance = Tolerance.parse("--tolerance", ["0.01", "Amount=0.5, rate=1e-9", "0.02"])

    assert tolerance.of("AMOUNT") == Decimal("0.5")
    assert tolerance.of("rate") == Decimal("1e-9")
    assert tolerance.of("other") == Decimal("0.02")


@pytest.mark.parametrize("word", ["much", "-1", "nan", "inf", "amount=", "=0.1", "amount=x"])
def test_what_is_no_tolerance_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="--tolerance"):
        Tolerance.parse("--tolerance", [word])


@pytest.mark.parametrize(
    ("text", "share"),
    [
        pytest.param("0.1%", Decimal("0.001"), id="a tenth of a percent"),
        pytest.param(" 100% ", Decimal(1), id="all"),
        pytest.param("0%", Decimal(0), id="none"),
    ],
)
def test_a_share_is_a_percentage(text: str, share: Decimal) -> None:
    assert parse_share("--allow", text) == share


@pytest.mark.parametrize("text", ["1", "0.001", "101%", "-1%", "%", "some%", "nan%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected a percentage of rows from 0% to 100%, such as 0\.1%"):
        parse_share("--allow", text)


def test_options_are_split_at_commas_and_empty_parts_are_dropped() -> None:
    assert split_words(["id, day", "", "x,"]) == ["id", "day", "x"]


def test_only_options_without_their_default_are_reported() -> None:
    rules = Rules(tolerance=Tolerance.parse("--tolerance", ["0.01", "rate=1"]), trim=True, allowed=Decimal("0.001"))

    assert Rules().non_defaults == {}
    assert rules.non_defaults == {"tolerance": "0.01", "tolerance rate": "1", "trim": True, "allow": "0.1%"}
