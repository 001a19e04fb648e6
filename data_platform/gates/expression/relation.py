"""Uniqueness and references: the two promises of G4_CONTRACT that compare rows with other rows.

Each costs a job of its own, on gold. Keys are compared exactly, or as ``compare`` of the rule declares: without
surrounding white space (``trim``), in any case (``ignore_case``), in any Unicode form (``unicode``: ``é`` as one
character or as two; characters without width do not count). NULL in a key: for ``unique`` it is a value like any other,
so two rows without a key are duplicates; for ``references`` such a row refers to nothing and is not checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.model.contract import Comparison
from data_platform.model.quarantine import VIOLATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from data_platform.model.contract import Reference, Unique

_MARK = "_mark"
_AROUND = r"(?U)^\s+|\s+$"


@dataclass(frozen=True)
class Related:
    """How many rows break a relation, and the reason."""

    rows: int
    reason: str = ""


def duplicates(rows: DataFrame, unique: Unique) -> Related:
    """The surplus rows of each key. One job."""
    from pyspark.sql import functions as F

    keys = [_key(rows, name, unique.compare).alias(f"_k{place}") for place, name in enumerate(unique.fields)]
    repeated = rows.groupBy(*keys).agg(F.count(F.lit(1)).alias("_n")).where("_n > 1")
    [totals] = repeated.agg(F.count(F.lit(1)).alias("keys"), F.coalesce(F.sum("_n"), F.lit(0)).alias("rows")).collect()
    surplus = int(totals["rows"] - totals["keys"])
    if not surplus:
        return Related(0)
    repeated_keys = "1 key occurs" if totals["keys"] == 1 else f"{totals['keys']} keys occur"
    reason = f"{repeated_keys} more than once: {totals['rows']} rows involved, {surplus} surplus"
    return Related(surplus, reason + _compared(unique.compare))


def unreferenced(rows: DataFrame, reference: Reference, target: DataFrame, version: int | None = None) -> Related:
    """Rows whose key is not in ``target``, which is ``version`` of the referenced dataset. One job."""
    count = _asked(rows, reference).join(_keys_of(target, reference), _names(reference), "left_anti").count()
    if not count:
        return Related(0)
    where = f"{reference.dataset}{'' if version is None else f' v{version}'}"
    keys = ", ".join(reference.target)
    reason = f"{count} {'row refers' if count == 1 else 'rows refer'} to no {keys} in {where}"
    return Related(count, reason + _compared(reference.compare))


def marked(
    rows: DataFrame,
    flags: Mapping[str, Column],
    uniques: Mapping[str, Unique],
    references: Mapping[str, tuple[Reference, DataFrame]],
) -> DataFrame:
    """``rows`` with ``_violations``: the signature of each rule that the row itself breaks; empty if it breaks none.

    A row breaks ``unique`` if another one has its key, so all rows of a key are marked.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    columns = rows.columns
    broken: dict[str, Column] = dict(flags)
    for position, (signature, unique) in enumerate(uniques.items()):
        name = f"_unique_{position}"
        window = Window.partitionBy(*(_key(rows, field, unique.compare) for field in unique.fields))
        rows = rows.withColumn(name, F.count(F.lit(1)).over(window) > 1)
        broken[signature] = F.col(name)
    for position, (signature, (reference, target)) in enumerate(references.items()):
        there, name = _keys_of(target, reference).withColumn(_MARK, F.lit(True)), f"_there_{position}"
        keyed = rows.select("*", *_keys(rows, reference.fields, reference))
        joined = keyed.join(there, _names(reference), "left")
        rows = joined.select(
            *(quoted(c) for c in rows.columns), (_complete(reference) & F.col(_MARK).isNull()).alias(name)
        )
        broken[signature] = F.col(name)
    violations = F.array_compact(F.array(*(F.when(flag, F.lit(signature)) for signature, flag in broken.items())))
    return rows.select(*(quoted(c) for c in columns), violations.cast("array<string>").alias(VIOLATIONS))


def _asked(rows: DataFrame, reference: Reference) -> DataFrame:
    return rows.select(*_keys(rows, reference.fields, reference)).where(_complete(reference))


def _keys_of(target: DataFrame, reference: Reference) -> DataFrame:
    return target.select(*_keys(target, reference.target, reference)).distinct()


def _keys(rows: DataFrame, fields: Sequence[str], reference: Reference) -> list[Column]:
    named = zip(fields, _names(reference), strict=True)
    return [_key(rows, field, reference.compare).alias(name) for field, name in named]


def _names(reference: Reference) -> list[str]:
    return [f"_k{position}" for position in range(len(reference.fields))]


def _complete(reference: Reference) -> Column:
    from pyspark.sql import functions as F

    return reduce(lambda a, b: a & b, (F.col(name).isNotNull() for name in _names(reference)))


def _key(rows: DataFrame, name: str, compare: Sequence[Comparison]) -> Column:
    from pyspark.sql import functions as F

    kinds = {field.name.lower(): field.dataType.simpleString() for field in rows.schema.fields}
    value = quoted(name)
    if not compare or kinds.get(name.lower()) != "string":
        return value
    if Comparison.TRIM in compare:
        value = F.regexp_replace(value, _AROUND, "")
    if Comparison.UNICODE in compare:
        return F.collate(value, "UNICODE_CI" if Comparison.IGNORE_CASE in compare else "UNICODE")
    return F.lower(value) if Comparison.IGNORE_CASE in compare else value


def _compared(compare: Sequence[Comparison]) -> str:
    return f" (keys compared with {', '.join(compare)})" if compare else ""
