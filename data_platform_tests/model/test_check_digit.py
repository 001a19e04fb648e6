"""Check digits: published test numbers pass, and one wrong digit does not."""

import pytest

from data_platform.model.check_digit import iban, luhn, mod97


@pytest.mark.parametrize("number", ["4111111111111111", "3782-822463-10005", "30569309025904", "79927398713", "0"])
def test_published_card_numbers_pass_luhn_and_no_neighbour_does(number: str) -> None:
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)

    assert luhn(number)
    assert not luhn(wrong)
    assert not luhn("")


@pytest.mark.parametrize(
    "number",
    ["DE89370400440532013000", "gb82 west 1234 5698 7654 32", "NO9386011117947", "MT84MALT011000012345MTLCAST001S"],
)
def test_published_ibans_pass_and_another_length_country_or_digit_does_not(number: str) -> None:
    assert iban(number)
    assert not iban(number[:-1])
    assert not iban("ZZ" + number[2:])
    assert not iban(number[:-2] + ("1" if number[-2] != "1" else "2") + number[-1])


def test_mod_97_has_its_check_digits_at_the_end() -> None:
    assert mod97("5493001KJTIIGC8Y1R12")
    assert not mod97("5493001KJTIIGC8Y1R13")
    assert not mod97("")
