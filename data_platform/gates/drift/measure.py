"""What is measured of the columns of a batch, as aggregates in the stage's one write.

NULLs are counted for each declared column. The columns of ``dq.profile`` have more: the number of distinct values, of a
number its range, mean and standard deviation, of a column with known codes the rows of each code. Values of a column in
which personal data are searched for are never measured, only counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import never_null, quoted
from data_platform.model.schema import is_number

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from pyspark.sql import Column

    from data_platform.model.schema import Schema

MOST_CODES = 50
"""A column with more known codes has no shares: each code costs a comparison for each row."""

_OF_NUMBERS = ("avg", "stddev", "min", "max")
_NAMES = {"avg": "mean", "stddev": "stddev", "min": "min", "max": "max"}
_FLOATING = {"float", "double"}


def finite(value: Column, kind: str) -> Column:
    from pyspark.sql import functions as F

    if kind not in _FLOATING:
        return value.isNotNull()
    return value.isNotNull() & ~F.isnan(value) & (F.abs(value) != F.lit(float("inf")))


def plan(
    declared: Schema,
    profile: Collection[str],
    keep: Column,
    *,
    codes: Mapping[str, Sequence[str]],
    hidden: Collection[str],
) -> dict[Hashable, Column]:
    """Maps kind of metric and field to the aggregate over the rows to ``keep``.

    ``codes`` are the known values of columns, ``hidden`` the columns that may have personal data, both by names in
    lower case.
    """
    from pyspark.sql import functions as F

    measures: dict[Hashable, Column] = {}
    for name in profile:
        column = declared.get(name)
        if column is None:
            continue
        value = quoted(column.name)
        if "map<" not in column.type:
            measures["distinct", column.name] = F.approx_count_distinct(F.when(keep, value))
        if column.name.lower() in hidden:
            continue
        if is_number(column.type):
            number = F.when(keep & finite(value, column.type), value.cast("double"))
            measures |= {(_NAMES[kind], column.name): getattr(F, kind)(number) for kind in _OF_NUMBERS}
        known = codes.get(column.name.lower(), ())
        if column.type == "string" and 0 < len(known) <= MOST_CODES:
            measures |= {("code", (column.name, code)): F.count_if(keep & never_null(value == code)) for code in known}
    return measures


def fields_of(rows: int, measured: Mapping[Hashable, Any]) -> dict[str, dict[str, Any]]:
    """The metrics by field, for the metadata of the verdict; None means that there was no value to compute it from."""
    fields: dict[str, dict[str, Any]] = {}
    for name, value in measured.items():
        kind, column = name if isinstance(name, tuple) else ("", "")
        if kind == "nulls":
            fields.setdefault(column, {})["null_rate"] = value / rows if rows else None
        elif kind in ("mean", "stddev", "min", "max", "distinct", "infinite"):
            fields.setdefault(column, {})[kind] = value if rows else None
        elif kind == "code":
            fields.setdefault(column[0], {}).setdefault("counts", {})[column[1]] = value or 0
    for metrics in fields.values():
        if "counts" in metrics:
            metrics["shares"] = _shares(metrics.pop("counts"), rows, metrics.get("null_rate"))
    return fields


def _shares(counts: Mapping[str, int], rows: int, null_rate: float | None) -> dict[str, float]:
    """The share of each code among the values; it has no part of values that are not known."""
    values = rows - round((null_rate or 0) * rows)
    return {code: count / values for code, count in counts.items()} if values else {}
