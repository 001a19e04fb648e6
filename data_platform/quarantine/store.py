"""Rows that failed a gate, kept so that nothing is lost and any of them can be replayed.

A run that quarantines rows writes one table, ``quarantine/<zone>__<name>_<yyyymmdd>_run_<id>``: the rows' own columns,
all nullable, and those below. Text of a delivery stays text here, even if silver requires a number, since the text that
is not a number is what people need to see. Personal values are remediated before the rows are written here.

A row is never corrected here. The next run of its batch judges it again, by the policy of that day, and writes a table
of its own; ``stage.replay`` plans such a run. A row that somebody discarded has the violation ``DISCARDED``.
A row counts as resolved if a row with the same key was accepted in the run that quarantined it: a corrected record was
delivered beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.quarantine_decision import DISCARDED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.lake.table import LakeTable

RESOLVED = "_resolved"
MAX_SIGNATURES = 100
MAX_SAMPLES = 5


@dataclass(frozen=True)
class Quarantined:
    """The result of one write: rows as Delta's commit counts them, the rest as observed during the write.

    ``signatures`` maps signatures to rows, the most rows first; a row with several violations counts for each.
    ``samples`` are the places of the first rows in their delivery and their violations; no values of theirs.
    """

    rows: int
    resolved: int = 0
    discarded: int = 0
    signatures: dict[str, int] = field(default_factory=dict)
    samples: list[dict[str, Any]] = field(default_factory=list)


def quarantine_rows(
    table: LakeTable,
    rows: DataFrame,
    *,
    run_id: str,
    delivery_id: str,
    rejected_at: datetime,
    note: Mapping[str, object],
    signatures: Sequence[str] | None = None,
) -> Quarantined:
    """Writes ``rows`` to the quarantine table of this run, and replaces its content.

    Rows without ``_violations`` get an empty list: the batch was held, not the row. ``signatures`` are counted during
    the write; only if a row has another one are the violations read again, in four more jobs. None: not counted.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    rows, observed = _with_violations(rows), Observation()
    # The run's own values come last: below the observation they would be in the code of all rules, which Spark then
    # compiles again for each run.
    rows = rows.observe(observed, *_measures(rows), *(_counts(signatures) if signatures is not None else ())).select(
        "*",
        F.lit(run_id).alias("_run_id"),
        F.lit(delivery_id).alias("_delivery_id"),
        F.lit(rejected_at).alias("_rejected_at"),
    )
    commit = table.replace(rows, note) if table.exists else table.begin(rows, note)
    if commit is None or not commit.rows:
        return Quarantined(0)
    observation = observed.get
    return Quarantined(
        rows=commit.rows,
        resolved=observation["resolved"],
        discarded=observation["discarded"],
        signatures=_signatures(table, signatures, observation) if signatures is not None else {},
        samples=[row.asDict() for row in observation["samples"]],
    )


def resolve(rejected: DataFrame, accepted: DataFrame, key: Sequence[Column]) -> DataFrame:
    """``rejected`` with ``_resolved``: whether ``accepted`` has a row of the same ``key``, compared as text."""
    from pyspark.sql import functions as F

    names = [f"_k{position}" for position in range(len(key))]
    there = accepted.select(*(column.cast("string").alias(name) for column, name in zip(key, names, strict=True)))
    same = [column.cast("string") == F.col(name) for column, name in zip(key, names, strict=True)]
    joined = rejected.join(there.distinct().withColumn(RESOLVED, F.lit(True)), same, "left")
    return joined.withColumn(RESOLVED, F.coalesce(F.col(RESOLVED), F.lit(False))).drop(*names)


def _with_violations(rows: DataFrame) -> DataFrame:
    """The rows with ``_violations``, never NULL, and ``_resolved``."""
    from pyspark.sql import functions as F

    none = F.array().cast("array<string>")
    violations = F.coalesce(F.col(VIOLATIONS), none) if VIOLATIONS in rows.columns else none
    resolved = F.col(RESOLVED) if RESOLVED in rows.columns else F.lit(False)
    return rows.withColumn(VIOLATIONS, violations).withColumn(RESOLVED, resolved)


def _measures(rows: DataFrame) -> list[Column]:
    from pyspark.sql import functions as F

    places = [name for name in ("_file", "_line") if name in rows.columns]
    place = F.struct(*places, VIOLATIONS)
    discarded = ~F.col(RESOLVED) & F.array_contains(VIOLATIONS, DISCARDED)
    return [
        F.count_if(RESOLVED).alias("resolved"),
        F.count_if(discarded).alias("discarded"),
        F.min_by(place, place, MAX_SAMPLES).alias("samples"),
    ]


def _counts(signatures: Sequence[str]) -> list[Column]:
    from pyspark.sql import functions as F

    expected = F.array(*map(F.lit, signatures)).cast("array<string>")
    return [
        F.count_if(F.size(F.array_except(VIOLATIONS, expected)) > 0).alias("others"),
        *(F.count_if(F.array_contains(VIOLATIONS, s)).alias(f"s{position}") for position, s in enumerate(signatures)),
    ]


def _signatures(table: LakeTable, signatures: Sequence[str], observation: Mapping[str, Any]) -> dict[str, int]:
    if observation["others"]:
        return _read_back(table)
    counted = [(signature, observation[f"s{position}"]) for position, signature in enumerate(signatures)]
    return dict(sorted((c for c in counted if c[1]), key=lambda c: (-c[1], c[0]))[:MAX_SIGNATURES])


def _read_back(table: LakeTable) -> dict[str, int]:
    from pyspark.sql import functions as F

    rows = table.rows().select(F.explode(VIOLATIONS).alias("signature")).groupBy("signature").count()
    counts = rows.orderBy(F.desc("count"), "signature").limit(MAX_SIGNATURES).collect()
    return {row["signature"]: row["count"] for row in counts}
