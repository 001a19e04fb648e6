"""A value of a pandas frame is one of its declared type, NULL, or of another type: nothing is rounded or guessed."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from data_platform.frame.value import MISFIT, enum_text, reader

NOON = datetime(2025, 3, 9, 12, tzinfo=UTC)


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")])
@pytest.mark.parametrize("kind", ["int", "decimal(5,2)", "double", "string", "date", "timestamp", "array<int>"])
def test_every_null_of_pandas_is_null(kind: str, value: Any) -> None:
    assert reader(kind, "UTC")(value) is None


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("tinyint", 127, 127),
        ("tinyint", np.int64(128), MISFIT),
        ("int", np.int32(-5), -5),
        ("int", True, MISFIT),
        ("bigint", 2.0**63, MISFIT),
        ("bigint", float("inf"), MISFIT),
        ("decimal(5,2)", Decimal("999.99"), Decimal("999.99")),
        ("decimal(5,2)", Decimal("1000"), MISFIT),
        ("decimal(5,2)", Decimal("1.500"), Decimal("1.500")),
        ("decimal(5,2)", Decimal("1E+2"), Decimal("1E+2")),
        ("decimal(5,2)", Decimal("1E+3"), MISFIT),
        ("decimal(5,2)", 0.1, Decimal("0.1")),
        ("decimal(5,2)", 0.1 + 0.2, MISFIT),
        ("decimal(5,2)", Decimal("Infinity"), MISFIT),
        ("decimal(2,2)", Decimal("0.05"), Decimal("0.05")),
        ("double", 1, 1.0),
        ("double", "1", MISFIT),
        ("boolean", np.bool_(True), True),
        ("boolean", 1, MISFIT),
        ("string", "", ""),
        ("string", 1, MISFIT),
        ("binary", b"a", b"a"),
        ("date", pd.Timestamp("2025-03-09"), date(2025, 3, 9)),
        ("date", pd.Timestamp("2025-03-09 01:00"), MISFIT),
        ("date", pd.Timestamp("2025-03-09", tz="UTC"), MISFIT),
        ("timestamp", pd.Timestamp("2025-03-09 08:00"), NOON),
        ("timestamp", pd.Timestamp("2025-03-09 12:00:00.000000999", tz="UTC"), NOON),
        ("timestamp", datetime(2025, 3, 9, 14, tzinfo=timezone(timedelta(hours=2))), NOON),
        ("timestamp", date(2025, 3, 9), MISFIT),
        ("timestamp", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))), MISFIT),
        ("timestamp_ntz", datetime(2025, 3, 9), datetime(2025, 3, 9)),
        ("timestamp_ntz", NOON, MISFIT),
        ("array<int>", [1], [1]),
        ("array<int>", "1", MISFIT),
    ],
)  # fmt: skip
def test_a_value_is_of_its_type_or_of_none(kind: str, value: Any, read: Any) -> None:
    assert reader(kind, "America/New_York")(value) == read


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("bigint", 7, "7"),
        ("boolean", True, "true"),
        ("date", date(2025, 3, 9), "2025-03-09"),
        ("decimal(10,2)", Decimal("1.5"), "1.50"),
        ("decimal(10,0)", 7, "7"),
    ],
)
def test_the_text_of_a_value_is_that_of_spark(kind: str, value: Any, text: str) -> None:
    convert = enum_text(kind)

    assert convert is not None
    assert convert(value) == text


@pytest.mark.parametrize("kind", ["double", "timestamp", "decimal(38,18)"])
def test_a_type_whose_text_may_differ_has_none(kind: str) -> None:
    assert enum_text(kind) is None
