"""Which columns together may identify a row of a delivery: searched in the sample, then counted in all rows."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from data_platform.model.enum_domain import FEWEST_ROWS
from data_platform.model.personal_name import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data_platform.onboarding.profile.sketch import Sketch
    from data_platform.onboarding.profile.table_profile import ColumnProfile, TableProfile

MOST_COLUMNS = 4
MOST_CANDIDATES = 3
_MOST_SEARCHED = 10
_IDENTIFYING = {"id", "key", "code", "number", "no", "nr", "num", "ref", "reference", "uuid", "guid", "seq"}
_TYPES = ("string", "tinyint", "smallint", "int", "bigint", "date", "timestamp")


def candidate_keys(profile: TableProfile, sketch: Sketch, delivery_of: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Sets of columns, the fewest columns first, that no two rows of one delivery in the sample share.

    A column with NULLs or personal data is in no key, and neither is the day of the delivery.
    """
    places = {one.name: place for place, one in enumerate(profile.columns)}
    columns = sorted(_eligible(profile), key=lambda one: (-_rank(one), places[one.name]))[:_MOST_SEARCHED]
    deliveries = [delivery_of[file] for file in sketch.sampled_files()]
    if len(deliveries) < FEWEST_ROWS:
        return []
    values = {one.name: sketch.sampled(places[one.name]) for one in columns}
    return list(_minimal(deliveries, values))[:MOST_CANDIDATES]


def _eligible(profile: TableProfile) -> Iterator[ColumnProfile]:
    for one in profile.columns:
        is_kind = one.type in _TYPES and one.delivered in _TYPES
        if is_kind and not one.nulls and not one.personal and one.distinct > 1 and one.name not in profile.day_columns:
            yield one


def _rank(column: ColumnProfile) -> float:
    """Columns that are named as keys are, then texts, then those with many values."""
    named = bool(words(column.name) & _IDENTIFYING)
    return (2.0 if named else 0.0) + (column.type == "string") + column.distinct / max(1, column.present)


def _minimal(deliveries: Sequence[str], values: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, ...]]:
    found: list[set[str]] = []
    for size in range(1, MOST_COLUMNS + 1):
        for names in combinations(values, size):
            if any(smaller <= set(names) for smaller in found):
                continue
            rows = set(zip(deliveries, *(values[name] for name in names), strict=True))
            if len(rows) == len(deliveries):
                found.append(set(names))
                yield names
        if found:
            return
