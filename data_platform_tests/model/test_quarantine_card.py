"""A card has the owner, the age and the advice of its entry."""

from datetime import timedelta

from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_card import STALE_AFTER, age_text, card_of
from data_platform_tests.catalog.example import NOW, entry


def test_the_owner_is_the_assignee_or_else_the_team() -> None:
    assert card_of(entry(), "sales", NOW).owner == "sales"
    assert card_of(entry(assignee="ann"), "sales", NOW).owner == "ann"


def test_only_an_open_entry_is_stale_and_only_when_the_limit_is_over() -> None:
    at_limit, over = NOW + STALE_AFTER, NOW + STALE_AFTER + timedelta(seconds=1)

    assert not card_of(entry(), "sales", at_limit).stale
    assert card_of(entry(), "sales", over).stale
    assert not card_of(entry(status=QuarantineStatus.DISCARDED), "sales", over).stale


def test_the_same_advice_is_given_once() -> None:
    card = card_of(entry(signatures={"UNKNOWN_ENUM:a:X": 2, "UNKNOWN_ENUM:a:Y": 1}), "sales", NOW)

    assert card.suggestions == ("add the value to the column's enum and replay, or fix it upstream",)


def test_an_age_is_in_hours_for_two_days_and_then_in_days() -> None:
    assert (age_text(5.4), age_text(47.0), age_text(72.0)) == ("5h", "47h", "3d")
