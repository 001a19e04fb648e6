"""A number and its noun agree."""

import pytest

from data_platform.model.number_text import number_of


@pytest.mark.parametrize(("count", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows")])
def test_only_one_is_singular(count: int, text: str) -> None:
    assert number_of(count, "row") == text


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert number_of(2, "dependency", "dependencies") == "2 dependencies"
