"""Passengers are recognizably invented, and their personal data can be detected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from data_platform.demo.booking import booking_rows, passengers
from data_platform.demo.landing import BAD_DAYS, days

if TYPE_CHECKING:
    from datetime import date

ALL_DAYS = [*days(), *(bad.day for bad in BAD_DAYS)]
EMAIL = re.compile(r"\S+@[\w.-]+\w")
PHONE = re.compile(r"(?:\+1 )?\(?\d{3}\)?[-. ]{1,2}\d{3}[-. ]\d{4}")
SSN = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")


def every_text(day: date) -> list[str]:
    return [value for row in booking_rows(day) for value in row.values()]


@pytest.mark.parametrize("day", ALL_DAYS, ids=str)
def test_every_address_is_at_a_domain_kept_for_examples(day: date) -> None:
    found = [address for text in every_text(day) for address in EMAIL.findall(text)]

    assert len(found) > 100
    assert all(address.endswith(("@example.com", "@example.org")) for address in found)
    assert sum(text.count("@") for text in every_text(day)) == len(found)


@pytest.mark.parametrize("day", ALL_DAYS, ids=str)
def test_every_telephone_number_is_of_the_range_kept_for_stories(day: date) -> None:
    found = [number for text in every_text(day) for number in PHONE.findall(text)]

    assert len(found) > 100
    assert all(re.search(r"555[-. ]01\d\d$", number) for number in found)


def test_every_social_security_number_has_a_valid_shape_and_is_of_area_899() -> None:
    everybody = passengers()

    assert len(everybody) > 1
    for passenger in everybody:
        area, group, serial = passenger.ssn.split("-")
        assert SSN.fullmatch(passenger.ssn)
        assert (area, group == "00", serial == "0000") == ("899", False, False)


@pytest.mark.parametrize("day", ALL_DAYS, ids=str)
def test_each_day_has_personal_data_of_each_kind_in_its_notes(day: date) -> None:
    notes = [row["note"] for row in booking_rows(day)]

    for kind in (EMAIL, PHONE, SSN):
        assert any(kind.search(note) for note in notes)
    assert 0 < sum(any(kind.search(note) for kind in (EMAIL, PHONE, SSN)) for note in notes) < len(notes) / 4


def test_some_passengers_come_back_on_another_day() -> None:
    first, second = ({row["email"] for row in booking_rows(day)} for day in days()[:2])

    assert first & second


def test_no_two_passengers_share_an_address() -> None:
    addresses = [passenger.email for passenger in passengers()]

    assert len(set(addresses)) == len(addresses)
