"""Decisions of people about single rows, as an input of silver: which rows of the delivery they are about.

A quarantine table identifies a row by its file and line within the delivery. Bronze has the same places, so the rows
are found there again and marked with the number of the decision. The values are those of bronze: quarantine has tokens
and masks in place of personal values, and a row that is let through gets the same treatment as all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.errors import TableNotFoundError
from data_platform.lake.table import LakeTable
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.quarantine_decision import DISCARDED, Decision, DecisionKind
from data_platform.quarantine.store import RESOLVED
from data_platform.stage.redaction import shown_file

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.model.policy_bundle import PolicyBundle

DECISION = "_dp_decision"
"""The column of a row's decision, NULL for most rows; no stage writes it."""
_PLACE = ("_dp_file", "_dp_line")
_RULE = "_dp_rule"


@dataclass(frozen=True)
class RowDecisions:
    """Approved decisions about rows of one delivery, oldest first; the latest about a row counts."""

    decisions: tuple[Decision, ...] = ()

    def marked(self, raw: DataFrame) -> DataFrame:
        """``raw`` with the decision of each row.

        If two rows of the delivery have the same place, a decision may be about either, and is applied to neither:
        names of files are compared as they are shown, with personal values redacted.

        Raises:
            TableNotFoundError: A quarantine table that a decision is about is gone.
        """
        from pyspark.sql import functions as F

        if not self.decisions:
            return raw
        places = reduce(lambda a, b: a.unionByName(b), (_places(raw, decision) for decision in self.decisions))
        latest = places.groupBy(*_PLACE).agg(F.max(DECISION).alias(DECISION))
        own = raw.withColumns({_PLACE[0]: shown_file(F.col("_file")), _PLACE[1]: F.col("_line")})
        once = own.join(F.broadcast(latest), list(_PLACE)).groupBy(*_PLACE).agg(
            F.max(DECISION).alias(DECISION), F.count(F.lit(1)).alias("rows")
        ).where("rows = 1").drop("rows")  # fmt: skip
        return own.join(F.broadcast(once), list(_PLACE), "left").drop(*_PLACE)

    def applied_to(self, broken: Mapping[str, Column], bundle: PolicyBundle) -> dict[str, Column]:
        """``broken`` without the rules that released rows may break, and with ``DISCARDED`` for discarded rows.

        A column that is declared NOT NULL cannot be written without a value, so such a rule is never let through.
        """
        if not self.decisions:
            return dict(broken)
        not_null = {f"MISSING_FIELD:{c.field}" for c in bundle.schema_.constraints if not c.nullable}
        columns = {
            signature: flag if signature in not_null else flag & ~self._is_released(signature)
            for signature, flag in broken.items()
        }
        discarded = [decision.id for decision in self.decisions if decision.kind is DecisionKind.DISCARD]
        return {**columns, DISCARDED: _is_about(discarded)} if discarded else columns

    def measures(
        self, before: Mapping[str, Column], after: Mapping[str, Column], kept: Column
    ) -> dict[Hashable, Column]:
        """Counts of rows by decision, and of released rows by rule; ``before`` and ``after`` are the broken rules."""
        from pyspark.sql import functions as F

        if not self.decisions:
            return {}
        let_through = {
            s: flag & ~after[s] & kept for s, flag in before.items() if any(d.allows(s) for d in self.decisions)
        }
        released = reduce(lambda a, b: a | b, let_through.values(), F.lit(False))
        counts: dict[Hashable, Column] = {(_RULE, s): F.count_if(flag) for s, flag in let_through.items()}
        for decision in self.decisions:
            own = _is_about([decision.id])
            is_release = decision.kind is DecisionKind.RELEASE
            counts[DECISION, decision.id] = F.count_if(own & released if is_release else own)
        return counts

    def rows(self, measures: Mapping[Hashable, Any]) -> dict[int, int]:
        """The rows of each decision as the write counted them."""
        return {n[1]: rows for n, rows in measures.items() if isinstance(n, tuple) and n[0] == DECISION}

    def rules(self, measures: Mapping[Hashable, Any]) -> dict[str, int]:
        """The released rows that break each rule."""
        return {n[1]: rows for n, rows in measures.items() if isinstance(n, tuple) and n[0] == _RULE and rows}

    def _is_released(self, signature: str) -> Column:
        return _is_about([decision.id for decision in self.decisions if decision.allows(signature)])


NO_ROW_DECISIONS = RowDecisions()


def quarantined(raw: DataFrame, path: str, name: str) -> DataFrame:
    """The rows of a quarantine table, read in the session of ``raw``."""
    table = LakeTable(raw.sparkSession, path)
    if not table.exists:
        raise TableNotFoundError(
            f"the catalog lists quarantine.{name}, but there is no Delta table at {path}, so its rows cannot be "
            "identified: restore it from a backup, withdraw its release, or deliver the day again"
        )
    return table.rows()


def place_of(rows: DataFrame) -> DataFrame:
    """The places of quarantined rows, whose file names are shown ones already."""
    from pyspark.sql import functions as F

    return rows.select(F.col("_file").alias(_PLACE[0]), F.col("_line").alias(_PLACE[1]))


def at_places(raw: DataFrame, places: DataFrame) -> DataFrame:
    """The rows of ``raw`` that are at one of ``places``."""
    from pyspark.sql import functions as F

    own = raw.withColumns({_PLACE[0]: shown_file(F.col("_file")), _PLACE[1]: F.col("_line")})
    return own.join(F.broadcast(places.distinct()), list(_PLACE), "left_semi").drop(*_PLACE)


def _places(raw: DataFrame, decision: Decision) -> DataFrame:
    """The places of the rows that a decision is about: not of rows that were delivered again, or are out already."""
    from pyspark.sql import functions as F

    rows = quarantined(raw, decision.table_path, decision.entry).where(~F.col(RESOLVED))
    if decision.kind is DecisionKind.RELEASE:
        rows = rows.where(F.forall(VIOLATIONS, lambda violation: _is_allowed(violation, decision)))
    return place_of(rows).withColumn(DECISION, F.lit(decision.id))


def _is_allowed(violation: Column, decision: Decision) -> Column:
    from pyspark.sql import functions as F

    rules = (violation.eqNullSafe(rule) | violation.startswith(f"{rule}:") for rule in decision.signatures)
    return reduce(lambda a, b: a | b, rules, F.lit(False))


def _is_about(numbers: list[int]) -> Column:
    from pyspark.sql import functions as F

    return F.coalesce(F.col(DECISION).isin(numbers), F.lit(False)) if numbers else F.lit(False)
