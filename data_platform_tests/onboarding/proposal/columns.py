"""Profiles of columns for tests: what is not named has no part in the test."""

from collections import Counter
from typing import Any

from data_platform.onboarding.profile.number import Numbers
from data_platform.onboarding.profile.table_profile import ColumnProfile


def of_texts(name: str, counted: dict[str, int], **more: Any) -> ColumnProfile:
    rows = sum(counted.values())
    known: dict[str, Any] = {"type": "string", "delivered": "string", "distinct": len(counted), "nulls": 0}
    return ColumnProfile(**{"name": name, "rows": rows, "values": counted, "is_exact": True, **known, **more})


def of_numbers(name: str, numbers: list[float], **more: Any) -> ColumnProfile:
    known: dict[str, Any] = {"type": "int", "delivered": "string", "distinct": len(set(numbers)), "nulls": 0}
    measured = Numbers.of(Counter(numbers))
    return ColumnProfile(**{"name": name, "rows": len(numbers), "numbers": measured, **known, **more})
