"""A key is the fewest columns that no two rows of one delivery share."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from data_platform.onboarding.profile.sketch import Sketch
from data_platform.onboarding.profile.table_profile import TableProfile
from data_platform.onboarding.proposal.key_rule import candidate_keys
from data_platform_tests.onboarding.proposal.columns import of_texts


def keys_of(files: list[str], **columns: Sequence[str | None]) -> list[tuple[str, ...]]:
    sketch = Sketch(len(columns))
    arrays = [pa.array(values, pa.string()) for values in columns.values()]
    flags, order = pa.array([False] * len(files)), pa.array(np.linspace(0, 1, len(files)))
    sketch.add(arrays, pa.array(files), flags, order)
    profiles = tuple(
        of_texts(name, {}, rows=len(files), nulls=values.count(None), distinct=len(set(values)))
        for name, values in columns.items()
    )
    profile = TableProfile(columns=profiles, rows={"d": len(files)})
    return candidate_keys(profile, sketch, {file: file for file in files})


def test_one_column_is_a_key() -> None:
    ids = [str(n) for n in range(200)]

    assert keys_of(["d"] * 200, order_id=ids, kind=["A", "B"] * 100) == [("order_id",)]


def test_columns_are_a_key_together() -> None:
    orders = [str(n // 2) for n in range(200)]

    assert keys_of(["d"] * 200, order_id=orders, line=["1", "2"] * 100) == [("order_id", "line")]


def test_a_key_may_start_again_in_each_delivery() -> None:
    assert keys_of(["a"] * 100 + ["b"] * 100, line=[str(n) for n in range(100)] * 2) == [("line",)]


def test_a_column_with_nulls_is_no_key_and_neither_are_a_few_rows() -> None:
    assert keys_of(["d"] * 200, order_id=[None, *map(str, range(199))]) == []
    assert keys_of(["d"] * 99, order_id=[str(n) for n in range(99)]) == []
