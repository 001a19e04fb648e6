"""The verdict follows from the counts, and one sentence summarizes it."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from data_platform.parity.report import (
    Incomparable,
    LegacySide,
    NewSide,
    ParityReport,
    ParityVerdict,
    RowParity,
    document,
)  # fmt: skip

AT = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)


def report(**said: Any) -> ParityReport:
    return ParityReport(
        legacy=LegacySide(path="out/orders.csv", format="csv", files=1),
        new=NewSide(urn="ds://sales/orders", path="lake/gold/orders", version=3, certified_at=AT),
        **{"partition": None, "keys": ("id",), "columns": (), "compared_at": AT, "rows": rows(equal=10), **said},
    )


def rows(**counts: Any) -> RowParity:
    return RowParity(**{"legacy": 10, "new": 10, **counts})


@pytest.mark.parametrize(
    ("said", "verdict", "sentence"),
    [
        pytest.param({}, "PARITY", "all 10 keys agree", id="equal"),
        pytest.param({"rows": rows(equal=8, within_tolerance=2)}, "PARITY",
                     "all 10 keys agree, 2 of them within tolerance", id="within tolerance"),
        pytest.param({"rows": rows(equal=9, different=1)}, "DIFFERENT", "1 of 10 keys (10.0000%) differ", id="a value"),
        pytest.param({"rows": rows(equal=9, only_in_new=1)}, "DIFFERENT", "1 of 10 keys (10.0000%) differ", id="a row"),
        pytest.param({"rows": rows(equal=9, duplicated=1)}, "DIFFERENT", "1 of 10 keys (10.0000%) differ",
                     id="a duplicate"),
        pytest.param({"rows": rows(equal=9, unreadable_key=1)}, "DIFFERENT", "1 of 10 keys (10.0000%) differ",
                     id="a key that is none"),
        pytest.param({"rows": rows(equal=9, malformed=1)}, "DIFFERENT", "1 of 10 keys (10.0000%) differ",
                     id="a record that is none"),
        pytest.param({"rows": rows(equal=999, different=1), "allowed": Decimal("0.001")}, "WITHIN_ALLOWANCE",
                     "1 of 1000 keys (0.1000%) differ, allowed are 0.1%", id="as many as allowed"),
        pytest.param({"rows": rows(equal=998, different=2), "allowed": Decimal("0.001")}, "DIFFERENT",
                     "2 of 1000 keys (0.2000%) differ", id="one more than allowed"),
        pytest.param({"only_in_legacy": ("a", "b"), "allowed": Decimal(1)}, "DIFFERENT", "only in legacy: a, b",
                     id="no share allows for a column"),
        pytest.param({"only_in_new": ("a",), "rows": rows(equal=9, different=1)}, "DIFFERENT",
                     "1 of 10 keys (10.0000%) differ; only in new: a", id="rows and columns"),
        pytest.param({"incomparable": (Incomparable(name="m", legacy_type="int", new_type="date"),)}, "DIFFERENT",
                     "not comparable: m", id="a column that cannot be compared"),
        pytest.param({"rows": RowParity()}, "EMPTY",
                     "neither side has a row: nothing was compared, and that proves nothing", id="nothing"),
    ],
)  # fmt: skip
def test_the_verdict_and_its_sentence(said: dict[str, Any], verdict: str, sentence: str) -> None:
    found = report(**said)

    assert (found.verdict, found.sentence) == (ParityVerdict(verdict), sentence)
    assert found.verdict.passed is (verdict in ("PARITY", "WITHIN_ALLOWANCE"))


def test_the_document_has_what_follows_from_the_counts_first() -> None:
    told = document(report(rows=rows(equal=3, only_in_legacy=1)))

    assert list(told)[:2] == ["verdict", "sentence"]
    assert (told["keys_compared"], told["keys_differing"], told["share_differing"]) == (4, 1, 0.25)
    assert told["allowed"] == 0.0
    assert {"legacy", "new", "rows", "columns", "samples", "allowed"} <= set(told)
