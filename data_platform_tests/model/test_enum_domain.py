"""A domain is learned of columns of codes only, and never of columns about people."""

import pytest

from data_platform.model.enum_domain import learn

CODES = {"STANDARD": 90, "FLASH_SALE": 30}


@pytest.mark.parametrize(
    ("column", "counts", "why"),
    [
        pytest.param("order_type", CODES, "", id="codes"),
        pytest.param("kind", {"A": 50, "B2": 50}, "", id="short codes"),
        pytest.param("kind", {"A": 5, "B": 5}, "10 rows have a value", id="too few rows"),
        pytest.param(
            "kind", {f"K{n % 100}_{n // 100}": 20 for n in range(51)}, "more than 50 values", id="too many values"
        ),
        pytest.param("kind", None, "more than 50 values", id="not counted"),
        pytest.param("kind", {f"K{n}": 5 for n in range(30)}, "repeat less than 10", id="nearly a key"),
        pytest.param("kind", CODES | {"jo@example.com": 30}, "not all values are codes", id="an address"),
        pytest.param("kind", CODES | {"Anna": 30}, "not all values are codes", id="a word"),
        pytest.param("kind", CODES | {"A4711": 30}, "not all values are codes", id="a long number"),
        pytest.param("customer_name", CODES, "about people", id="a name of people"),
        pytest.param("lastName", {"SMITH": 90, "JONES": 90}, "about people", id="names in capitals"),
        pytest.param("secret", CODES, "a PII rule searches it", id="searched"),
    ],
)
def test_only_columns_of_codes_have_a_domain(column: str, counts: dict[str, int] | None, why: str) -> None:
    learned = learn({column: counts}, searched=["SECRET"])

    assert (column in learned.domains) is (why == "")
    assert why in learned.skipped.get(column, "")


def test_a_domain_is_sorted() -> None:
    assert learn({"order_type": CODES}, searched=()).domains == {"order_type": ("FLASH_SALE", "STANDARD")}
