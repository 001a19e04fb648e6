"""Hashes of 64 bits for the values of a column, computed for many values at once; equal values have equal hashes.

They only estimate numbers of distinct values, and are stored nowhere. To hash in Spark and send a second number for
each value would take longer than to hash the values that are here.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Hashes = np.ndarray[Any, np.dtype[np.uint64]]

LONG_BYTES = 64
"""A longer text is hashed by itself, so that the powers below take some megabytes at most."""
_BASE = 0x9E3779B97F4A7C15
_BITS = 2**64


def hashes_of(values: Any) -> Hashes:
    """``values`` is an Arrow array without NULLs."""
    import numpy as np
    import pyarrow as pa  # type: ignore[import-untyped]

    kind = values.type
    if not len(values):
        return np.zeros(0, dtype=np.uint64)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _of_texts(values)
    if pa.types.is_decimal(kind):
        return _of_decimals(values)
    if pa.types.is_floating(kind):
        return _of_numbers(values.cast("float64"))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return _of_numbers(values.cast("int64"))
    if pa.types.is_date32(kind):
        return _of_numbers(values.cast("int32").cast("int64"))
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time64(kind):
        return _of_numbers(values.cast("int64"))
    return _of_texts(values.cast("string"))


def _of_numbers(values: Any) -> Hashes:
    numbers = values.to_numpy(zero_copy_only=False)
    return _mixed((numbers + 0).view("uint64"))  # -0.0 + 0 is 0.0


def _of_decimals(values: Any) -> Hashes:
    """A decimal has two words of 64 bits."""
    import numpy as np

    kept = values.cast(f"decimal128(38, {values.type.scale})") if values.type.bit_width != _DECIMAL_BITS else values
    words = np.frombuffer(kept.buffers()[1], dtype=np.uint64).reshape(-1, 2)
    words = words[kept.offset : kept.offset + len(kept)]
    return _mixed(words[:, 0] ^ _mixed(words[:, 1]))


_DECIMAL_BITS = 128


def _of_texts(values: Any) -> Hashes:
    """The bytes of a text are the digits of a number to a fixed base; long texts have hashes of their own."""
    import numpy as np
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    values = values.cast("string")
    is_long = pc.greater(pc.binary_length(values), LONG_BYTES).to_numpy(zero_copy_only=False)
    if not is_long.any():
        return _of_short(values)
    found = np.empty(len(values), dtype=np.uint64)
    found[~is_long] = _of_short(values.filter(~is_long))
    texts = values.filter(is_long).to_pylist()
    found[is_long] = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts]
    return found


def _of_short(values: Any) -> Hashes:
    import numpy as np

    _, offsets, data = values.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[values.offset : values.offset + len(values) + 1]
    begin, end = (int(ends[0]), int(ends[-1])) if len(ends) else (0, 0)
    if data is None or begin == end:
        return _mixed(np.zeros(len(values), dtype=np.uint64))
    powers, inverses = _powers(1 << (end - begin).bit_length())
    digits = np.frombuffer(data, dtype=np.uint8)[begin:end].astype(np.uint64) + np.uint64(1)  # a zero byte counts too
    sums = np.zeros(end - begin + 1, dtype=np.uint64)
    np.cumsum(digits * powers[: end - begin], out=sums[1:])
    places = ends - begin
    return _mixed((sums[places[1:]] - sums[places[:-1]]) * inverses[places[:-1]])


@lru_cache(maxsize=24)
def _powers(count: int) -> tuple[Hashes, Hashes]:
    """``count`` powers of the base, and of its inverse, modulo 2^64."""
    import numpy as np

    found = []
    for base in (_BASE, pow(_BASE, -1, _BITS)):
        factors = np.full(count, base, dtype=np.uint64)
        factors[0] = 1
        found.append(np.cumprod(factors))
    return found[0], found[1]


def _mixed(numbers: Hashes) -> Hashes:
    """Spreads near numbers over all of 64 bits: the finalizer of SplitMix64."""
    import numpy as np

    found = numbers + np.uint64(_BASE)
    found ^= found >> np.uint64(30)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found
