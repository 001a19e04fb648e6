"""Places of names and addresses within texts do not overlap, and a search of the text without them finds nothing."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.gates.detector import in_text, tagger
from data_platform.gates.detector.feature import LONGEST
from data_platform.gates.detector.in_text import Place, places_in
from data_platform_tests.example_count import examples

BOTH = (tagger.NAME, tagger.ADDRESS)
TOKEN = f"tok_v1_person_name_{'0123456789abcdef' * 2}"
PARTS = (
    "John Smith", "Maria Garcia-Lopez", "O'Brien", "J. R. Tolkien", "ann lee", "DR WILLIAM BLAKE", "Müller",
    "12 Main Street", "221B Baker St, London", "4 Rue de Rivoli, 75001 Paris", "PO Box 99", "flight", "arrived at",
    "please call", "the order of", "was refunded", "Regards,", "Mr", "Boeing 737", "2013-01-31", "#12", "***", "*",
    "[REDACTED:EMAIL]", "[REDACTED:PERSON_NAME]", TOKEN, "***@example.com", "7", "x", "é", "😀", "\n", "\u00a0",
)  # fmt: skip
JOINTS = ("", " ", ", ", "\n", "-", "'", " and ")


@st.composite
def notes(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(JOINTS)), min_size=1, max_size=10))
    return "".join(part + joint for part, joint in pieces)


def replaced(text: str, places: Sequence[Place], replacement: str) -> str:
    for place in reversed(places):
        text = text[: place.start] + replacement + text[place.end :]
    return text


@given(text=notes(), labels=st.sampled_from([BOTH, (tagger.NAME,), (tagger.ADDRESS,)]))
@settings(max_examples=examples(150))
@pytest.mark.parametrize(
    "replacement",
    [
        pytest.param("[REDACTED:PERSON_NAME]", id="redacted"),
        pytest.param("***", id="masked"),
        pytest.param(TOKEN, id="tokenized"),
    ],
)
def test_a_second_search_of_the_result_finds_nothing(replacement: str, text: str, labels: tuple[int, ...]) -> None:
    [places] = places_in([text], labels, "note")

    result = replaced(text, places, replacement)

    assert all(one.end <= other.start for one, other in pairwise(places))
    assert all(0 <= place.start < place.end <= len(text) and place.label in labels for place in places)
    assert places_in([result], labels, "note") == [[]]


def test_names_and_addresses_are_found_within_a_text() -> None:
    text = "😀 Please call John Smith, he lives at 12 Main Street, Springfield."

    [places] = places_in([text], BOTH, "note")

    assert (places[0].label, text[places[0].start : places[0].end]) == (tagger.NAME, "John Smith")
    assert "12 Main Street" in text[places[-1].start : places[-1].end]
    assert places[-1].label == tagger.ADDRESS


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("flight 12 arrived late", id="nobody"),
        pytest.param("[REDACTED:PERSON_NAME] and *** and " + TOKEN, id="remediated"),
    ],
)
def test_a_text_without_names_has_no_places(text: str) -> None:
    assert places_in([text], BOTH, "note") == [[]]


def test_a_text_that_is_too_long_for_the_classifier_is_one_place() -> None:
    text = "word " * LONGEST

    assert places_in(["John Smith", text], (tagger.NAME,)) == [
        [Place(tagger.NAME, 0, 10)],
        [Place(tagger.NAME, 0, len(text))],
    ]


def test_what_is_already_remediated_stays_when_a_name_is_beside_it() -> None:
    text = f"{TOKEN} John Smith [REDACTED:EMAIL]"

    [places] = places_in([text], BOTH, "note")

    assert [text[place.start : place.end] for place in places] == ["John Smith"]


def test_texts_are_scored_in_parts_and_each_has_its_own_places(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["John Smith", "flight 12", "", "ask Maria Garcia", "late"] * 3
    together = places_in(texts, BOTH)

    monkeypatch.setattr(in_text, "AT_ONCE", 12)

    assert places_in(texts, BOTH) == together
    assert [len(found) for found in together] == [1, 0, 0, 1, 0] * 3
