"""Writes a candidate once, has that version judged, and records the result.

The steps; each is reported to ``platform.on_step`` when it is done, and the process may die at each:

    lease → intent → commit → quarantine → judge → [hold: quarantine_batch → restore] → record → release

Before the commit an intent is in the catalog, and the commit's note names its run. So the next run finds a commit that
was not judged, and rolls it back (``reconcile``). A version is in the catalog with its verdicts or it is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import ConservationError
from data_platform.gates.expression.column import quoted
from data_platform.gates.plan import Measured
from data_platform.lake.partition import Slice
from data_platform.model.intent import Intent
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.stage_gate import complete, with_skipped
from data_platform.quarantine.batch import Origin, quarantine_batch
from data_platform.quarantine.store import resolve
from data_platform.stage import spark_failure, table_evolution
from data_platform.stage.finished_run import finished_meanwhile
from data_platform.stage.stage_record import StageOutcome, broken_signatures, record_stage
from data_platform.stage.table_read import restore, slice_of
from data_platform.stage.waiving import waived

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from data_platform.gates.expression.split import Split
    from data_platform.installation import Platform
    from data_platform.model.quarantine import Level, QuarantineEntry
    from data_platform.model.verdict import Verdict
    from data_platform.stage.candidate import Candidate
    from data_platform.stage.lease import Held


def write(platform: Platform, candidate: Candidate, lease: Held) -> StageReport:
    """Writes and judges ``candidate``; returns its report, which the catalog has too.

    ``candidate`` was prepared under ``lease``, after a dead run was reconciled.

    Raises:
        LeaseHeldError: Another run took the lease over.
        ConflictError: Another writer changed the table in the meantime. Nothing of this candidate is visible.
        ConservationError: Rows were lost or doubled on the way. The write was rolled back.
        EnvironmentProblem, SourceError, PolicyError: Spark could not write, read or compute the rows.
    """
    attempt = candidate.attempt
    rows = candidate.rules.rows if candidate.rules else None
    with spark_failure.explained(attempt, rows, candidate.source_failure):
        done = finished_meanwhile(
            platform,
            candidate.dataset,
            candidate.stage,
            candidate.partition,
            run_id=attempt.run_id,
            delivery_id=candidate.delivery_id,
            input_versions=candidate.input_versions,
        )
        if done is not None:
            return done
        delivery = _Write(platform, candidate, lease)
        return delivery.hold_early() if candidate.split is None else delivery.write_and_judge()


class _Write:
    """The write of one candidate; the steps share their results."""

    def __init__(self, platform: Platform, candidate: Candidate, lease: Held) -> None:
        self.platform = platform
        self.lease = lease
        self.candidate, self.attempt = candidate, candidate.attempt
        self.table = platform.table(candidate.dataset, candidate.stage)
        self.note = candidate.note
        self.quarantined: QuarantineEntry | None = None
        self.samples, self.measures = list[dict[str, Any]](), dict[Any, Any]()

    def hold_early(self) -> StageReport:
        """The batch was judged before the write: nothing is written except quarantined rows."""
        rows, verdicts = self.candidate.quarantine.whole, self._with_skipped(self.candidate.gates.early)
        counts = RowCounts()
        if rows is not None:
            self._open_intent(self.table.version() if self.table.exists else None)
            counts = self._hold_unwritten(rows, verdicts)
        return self._record(verdicts, counts, version=None)

    def _with_skipped(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        """One verdict for each gate: those that held the batch before the write, and skipped ones for the others."""
        stage, derived = self.candidate.stage, self.candidate.dataset.derived
        verdicts_of_all = complete(with_skipped(verdicts, stage, derived=derived), stage, derived=derived)
        return tuple(verdict.redacted() for verdict in verdicts_of_all)

    def _hold_unwritten(self, rows: DataFrame, verdicts: tuple[Verdict, ...]) -> RowCounts:
        self._quarantine(rows, level="batch", signatures=broken_signatures(verdicts))
        self._step("quarantine_batch")
        kept = self.quarantined.rows if self.quarantined else 0
        return RowCounts(read=kept, quarantined=kept)

    def _hold_if_a_rule_raises(self) -> StageReport | None:
        candidate = self.candidate
        raising = spark_failure.errored(candidate.attempt, candidate.rules)
        if raising is None or (rows := candidate.quarantine.whole) is None:
            return None
        verdicts = self._with_skipped((*candidate.gates.early, raising))
        return self._record(verdicts, self._hold_unwritten(rows, verdicts), version=None)

    def write_and_judge(self) -> StageReport:
        candidate, split = self.candidate, self.candidate.split
        assert split is not None, "an early verdict holds the batch before this"  # noqa: S101
        before, grown = table_evolution.prepare(self.table, split.accepted, candidate, self.note)
        self._open_intent(before)
        try:
            commit = self.table.replace(
                table_evolution.fitted(self.table, split.accepted), self.note, only=self._slice()
            )
        except spark_failure.spark_errors():
            held = self._hold_if_a_rule_raises()
            if held is None:
                raise
            return held
        self._step("commit")
        version = commit.version if commit else grown
        written = self._written(version)
        counts, verdicts = self._judge(split, commit.rows if commit else 0, written)
        self._step("judge")
        if not counts.conserved:
            self._roll_back(before)
            raise ConservationError(
                f"{self.attempt.name}: {counts.read} rows read are not "
                f"{counts.accepted} accepted plus {counts.quarantined} quarantined; the write was rolled back"
            )
        if not candidate.is_held_by(verdicts):
            return self._record(verdicts, counts, version=version)
        counts = RowCounts(read=counts.read, quarantined=self._hold_written(written, verdicts))
        self._roll_back(before)
        return self._record(verdicts, counts, version=None, judged=version)

    def _judge(self, split: Split, accepted: int, written: DataFrame) -> tuple[RowCounts, tuple[Verdict, ...]]:
        """Quarantines the rejected rows, and judges the written ones."""
        candidate, counted = self.candidate, split.counts(accepted)
        if counted.quarantined:
            rejected = candidate.quarantine.protect(split.rejected)
            if key := candidate.quarantine.key:
                rejected = resolve(rejected, written, [quoted(name) for name in key])
            self._quarantine(rejected, level="row", signatures=None)
        kept = self.quarantined.rows if self.quarantined else 0
        self._step("quarantine")
        self.measures = split.measures()
        measured = Measured(
            read=counted.read,
            accepted=counted.accepted,
            rejected=kept,
            measures=self.measures,
            broken={signature: rows or 0 for signature, rows in self.quarantined.signatures.items()}
            if self.quarantined
            else {},
            written=written,
        )
        verdicts = waived(self.platform, self.attempt, candidate.verdicts_on(measured))
        return RowCounts(read=counted.read, accepted=counted.accepted, quarantined=kept), verdicts

    def _open_intent(self, before: int | None) -> None:
        self.lease.confirm()
        candidate = self.candidate
        self.platform.catalog.runs.open_intent(
            Intent(
                run_id=self.attempt.run_id,
                dataset_urn=candidate.dataset.urn,
                stage=candidate.stage,
                partition=candidate.partition,
                path=self.table.path,
                before=before,
                note=self.note,
                opened_at=self.attempt.started_at,
            )
        )
        self._step("intent")

    def _written(self, version: int) -> DataFrame:
        candidate = self.candidate
        return slice_of(self.table, candidate.dataset, candidate.stage, version, self.attempt.run_id, self._slice())

    def _slice(self) -> Slice | None:
        column, partition = self.candidate.partition_by, self.attempt.partition
        return Slice(column, partition) if column and partition else None

    def _quarantine(self, rows: DataFrame, *, level: Level, signatures: dict[str, int | None] | None) -> None:
        candidate = self.candidate
        origin = Origin(
            dataset=candidate.dataset.id,
            stage=candidate.stage,
            partition=candidate.partition,
            run_id=self.attempt.run_id,
            delivery_id=candidate.delivery_id,
            started_at=self.attempt.started_at,
        )
        counted = candidate.split.signatures if candidate.split else None
        written = quarantine_batch(
            self.platform, origin, self.note, rows, level=level, signatures=signatures, counted=counted
        )
        if written is not None:
            self.quarantined, self.samples = written

    def _hold_written(self, written: DataFrame, verdicts: tuple[Verdict, ...]) -> int:
        rows = self.candidate.whole_batch(written, with_rejected=self.quarantined is not None)
        self._quarantine(rows, level="batch", signatures=broken_signatures(verdicts))
        self._step("quarantine_batch")
        return self.quarantined.rows if self.quarantined else 0

    def _roll_back(self, before: int) -> None:
        """Restores the version before the table was extended for this candidate: its columns are rolled back too."""
        if self.table.version() > before:
            restore(self.table, before, {**self.note, "kind": "restore"})
        self._step("restore")

    def _record(
        self, verdicts: tuple[Verdict, ...], rows: RowCounts, *, version: int | None, judged: int | None = None
    ) -> StageReport:
        """Records the report in the catalog; ``judged`` is the version of a candidate that was rolled back."""
        self.lease.confirm()
        outcome = StageOutcome(
            verdicts=verdicts,
            rows=rows,
            version=version,
            judged_version=judged,
            quarantined=self.quarantined,
            samples=self.samples,
            measures=self.measures,
        )
        report = record_stage(self.platform, self.candidate, self.table, outcome)
        self._step("record", report=report)
        return report

    def _step(self, name: str, **details: Any) -> None:
        candidate = self.candidate
        self.platform.on_step(
            name,
            {
                "dataset": candidate.dataset.urn,
                "stage": candidate.stage.value,
                "partition": candidate.partition,
                **details,
            },
        )
