"""Selects a few keys of each kind of difference, the first by key, so that the next comparison shows the same ones.

This reads both sides once more. Personal columns never leave Spark, and long texts are truncated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.parity.comparison import KEY_OUTCOME, KeyOutcome
from data_platform.parity.pairing import values_of
from data_platform.parity.report import PERSONAL, Sample
from data_platform.parity.value import FIRST_BEYOND

if TYPE_CHECKING:
    from pyspark.sql import Column, Row

    from data_platform.parity.column import Pair
    from data_platform.parity.comparison import Comparison

LONGEST_VALUE = 200
"""Characters."""
_SHOWN = {
    KeyOutcome.DIFFERENT: "different",
    KeyOutcome.ONLY_IN_LEGACY: "only in legacy",
    KeyOutcome.ONLY_IN_NEW: "only in new",
    KeyOutcome.DUPLICATED: "duplicated",
    KeyOutcome.UNREADABLE_KEY: "unreadable key",
}


def samples(comparison: Comparison, most: int) -> tuple[Sample, ...]:
    """Returns at most ``most`` keys of each kind; for different keys also the values that differ."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    keys = [name for name, pair in comparison.keys.items() if pair.name.lower() not in comparison.personal]
    values = [p for p, pair in enumerate(comparison.columns.values) if pair.name.lower() not in comparison.personal]
    judged = comparison.judged.where(F.col(KEY_OUTCOME).isin(*(outcome.value for outcome in _SHOWN)))
    by_kind = Window.partitionBy(KEY_OUTCOME).orderBy(*comparison.keys)
    first = judged.select("*", F.row_number().over(by_kind).alias("number")).where(F.col("number") <= most)
    shown = first.select(
        KEY_OUTCOME,
        "number",
        *(_text(F.col(name)).alias(name) for name in keys),
        *(_differing(place).alias(f"s{place}") for place in values),
    )
    rows = shown.orderBy(KEY_OUTCOME, "number").collect()
    return tuple(_sample(comparison, row, keys, values) for row in rows)


def _differing(place: int) -> Column:
    """Returns both values if they differ, else NULL."""
    from pyspark.sql import functions as F

    old, new = values_of(place)
    pair = F.struct(_text(old).alias("legacy"), _text(new).alias("new"))
    return F.when(F.col(f"o{place}") >= FIRST_BEYOND, pair)


def _text(value: Column) -> Column:
    from pyspark.sql import functions as F

    text = value.cast("string")
    return F.when(F.length(text) > LONGEST_VALUE, F.concat(F.left(text, F.lit(LONGEST_VALUE)), F.lit("…"))).otherwise(
        text
    )


def _sample(comparison: Comparison, row: Row, keys: list[str], values: list[int]) -> Sample:
    pairs = {place: comparison.columns.values[place] for place in values if row[f"s{place}"] is not None}
    return Sample(
        _SHOWN[KeyOutcome(row[KEY_OUTCOME])],
        {pair.name: _short(row[name], pair) if name in keys else PERSONAL for name, pair in comparison.keys.items()},
        {
            pair.name: (_short(row[f"s{place}"]["legacy"], pair), _short(row[f"s{place}"]["new"], pair))
            for place, pair in pairs.items()
        },
    )


def _short(text: str | None, pair: Pair) -> str | None:
    """Removes the trailing zeros of a decimal that the other side's larger scale added."""
    if text is None or "." not in text or not (pair.kind or "").startswith("decimal"):
        return text
    return text.rstrip("0").removesuffix(".")
