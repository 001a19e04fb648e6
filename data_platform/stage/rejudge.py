"""Judges gold again without writing it again, because its policy has changed.

A verdict counts under its own policy only. If a rule was edited between gold and certification, certification runs the
gates on the rows of gold, under the current policy. Silver and bronze cannot be judged without their input, so a
certification whose silver or bronze was judged under another policy is held until they run again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.gates.plan import Measured
from data_platform.gates.released import RULES
from data_platform.lake.partition import Slice
from data_platform.model.dataset import Stage
from data_platform.model.evidence import Evidence
from data_platform.model.stage_gate import complete, outcome_of, with_skipped
from data_platform.model.verdict import Outcome, RuleResult, Verdict
from data_platform.model.waiver import WAIVERS, numbers_of
from data_platform.stage import decision, gold, spark_failure
from data_platform.stage.candidate import Attempt
from data_platform.stage.day import session_of
from data_platform.stage.prerequisite import is_current
from data_platform.stage.table_read import rows_at
from data_platform.stage.waiving import waived

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from pyspark.sql import DataFrame

    from data_platform.gates.plan import GatePlans
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class Rejudgement:
    """The result of the current policy for one partition of gold.

    ``stale`` are stages before gold that were judged under another policy; ``verdicts`` exist if gold was judged again.
    """

    dataset: Dataset
    partition: PartitionKey | None
    stale: tuple[Stage, ...] = ()
    verdicts: tuple[Verdict, ...] = field(default=())

    @property
    def passed(self) -> bool:
        if self.stale:
            return False
        return not self.verdicts or self._outcome.qualifies

    @property
    def _outcome(self) -> Outcome:
        return outcome_of(self.verdicts, Stage.GOLD, derived=self.dataset.derived)

    def results(self) -> Iterator[RuleResult]:
        """The results that prevent the certification of the partition."""
        for stage in self.stale:
            reason = f"{self._what(stage)} passed another policy than today's: run {stage} and what follows again"
            yield RuleResult.failed(f"POLICY_CHANGED:{stage}", reason, rule="policy")
        for verdict in self.verdicts:
            for result in verdict.results:
                if not verdict.outcome.qualifies and result.outcome is not Outcome.PASSED:
                    yield result

    def reason(self) -> str:
        """Why it cannot be certified, and what to do."""
        if self.stale:
            return "; ".join(result.reason for result in self.results())
        broken = ", ".join(f"{verdict.gate} ({verdict.reason or 'broken'})" for verdict in self.verdicts
                           if not verdict.outcome.qualifies)  # fmt: skip
        return (
            f"{self._what(Stage.GOLD)} passed another policy than today's, was judged again under today's, and breaks "
            f"{broken}: run its stages again, so that the rows in question are quarantined, or correct the policy"
        )

    def _what(self, stage: Stage) -> str:
        return f"{stage} of {self.dataset.urn} {self.partition or ''}".rstrip()


def rejudge(
    platform: Platform, dataset: Dataset, partitions: Iterable[PartitionKey | None], version: int, run_id: str
) -> list[Rejudgement]:
    """The rejudged ``partitions`` of gold's ``version``: those whose verdicts were given under another policy."""
    rejudged = []
    for partition in dict.fromkeys(partitions):
        stale = tuple(_stale(platform, dataset, partition))
        last = platform.catalog.runs.latest(dataset.urn, Stage.GOLD, partition)
        if stale:
            rejudged.append(Rejudgement(dataset, partition, stale))
        elif last is None or not last.qualifies or not is_current(dataset, last):
            verdicts = judge(platform, dataset, partition, version, run_id)
            rejudged.append(Rejudgement(dataset, partition, verdicts=verdicts))
    return rejudged


def _stale(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> Iterator[Stage]:
    """The stages before gold whose last run that passed was judged under another policy.

    Gold may have the rows of that run although a later one was held: then a newer delivery is to be corrected.
    """
    for stage in dataset.stages:
        if stage not in (Stage.GOLD, Stage.CERTIFIED):
            passed = platform.catalog.runs.latest(dataset.urn, stage, partition, passed_only=True)
            if passed is not None and not is_current(dataset, passed):
                yield stage


def evidence_of(rejudged: Iterable[Rejudgement], run_id: str, now: datetime) -> list[Evidence]:
    """A record for each gate that passed gold again, or was waived: the certification depends on these verdicts."""
    return [
        Evidence(
            dataset_urn=item.dataset.urn,
            run_id=run_id,
            gate=verdict.gate.value,
            result="PASS" if verdict.passed else "FAIL",
            failure_signature=None if verdict.passed else next(iter(verdict.signatures), None),
            timestamp=now,
            stage=Stage.GOLD.value,
            partition=item.partition,
            enforcement=item.dataset.enforcement.mode.value,
            waivers=numbers_of(verdict.metadata.get(WAIVERS, ())),
        )
        for item in rejudged
        for verdict in item.verdicts
        if verdict.outcome.qualifies
    ]


def judge(
    platform: Platform,
    dataset: Dataset,
    partition: PartitionKey | None,
    version: int,
    run_id: str,
    *,
    stage: Stage = Stage.GOLD,
    allowed: Mapping[str, int | None] | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts of gold's gates on the partition's rows in ``version`` of ``stage``: gold, or silver to try them.

    ``allowed`` are the rules that people let the batch break; by default, those of its last run.
    """
    rows = rows_at(platform, dataset, stage, version, run_id, session_of(platform, dataset))
    if partition is not None and dataset.policy.partition is not None:
        rows = Slice(dataset.policy.partition.key, partition).of(rows)
    attempt = Attempt(dataset, Stage.GOLD, partition, run_id, platform.now())
    if allowed is None:
        allowed = decision.released_at(platform, dataset, Stage.GOLD, partition).get(RULES)
    gates = gold.plans(platform, attempt, rows, allowed)
    rules = gold.rules(gates, rows)
    with spark_failure.explained(attempt, rows):
        try:
            verdicts = gates.judge(_measured(gates, rows))
        except spark_failure.spark_errors():
            raising = spark_failure.errored(attempt, rules)
            if raising is None:
                raise
            verdicts = with_skipped([raising], Stage.GOLD, derived=dataset.derived)
    judged = complete(verdicts, Stage.GOLD, derived=dataset.derived)
    return waived(platform, attempt, (verdict.redacted() for verdict in judged))


def _measured(gates: GatePlans, rows: DataFrame) -> Measured:
    from pyspark.sql import functions as F

    measures = gates.measures(F.lit(True))
    aggregates = [measure.alias(f"m{position}") for position, measure in enumerate(measures.values())]
    [row] = rows.agg(F.count(F.lit(1)).alias("rows"), *aggregates).collect()
    read = int(row["rows"])
    values = {name: row[f"m{position}"] for position, name in enumerate(measures)}
    return Measured(read=read, accepted=read, rejected=0, measures=values, broken={}, written=rows)
