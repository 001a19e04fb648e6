"""Numbers that are given in turn grow from delivery to delivery."""

from data_platform.onboarding.profile.growth import is_growing

DAYS = [f"2025-01-{day:02}" for day in range(1, 11) for _ in range(10)]


def test_numbers_that_are_given_in_turn_grow() -> None:
    assert is_growing(DAYS, list(range(100)))
    assert is_growing(DAYS, [str(number) for number in range(100)])


def test_amounts_do_not_grow() -> None:
    assert not is_growing(DAYS, [number % 10 for number in range(100)])


def test_a_few_deliveries_show_nothing_and_neither_does_a_constant() -> None:
    assert not is_growing(DAYS[:40], list(range(40)))
    assert not is_growing(DAYS, [7] * 100)
