"""Equal values have equal hashes in any batch, and different values have different ones that are spread evenly."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.onboarding.profile.value_hash import LONG_BYTES, hashes_of

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


@given(st.lists(st.text(max_size=2 * LONG_BYTES), unique=True, max_size=60), st.integers(0, 60))
def test_texts_have_their_own_hashes_wherever_they_are(texts: list[str], begin: int) -> None:
    whole = hashes_of(pa.array(texts, pa.string()))

    part = hashes_of(pa.array(texts, pa.string())[begin:])

    assert list(part) == list(whole[begin:])
    assert len(set(whole.tolist())) == len(texts)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(pa.array(range(-500, 500), pa.int64()), id="integers"),
        pytest.param(pa.array([number % 200 - 100 for number in range(200)], pa.int8()), id="small integers"),
        pytest.param(pa.array([number / 8 for number in range(500)], pa.float32()), id="floats"),
        pytest.param(
            pa.array([Decimal(number) / 4 for number in range(-300, 300)], pa.decimal128(20, 2)), id="decimals"
        ),
        pytest.param(
            pa.array([Decimal(10) ** power for power in range(30)], pa.decimal128(38, 0)), id="large decimals"
        ),
        pytest.param(pa.array([date.fromordinal(730_000 + day) for day in range(400)]), id="days"),
        pytest.param(
            pa.array([NOON.replace(second=s, microsecond=u) for s in range(60) for u in range(5)]), id="times"
        ),
        pytest.param(pa.array([1, 2], pa.duration("us")), id="durations"),
        pytest.param(pa.array([1, 2], pa.time64("us")), id="times of day"),
        pytest.param(pa.array([True, False]), id="booleans"),
        pytest.param(pa.array([f"v{number}" for number in range(3)], pa.large_string()), id="large texts"),
        pytest.param(pa.array([b"a", b"b"], pa.binary()), id="any other type"),
        pytest.param(pa.array([], pa.string()), id="nothing"),
        pytest.param(pa.nulls(2).drop_null(), id="nothing but NULLs of no type"),
    ],
)
def test_each_type_has_hashes_of_its_values(values: Any) -> None:
    found = hashes_of(values)

    assert len(set(found.tolist())) == len(found) == len(values)
    assert hashes_of(values[1:]).tolist() == found[1:].tolist()


def test_zero_has_one_hash_whatever_its_sign() -> None:
    found = hashes_of(pa.array([0.0, -0.0]))

    assert found[0] == found[1]


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([f"ORD-{number:09}" for number in range(20_000)], id="numbered texts"),
        pytest.param(list(range(20_000)), id="numbers in turn"),
    ],
)
def test_the_smallest_hashes_estimate_how_many_values_there_are(values: list[Any]) -> None:
    smallest = np.sort(hashes_of(pa.array(values)))[:1_024]

    assert 1_023 * 2.0**64 / float(smallest[-1]) == pytest.approx(20_000, rel=0.15)
