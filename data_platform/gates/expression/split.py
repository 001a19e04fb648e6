"""Splits rows into accepted and rejected, once: no row is in both, none in neither.

The accepted rows have an ``Observation`` that counts during the write, so that counting needs no job of its own. The
violations of a row are computed below the observation, where the optimizer cannot copy them into the filter above; the
reasons are built for rejected rows only, since filtering on an array of reasons costs three to four times the plain
copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.errors import PolicyError
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.run import RowCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from pyspark.sql import Column, DataFrame, Observation

_REJECTED = "_rejected"


@dataclass(frozen=True)
class Split:
    """``accepted`` has the columns of the rows; ``rejected`` has ``VIOLATIONS`` as well, and is built when it is used.

    ``counted`` answers after ``accepted`` was written, and waits for that write if it is under way. ``signatures``
    are those that appear in ``VIOLATIONS`` unchanged; others end in a detail of the row.
    """

    accepted: DataFrame
    reject: Callable[[], DataFrame]
    counted: Observation
    measured: tuple[Hashable, ...] = field(default=())
    signatures: tuple[str, ...] = field(default=())

    @property
    def rejected(self) -> DataFrame:
        """The rejected rows, each with its violations."""
        return self.reject()

    def counts(self, accepted: int) -> RowCounts:
        """Rows read and rejected as observed, and ``accepted`` from the write's own commit."""
        observed = self.counted.get
        return RowCounts(read=observed["rows"], accepted=accepted, quarantined=observed["rejected"])

    def measures(self) -> dict[Hashable, Any]:
        """The results of ``measures``."""
        observed = self.counted.get
        return {name: observed[f"m{position}"] for position, name in enumerate(self.measured)}


def split(
    rows: DataFrame,
    broken: Mapping[str, Column],
    *,
    measures: Mapping[Hashable, Column] | None = None,
    details: Mapping[str, Column] | None = None,
) -> Split:
    """Splits ``rows`` by ``broken``, which maps signatures to never-NULL boolean columns.

    ``measures`` are aggregates over all the rows, read and rejected, in the same write. ``details`` append ``:<text>``
    to the signature of a row's violation.

    Raises:
        PolicyError: A column of the rows has a name that the platform needs.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    if taken := {_REJECTED, VIOLATIONS} & {name.lower() for name in rows.columns}:
        raise PolicyError(f"column {', '.join(sorted(taken))}: the platform needs this name; rename the column")
    measures, details = measures or {}, details or {}
    rejected = reduce(lambda a, b: a | b, broken.values(), F.lit(False))
    observation = Observation()
    judged = rows.select("*", rejected.alias(_REJECTED)).observe(
        observation,
        F.count(F.lit(1)).alias("rows"),
        F.count_if(F.col(_REJECTED)).alias("rejected"),
        *(aggregate.alias(f"m{position}") for position, aggregate in enumerate(measures.values())),
    )
    return Split(
        accepted=judged.where(~F.col(_REJECTED)).drop(_REJECTED),
        reject=lambda: rows.where(rejected).withColumn(VIOLATIONS, _violations(broken, details)),
        counted=observation,
        measured=tuple(measures),
        signatures=tuple(signature for signature in broken if signature not in details),
    )


def _violations(broken: Mapping[str, Column], details: Mapping[str, Column]) -> Column:
    """The reasons for which a row is rejected."""
    from pyspark.sql import functions as F

    reasons = [F.when(flag, _reason(signature, details.get(signature))) for signature, flag in broken.items()]
    return F.array_compact(F.array(*reasons)).cast("array<string>")


def _reason(signature: str, detail: Column | None) -> Column:
    from pyspark.sql import functions as F

    if detail is None:
        return F.lit(signature)
    return F.concat(F.lit(signature + ":"), F.coalesce(detail, F.lit("NULL")))
