"""The profile of a dataset, derived from its sketch: the type, the values and the personal data of each column.

``ColumnProfile.values`` are delivered values and stay in this process. What is stored is ``stored_profile``, which has
none of a column with personal data.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from data_platform.gates.detector.column import findings
from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import PiiKind, Undeclared
from data_platform.model.schema import is_number
from data_platform.onboarding.profile.growth import is_growing
from data_platform.onboarding.profile.number import Numbers, numbers_of
from data_platform.onboarding.profile.text_type import TextType, type_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.model.schema import Column, Schema
    from data_platform.onboarding.profile.column_sketch import ColumnSketch
    from data_platform.onboarding.profile.sketch import Sketch

SEARCHED = 1_000
"""Values of a column that are searched for personal data, as the gate does."""
_DATES = ("date", "timestamp", "timestamp_ntz")
_KEEP_A_DAY = 0.999


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """``type`` is the proposed one, ``delivered`` that of the file. ``rows`` are all, ``nulls`` those without a value.

    ``values`` are trimmed texts, none empty, with their rows: all of them if ``is_exact``, else those of the sample.
    ``worst_null_rate`` is that of the worst delivery. ``personal`` are kinds of personal data. ``is_growing`` is true
    for numbers that are larger with every delivery.
    """

    name: str
    type: str
    delivered: str
    rows: int
    nulls: int
    distinct: float
    misfits: int = 0
    notes: tuple[str, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict, repr=False)
    is_exact: bool = False
    numbers: Numbers | None = None
    first: str | None = None
    last: str | None = None
    shortest: int | None = None
    longest: int | None = None
    worst_null_rate: float = 0.0
    personal: tuple[str, ...] = ()
    is_growing: bool = False

    @property
    def present(self) -> int:
        return self.rows - self.nulls

    @property
    def null_rate(self) -> float:
        return self.nulls / self.rows if self.rows else 0.0


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """``rows`` maps each delivery to its rows; a dataset without partitions has one delivery.

    ``day_columns`` are the DATE and TIMESTAMP columns whose values are the day of the delivery.
    """

    columns: tuple[ColumnProfile, ...]
    rows: Mapping[str, int]
    malformed: int = 0
    day_columns: tuple[str, ...] = ()

    @property
    def row_count(self) -> int:
        return sum(self.rows.values())

    @property
    def mean_and_deviation(self) -> tuple[float, float]:
        """Of the rows of a delivery."""
        counts = list(self.rows.values())
        return (mean(counts), stdev(counts) if len(counts) > 1 else 0.0) if counts else (0.0, 0.0)


def profile_of(sketch: Sketch, columns: Schema, delivery_of: Mapping[str, str]) -> TableProfile:
    """``delivery_of`` maps each file of the sketch to its delivery, such as ``2013-01-31``, or ``all``."""
    rows = Counter[str](dict.fromkeys(delivery_of.values(), 0))
    for file, count in sketch.rows.items():
        rows[delivery_of[file]] += count
    deliveries = [delivery_of[file] for file in sketch.sampled_files()]
    profiles = []
    for place, column in enumerate(columns.columns):
        found = _column(column, sketch, place, _worst_null_rate(sketch, place, delivery_of, rows))
        grows = found.numbers is not None and is_growing(deliveries, sketch.sampled(place))
        profiles.append(replace(found, is_growing=grows))
    return TableProfile(
        columns=tuple(profiles),
        rows=dict(sorted(rows.items())),
        malformed=sketch.malformed,
        day_columns=tuple(_day_columns(profiles, sketch, delivery_of)),
    )


def _column(column: Column, sketch: Sketch, place: int, worst_null_rate: float) -> ColumnProfile:
    measured, sample = sketch.columns[place], sketch.sampled(place)
    if column.type != "string":
        return _typed(column, sketch, measured, sample, worst_null_rate)
    is_exact = measured.counts is not None
    counted = _trimmed(measured.counts if measured.counts is not None else Counter(v for v in sample if v is not None))
    blanks = 0 if is_exact is False else sum((measured.counts or {}).values()) - sum(counted.values())
    kinds = _personal(column.name, counted)
    judged = TextType() if kinds else type_of(column.name, counted)
    first, last = _range_of_dates(counted) if judged.type in _DATES else (None, None)
    shortest, longest = measured.lengths
    return ColumnProfile(
        name=column.name,
        type=judged.type,
        delivered="string",
        rows=sketch.row_count,
        nulls=measured.nulls + blanks,
        distinct=len(counted) if is_exact else measured.distinct,
        misfits=judged.misfits,
        notes=judged.notes,
        values=counted,
        is_exact=is_exact,
        numbers=numbers_of(counted) if is_number(judged.type) else None,
        first=first,
        last=last,
        shortest=shortest,
        longest=longest,
        worst_null_rate=worst_null_rate,
        personal=kinds,
    )


def _typed(
    column: Column, sketch: Sketch, measured: ColumnSketch, sample: Sequence[Any], worst_null_rate: float
) -> ColumnProfile:
    kinds = _personal_by_name(column)
    is_date = column.type in _DATES and not kinds and measured.low is not None
    numbers = None
    if is_number(column.type) and measured.low is not None:
        values = Counter(float(value) for value in sample if value is not None)
        numbers = Numbers.of(values, low=float(measured.low), high=float(measured.high))
        present = sketch.row_count - measured.nulls - measured.nans
        numbers = numbers and numbers.with_moments(*measured.mean_and_deviation(present))
    notes = (f"{measured.nans} values are NaN or infinite, which are no numbers",) if measured.nans else ()
    return ColumnProfile(
        name=column.name,
        type=column.type,
        delivered=column.type,
        rows=sketch.row_count,
        nulls=measured.nulls,
        distinct=measured.distinct,
        misfits=measured.nans,
        notes=notes,
        numbers=numbers,
        first=str(measured.low) if is_date else None,
        last=str(measured.high) if is_date else None,
        worst_null_rate=worst_null_rate,
        personal=kinds,
    )


def _trimmed(counts: Mapping[str, int]) -> dict[str, int]:
    trimmed: Counter[str] = Counter()
    for value, rows in counts.items():
        if text := value.strip(" \t\r\n"):
            trimmed[text] += rows
    return dict(trimmed)


def _personal(name: str, counted: Mapping[str, int]) -> tuple[str, ...]:
    """The kinds that the gate's detectors find; names and addresses also by the name of the column alone."""
    total = max(1, sum(counted.values()))
    values: list[str] = []
    for value, rows in counted.items():
        values += [value] * min(rows, max(1, SEARCHED * rows // total))
        if len(values) >= 2 * SEARCHED:
            break
    found = [finding.kind.value for finding in findings(name, values, Undeclared().share)]
    named = [kind.value for kind in PiiKind if names_kind(name, kind)] if len(counted) > 1 else []
    return tuple(dict.fromkeys([*found, *named]))


def _personal_by_name(column: Column) -> tuple[str, ...]:
    kinds = (PiiKind.DATE_OF_BIRTH,) if column.type in _DATES else (PiiKind.PHONE, PiiKind.SSN)
    return tuple(kind.value for kind in kinds if names_kind(column.name, kind))


def _range_of_dates(counted: Mapping[str, int]) -> tuple[str | None, str | None]:
    """ISO dates are in order as texts; other texts are misfits."""
    dates = [value for value in counted if value[:4].isdigit() and value[4:5] == "-"]
    return min(dates, default=None), max(dates, default=None)


def _worst_null_rate(sketch: Sketch, place: int, delivery_of: Mapping[str, str], rows: Mapping[str, int]) -> float:
    nulls: Counter[str] = Counter()
    for (file, column), count in sketch.nulls.items():
        if column == place:
            nulls[delivery_of[file]] += count
    return max((count / rows[delivery] for delivery, count in nulls.items() if rows[delivery]), default=0.0)


def _day_columns(profiles: Sequence[ColumnProfile], sketch: Sketch, delivery_of: Mapping[str, str]) -> list[str]:
    """Dates before times, since a date needs no time zone to be a day."""
    days = [delivery_of[file] for file in sketch.sampled_files()]
    found = []
    for place, profile in enumerate(profiles):
        if profile.type in _DATES and not profile.nulls:
            values = [str(value).strip()[:10] for value in sketch.sampled(place)]
            if values and sum(map(str.__eq__, values, days)) >= _KEEP_A_DAY * len(values):
                found.append((profile.type != "date", place, profile.name))
    return [name for _, _, name in sorted(found)]
