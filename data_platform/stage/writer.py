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
from data_platform.model.dataset import Stage
from data_platform.model.intent import Intent
from data_platform.model.personal import redacted_json, shown_schema
from data_platform.model.quarantine import OWN_COLUMNS
from data_platform.model.run import JUDGED_UNDER, RowCounts, StageReport
from data_platform.model.stage_gate import complete, outcome_of, with_skipped
from data_platform.model.verdict import Outcome
from data_platform.quarantine.batch import Origin, quarantine_batch
from data_platform.quarantine.store import resolve
from data_platform.stage import event_emitter, spark_failure, table_evolution, token_key
from data_platform.stage.evidence import evidence_of
from data_platform.stage.finished_run import finished_meanwhile
from data_platform.stage.lease import leased
from data_platform.stage.maintenance import move_to_same_rows, show_pointer
from data_platform.stage.reconcile import reconcile
from data_platform.stage.registration import declare
from data_platform.stage.table_read import restore

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import DataFrame

    from data_platform.gates.expression.split import Split
    from data_platform.installation import Platform
    from data_platform.model.quarantine import Level, QuarantineEntry
    from data_platform.model.verdict import Verdict
    from data_platform.stage.candidate import Candidate
    from data_platform.stage.lease import Held


def write(platform: Platform, candidate: Candidate) -> StageReport:
    """Writes and judges ``candidate``; returns its report, which the catalog has too.

    Raises:
        LeaseHeldError: Another run is writing this dataset, and did not end in time.
        ConflictError: Another writer changed the table in the meantime. Nothing of this candidate is visible.
        ConservationError: Rows were lost or doubled on the way. The write was rolled back.
        EnvironmentProblem, SourceError, PolicyError: Spark could not write, read or compute the rows.
    """
    attempt = candidate.attempt
    rows = candidate.rules.rows if candidate.rules else None
    with leased(platform, candidate.dataset, attempt.run_id) as lease, spark_failure.explained(attempt, rows):
        reconcile(platform, candidate.dataset, attempt.run_id)
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
        self.note = {
            "run_id": candidate.attempt.run_id,
            "dataset": candidate.dataset.urn,
            "stage": candidate.stage.value,
            "partition": candidate.partition,
            "policy": candidate.dataset.fingerprint,
            "inputs": candidate.input_versions,
            "kind": "data",
        }
        self.quarantined: QuarantineEntry | None = None
        self.samples: list[dict[str, Any]] = []

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
        self._quarantine(rows, level="batch", signatures=_signatures(verdicts))
        self._step("quarantine_batch")
        kept = self.quarantined.rows if self.quarantined else 0
        return RowCounts(read=kept, quarantined=kept)

    def _hold_if_a_rule_raises(self) -> StageReport | None:
        candidate = self.candidate
        rows, raising = candidate.quarantine.whole, spark_failure.errored(candidate.attempt, candidate.rules)
        if raising is None or rows is None:
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
        if self._passed(verdicts):
            return self._record(verdicts, counts, version=version)
        everything = self._hold_written(written, verdicts)
        self._roll_back(before)
        return self._record(verdicts, RowCounts(read=counts.read, quarantined=everything), version=None, judged=version)

    def _judge(self, split: Split, accepted: int, written: DataFrame) -> tuple[RowCounts, tuple[Verdict, ...]]:
        """Quarantines the rejected rows, and judges the written ones."""
        candidate = self.candidate
        counted = split.counts(accepted)
        if counted.quarantined:
            rejected = candidate.quarantine.protect(split.rejected)
            if key := candidate.quarantine.key:
                rejected = resolve(rejected, written, [quoted(name) for name in key])
            self._quarantine(rejected, level="row", signatures=None)
        kept = self.quarantined.rows if self.quarantined else 0
        self._step("quarantine")
        measured = Measured(
            read=counted.read,
            accepted=counted.accepted,
            rejected=kept,
            measures=split.measures(),
            broken={signature: rows or 0 for signature, rows in self.quarantined.signatures.items()}
            if self.quarantined
            else {},
            written=written,
        )
        judged = tuple(verdict.redacted() for verdict in candidate.gates.judge(measured))
        verdicts = complete(judged, candidate.stage, derived=candidate.dataset.derived)
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
        rows, own = self.table.at(version), self._slice()
        return own.of(rows) if own else rows

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
        self._quarantine(rows, level="batch", signatures=_signatures(verdicts))
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
        """Record the report in the catalog; ``judged`` is the version of a candidate that was rolled back."""
        candidate, dataset, catalog = self.candidate, self.candidate.dataset, self.platform.catalog
        self.lease.confirm()
        now, passed = self.platform.now(), self._passed(verdicts)
        report = self._report(verdicts, rows, version, judged, now)
        declare(self.platform, dataset, now)
        previous = catalog.certifications.get(dataset.urn)
        restored = candidate.stage is Stage.GOLD and judged is not None
        move = move_to_same_rows(self.platform, dataset, self.table) if restored else None
        catalog.runs.record(
            report,
            evidence_of(report, previous, held=not passed, now=now),
            quarantine=self.quarantined,
            held_reason=None if passed else ", ".join(_signatures(verdicts)) or "a gate did not pass",
            move=move,
            events=event_emitter.events_of(self.platform, dataset, report),
            outbox=self.platform.settings.openlineage_url is not None,
        )
        catalog.quarantine.supersede(
            dataset.urn, candidate.stage, candidate.partition, by_run=self.attempt.run_id, now=now
        )
        if move is not None:
            show_pointer(self.platform, dataset)
        event_emitter.pass_on_in_passing(self.platform)
        self._step("record", report=report)
        return report

    def _report(
        self, verdicts: tuple[Verdict, ...], rows: RowCounts, version: int | None, judged: int | None, now: datetime
    ) -> StageReport:
        candidate, dataset = self.candidate, self.candidate.dataset
        return StageReport(
            dataset=dataset.id,
            stage=candidate.stage,
            partition=candidate.partition,
            run_id=self.attempt.run_id,
            path=self.table.path,
            version=version,
            rows=rows,
            verdicts=verdicts,
            started_at=self.attempt.started_at,
            finished_at=now,
            schema=shown_schema(self.table.schema(), candidate.declared, OWN_COLUMNS) if version is not None else None,
            quarantine_table=self.quarantined.full_name if self.quarantined else None,
            quarantine_path=self.quarantined.path if self.quarantined else None,
            delivery_id=candidate.delivery_id,
            policy_fingerprint=dataset.fingerprint,
            input_versions=candidate.input_versions,
            metadata=self._metadata(judged),
            derived=dataset.derived,
        )

    def _metadata(self, judged: int | None) -> dict[str, Any]:
        metadata = dict(self.candidate.metadata)
        if judged is not None:
            metadata["judged_version"] = judged
        if self.samples:
            metadata["samples"] = self.samples
        dataset, stage = self.candidate.dataset, self.candidate.stage
        # The fingerprint of what judged it is no text of a delivery, and is not redacted.
        return (
            redacted_json(metadata) | token_key.noted(self.platform, dataset) | {JUDGED_UNDER: dataset.judgement(stage)}
        )

    def _passed(self, verdicts: tuple[Verdict, ...]) -> bool:
        """Whether every gate of the stage gave one verdict, and each passed."""
        candidate = self.candidate
        return outcome_of(verdicts, candidate.stage, derived=candidate.dataset.derived) is Outcome.PASSED

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


def _signatures(verdicts: tuple[Verdict, ...]) -> dict[str, int | None]:
    rows_by_signature: dict[str, int | None] = {}
    for verdict in verdicts:
        if not verdict.passed:
            for result in verdict.results:
                if result.outcome is not Outcome.PASSED:
                    rows_by_signature[result.signature] = result.rows
    return rows_by_signature
