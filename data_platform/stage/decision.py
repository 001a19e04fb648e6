"""Decisions of people about quarantined rows, as an input of the next run of the day.

They are bound to the delivery: ``find`` returns none for another one. A decision about single rows acts in silver's
split (``decided_row``). A release of a whole batch lets named rules be broken (``gates.released``), and so does gold
for rows that were released in silver, for exactly as many rows. What was let through is in the metadata of the stage's
report, and from there in the certification's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.gates.released import BY, RELEASED, ROWS, RULES
from data_platform.model.dataset import Stage
from data_platform.model.quarantine_decision import Decision, DecisionKind
from data_platform.stage.decided_row import NO_ROW_DECISIONS, RowDecisions

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class Decisions:
    """``before`` is what the stage before let through, as its report has it under ``RELEASED``."""

    rows: RowDecisions = NO_ROW_DECISIONS
    batches: tuple[Decision, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)

    @property
    def allowed(self) -> dict[str, int | None]:
        """The rules that the batch may break, with the approved rows."""
        rules: dict[str, int | None] = dict(self.before.get(RULES, {}))
        for decision in self.batches:
            for signature, rows in decision.signatures.items():
                known = rules.get(signature)
                rules[signature] = rows if known is None or rows is None else max(known, rows)
        return rules

    def input_version(self, dataset: Dataset) -> dict[str, int]:
        """The number of the latest decision as an input: a run without it has another result."""
        numbers = [decision.id for decision in (*self.rows.decisions, *self.batches)]
        return {f"{dataset.urn}@decisions": max(numbers)} if numbers else {}

    def applied(
        self, measures: Mapping[Hashable, Any], verdicts: Sequence[Verdict], rows_accepted: int
    ) -> dict[int, int]:
        """The rows to which a stage that passed has applied each decision."""
        counts = self.rows.rows(measures)
        counts |= {decision.id: rows_accepted for decision in self._used(_by_verdict(verdicts))}
        return {number: rows for number, rows in counts.items() if rows}

    def released(self, measures: Mapping[Hashable, Any], verdicts: Sequence[Verdict]) -> dict[str, Any]:
        """What people let through, for the report: rows by rule, and who decided. Empty if nothing was."""
        by_verdict = _by_verdict(verdicts)
        rules = {**self.before.get(RULES, {}), **by_verdict, **self.rows.rules(measures)}
        if not rules:
            return {}
        counts = self.rows.rows(measures)
        own = self.releases(measures, verdicts)
        rows = sum(counts.get(one.id, 0) for one in own if one.level == "row") or self.before.get(ROWS, 0)
        return {ROWS: rows, RULES: rules, BY: [*self.before.get(BY, ()), *(decision.sentence for decision in own)]}

    def releases(self, measures: Mapping[Hashable, Any], verdicts: Sequence[Verdict]) -> list[Decision]:
        """The releases by which this stage let rows or the batch through."""
        counts = self.rows.rows(measures)
        rows = [d for d in self.rows.decisions if counts.get(d.id) and d.kind is DecisionKind.RELEASE]
        return rows + self._used(_by_verdict(verdicts))

    def _used(self, rules: Collection[str]) -> list[Decision]:
        """The releases of the batch that name one of ``rules``, which it breaks."""
        return [decision for decision in self.batches if not decision.signatures.keys().isdisjoint(rules)]


NO_DECISIONS = Decisions()


def _by_verdict(verdicts: Sequence[Verdict]) -> dict[str, int | None]:
    return {s: rows for verdict in verdicts for s, rows in verdict.metadata.get(RELEASED, {}).items()}


def find(
    platform: Platform,
    dataset: Dataset,
    stage: Stage,
    partition: PartitionKey | None,
    delivery_id: str,
    before: Mapping[str, Any] | None = None,
) -> Decisions:
    """The approved decisions about what ``stage`` quarantined of this delivery."""
    effective = platform.catalog.quarantine.effective(dataset.urn, stage, partition, delivery_id)
    return Decisions(
        rows=RowDecisions(tuple(d for d in effective if d.level == "row" and stage is Stage.SILVER)),
        batches=tuple(d for d in effective if d.level == "batch" and d.kind is DecisionKind.RELEASE),
        before=before or {},
    )


def released_at(platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None) -> dict[str, Any]:
    """What the last run of ``stage`` let through."""
    last = platform.catalog.runs.latest(dataset.urn, stage, partition)
    return released_by(last) if last is not None else {}


def released_by(run: RunRow) -> dict[str, Any]:
    """What a run let through, by its report; empty if it failed."""
    released: dict[str, Any] = run.metadata.get(RELEASED, {}) if run.qualifies else {}
    return released
