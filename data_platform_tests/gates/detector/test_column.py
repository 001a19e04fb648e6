"""A sample of a column has a finding for each kind that it contains, and columns of other things have none."""

import random
from datetime import date

import pytest

from data_platform.demo.history import airline_rows, airport_rows, flight_rows, plane_rows, weather_rows
from data_platform.gates.detector import tagger
from data_platform.gates.detector.column import findings
from data_platform.model.check_digit import luhn
from data_platform.model.detector import CLASSIFIER

FIRST = ("Ada", "Bruno", "Dana", "Emre", "Fatima", "Hana", "Marie", "Peter", "Priya", "Sven")
LAST = ("Meyer", "Novak", "Rossi", "Smith", "Johnson", "Kowalski", "Garcia", "Dubois", "Larsen", "Walker")
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]
STREETS = [f"{number} {name} {kind}" for number, name in enumerate(LAST, 17) for kind in ("Street", "Avenue", "Road")]
drawn = random.Random(7)  # noqa: S311
ORDERS = [f"4{drawn.randrange(10**15):015}" for _ in range(500)]
CARDS = [number for number in ORDERS if luhn(number)]


def kinds(column: str, values: list[str]) -> list[str]:
    return [finding.kind.value for finding in findings(column, values, 0.05)]


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        pytest.param("c1", ["ann@example.com", "see note"], "EMAIL", id="addresses"),
        pytest.param("c2", ["203.0.113.7", "2001:db8::1"], "IP_ADDRESS", id="machines"),
        pytest.param("c3", ["DE89 3704 0044 0532 0130 00"], "IBAN", id="accounts"),
        pytest.param("c4", CARDS, "CREDIT_CARD", id="cards"),
        pytest.param("c5", CARDS + ORDERS[:300], "CREDIT_CARD", id="cards among order numbers"),
        pytest.param("birth_date", ["1980-02-28", "1990-01-01"], "DATE_OF_BIRTH", id="dates in such a column"),
        pytest.param("note", ["dob 1980-02-28", "none"], "DATE_OF_BIRTH", id="labelled dates"),
        pytest.param("homephone", ["3035550117"], "PHONE", id="bare numbers in such a column"),
        pytest.param("col_1", NAMES, "PERSON_NAME", id="names"),
        pytest.param(
            "note", [f"My name is {name}, please call me back" for name in NAMES], "PERSON_NAME", id="in texts"
        ),
        pytest.param("col_2", STREETS, "STREET_ADDRESS", id="streets"),
    ],
)
def test_a_column_of_a_kind_is_found(column: str, values: list[str], kind: str) -> None:
    assert kinds(column, values) == [kind]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        pytest.param("order_no", ORDERS, id="order numbers, a tenth of which pass Luhn"),
        pytest.param("app_version", ["10.2.3.4", "10.2.3.5"], id="versions"),
        pytest.param("email_verified", ["true", "false"], id="flags"),
        pytest.param("year", ["1980", "2013"], id="years"),
        pytest.param("booked", ["1980-02-28", "2013-01-01"], id="other dates"),
        pytest.param("note", ["", " "], id="empty texts"),
        pytest.param("email", ["***@example.com", "tok_v1_email_0123456789abcdef0123456789abcdef"], id="remediated"),
    ],
)
def test_a_column_of_something_else_has_no_finding(column: str, values: list[str]) -> None:
    assert kinds(column, values) == []


def test_no_column_of_the_flights_airlines_airports_planes_and_weather_is_personal() -> None:
    day = date(2013, 1, 1)
    tables = (flight_rows(day)[:500], airline_rows(), airport_rows(), plane_rows()[:500], weather_rows(day))

    found = [(column, kinds(column, [row[column] for row in rows])) for rows in tables for column in rows[0]]

    assert len(found) > 40
    assert [item for item in found if item[1]] == []


def test_a_finding_has_its_share_sample_and_detector() -> None:
    [finding] = findings("col_1", NAMES, 0.05)

    assert finding.share > 0.8
    assert finding.sample == len(NAMES)
    assert finding.detector == CLASSIFIER


def test_the_classifiers_version_is_that_of_its_weights() -> None:
    assert f"classifier-{tagger.version()}" == CLASSIFIER


def test_names_and_addresses_are_found_within_a_sentence() -> None:
    text = "My name is Marie Dubois and I live at 17 Garcia Street."

    found = [(span.label, text[span.start : span.end]) for span in tagger.spans(text)]

    assert found == [(tagger.NAME, "Marie Dubois"), (tagger.ADDRESS, "17 Garcia Street")]
    assert tagger.spans("") == []
