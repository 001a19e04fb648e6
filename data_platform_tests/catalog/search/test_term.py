"""The terms of a text are its parts, and each compound also as a whole."""

import pytest

from data_platform.catalog.search.term import fold, terms, text_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("customer_id", ("customer", "id"), id="underscores"),
        pytest.param("customerId", ("customer", "id"), id="camel case"),
        pytest.param("FXRateDaily", ("fx", "rate", "daily"), id="capitals in a row"),
        pytest.param("ds://ops/flights", ("ds", "ops", "flights"), id="a URN"),
        pytest.param("a.b-c", ("a", "b", "c"), id="dots and dashes"),
        pytest.param("Zürich", ("zurich",), id="an accent"),
        pytest.param("orders2026", ("orders2026",), id="digits"),
    ],
)
def test_a_compound_is_its_parts_and_whole(text: str, parts: tuple[str, ...]) -> None:
    (term,) = terms(text)

    assert (term.parts, term.whole) == (parts, "".join(parts))


@pytest.mark.parametrize("text", ["", "  ", "🦊", "__", "\0", "\ud800"])
def test_punctuation_is_not_a_term(text: str) -> None:
    assert list(terms(text)) == []


def test_terms_are_unique_and_limited() -> None:
    assert text_of(["a_b a", "b"], most_bytes=100) == "a b ab"
    assert text_of(["aa bb", "cc"], most_bytes=6) == "aa bb"


def test_a_key_fits_an_index() -> None:
    assert len(fold("ﷺ" * 1000, most_bytes=500).encode()) <= 500
