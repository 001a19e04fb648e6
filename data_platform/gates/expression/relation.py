"""Uniqueness and references: the two promises of G4_CONTRACT that compare rows with other rows.

They cost one query of their own, on gold. Keys are compared exactly, or as ``compare`` of the rule declares: without
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


@dataclass(frozen=True)
class Target:
    """The rows that ``reference`` refers to; they are ``version`` of the referenced dataset."""

    reference: Reference
    rows: DataFrame
    version: int | None = None


def duplicates(rows: DataFrame, unique: Unique) -> Related:
    """The surplus rows of each key. One query."""
    [surplus], _ = related(rows, [unique], [])
    return surplus


def unreferenced(rows: DataFrame, reference: Reference, target: DataFrame, version: int | None = None) -> Related:
    """Rows whose key is not in ``target``, which is ``version`` of the referenced dataset. One query."""
    _, [missing] = related(rows, [], [Target(reference, target, version)])
    return missing


def related(
    rows: DataFrame, uniques: Sequence[Unique], targets: Sequence[Target]
) -> tuple[list[Related], list[Related]]:
    """The surplus rows of each of ``uniques``, and the rows whose key is in none of each of ``targets``.

    One query answers the first of ``uniques`` and all of ``targets``; each further unique key costs another one.
    """
    from pyspark.sql import functions as F

    first = uniques[:1]
    if not first and not targets:
        return [], []
    keys = [_key(rows, name, unique.compare) for unique in first for name in unique.fields]
    names = [f"_u{place}" for place in range(len(keys))]
    asked = [key for place, target in enumerate(targets) for key in _asked_of(rows, place, target)]
    keyed = rows.select(*(key.alias(name) for key, name in zip(keys, names, strict=True)), *asked)
    missing = {f"_m{place}": _is_missing(place, target) for place, target in enumerate(targets)}
    flagged = keyed.select(*names, *(flag.alias(name) for name, flag in missing.items()))
    counts = flagged.groupBy(*names).agg(
        F.count(F.lit(1)).alias("_n"), *(F.count_if(F.col(name)).alias(name) for name in missing)
    )
    repeated = F.col("_n") > 1
    [row] = counts.agg(
        F.count_if(repeated).alias("keys"),
        F.coalesce(F.sum(F.when(repeated, F.col("_n"))), F.lit(0)).alias("rows"),
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in missing),
    ).collect()
    surplus = [_surplus(row["keys"], row["rows"], unique) for unique in first]
    more = [duplicates(rows, unique) for unique in uniques[1:]]
    return [*surplus, *more], [_missing(row[name], target) for name, target in zip(missing, targets, strict=True)]


def _surplus(keys: int, rows: int, unique: Unique) -> Related:
    """``rows`` share ``keys`` that occur more than once."""
    surplus = rows - keys
    if not surplus:
        return Related(0)
    repeated = "1 key occurs" if keys == 1 else f"{keys} keys occur"
    reason = f"{repeated} more than once: {rows} rows involved, {surplus} surplus"
    return Related(surplus, reason + _compared(unique.compare))


def _missing(count: int, target: Target) -> Related:
    if not count:
        return Related(0)
    reference, version = target.reference, target.version
    where = f"{reference.dataset}{'' if version is None else f' v{version}'}"
    keys = ", ".join(reference.target)
    reason = f"{count} {'row refers' if count == 1 else 'rows refer'} to no {keys} in {where}"
    return Related(count, reason + _compared(reference.compare))


def _asked_of(rows: DataFrame, place: int, target: Target) -> list[Column]:
    """The keys by which ``rows`` refer to the target at ``place``."""
    keys = (_key(rows, field, target.reference.compare) for field in target.reference.fields)
    return [key.alias(f"_r{place}_{position}") for position, key in enumerate(keys)]


def _is_missing(place: int, target: Target) -> Column:
    """Whether a row refers to something, and the target has no such key."""
    from pyspark.sql import functions as F

    reference = target.reference
    theirs = [_key(target.rows, field, reference.compare) for field in reference.target]
    there = target.rows.select(*(key.alias(f"_t{position}") for position, key in enumerate(theirs))).distinct()
    names = [f"_r{place}_{position}" for position in range(len(theirs))]
    same = (F.col(f"_t{position}") == F.col(name).outer() for position, name in enumerate(names))
    complete = reduce(lambda a, b: a & b, (F.col(name).isNotNull() for name in names))
    return complete & ~there.where(reduce(lambda a, b: a & b, same)).exists()


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
