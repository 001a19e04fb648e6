"""The profile as ``baseline.json``: what gates compare with, and what people want to know, without a personal value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.baseline import Baseline, BaselineColumn, RowCount
from data_platform.model.enum_domain import learn
from data_platform.model.field_profile import FieldProfile
from data_platform.model.schema import Column, Schema
from data_platform.onboarding.profile.form import shown_forms

if TYPE_CHECKING:
    from data_platform.onboarding.profile.table_profile import ColumnProfile, TableProfile

LEAST_ROWS = 100
"""With fewer values a range or a form would be those of single rows."""


def stored_profile(profile: TableProfile, nullable: dict[str, bool], types: dict[str, str]) -> Baseline:
    """``nullable`` and ``types`` are the declarations of the proposed policy by column."""
    columns = [
        BaselineColumn(name=name, type=types[name], nullable=nullable[name])
        for name in (one.name for one in profile.columns)
    ]
    schema = Schema.of(Column(name=one.name, type=one.type, nullable=one.nullable) for one in columns)
    middle, deviation = profile.mean_and_deviation
    domains = learned_codes(profile)
    return Baseline(
        schema=tuple(columns),
        schema_fingerprint=schema.fingerprint,
        row_count=RowCount(mean=round(middle, 3), stddev=round(deviation, 3)),
        null_rates={one.name: round(one.null_rate, 6) for one in profile.columns},
        enum_domains=domains or None,
        partitions=len(profile.rows),
        profile={one.name: _field(one, domains.get(one.name, ())) for one in profile.columns},
    )


def learned_codes(profile: TableProfile) -> dict[str, tuple[str, ...]]:
    """The codes of the columns that hold codes, by the rules of ``policy learn-enums``."""
    texts = [one for one in profile.columns if one.type == "string"]
    counts = {one.name: one.values if one.is_exact else None for one in texts}
    return learn(counts, searched=[one.name for one in texts if one.personal]).domains


def _field(column: ColumnProfile, codes: tuple[str, ...]) -> FieldProfile:
    known = FieldProfile(
        values=column.present, distinct=round(column.distinct, 1), personal=column.personal, longest=column.longest
    )
    if column.personal or column.present < LEAST_ROWS:
        return known
    numbers, details = column.numbers, dict[str, object]()
    if numbers is not None and not is_identifier(column):
        details = {"min": numbers.low, "max": numbers.high, "mean": numbers.mean, "stddev": numbers.deviation}
        details["quantiles"] = dict(numbers.quantiles)
    total = sum(column.values.values())
    return known.model_copy(
        update={
            **details,
            "first": column.first,
            "last": column.last,
            "codes": {code: round(column.values[code] / total, 6) for code in codes},
            "forms": shown_forms(column.values),
            "shortest": column.shortest,
        }
    )


def is_identifier(column: ColumnProfile) -> bool:
    """Whether nearly every row has another number: its range says nothing, and its ends are somebody's numbers."""
    return column.present > 0 and column.distinct > 0.9 * column.present and "decimal" not in column.type
