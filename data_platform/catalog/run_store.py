"""``catalog.runs``: results of stages, their verdicts, and intents to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.catalog import (
    delivered_content,
    field_metric,
    gate_day,
    row_count,
    run,
    run_warning,
    schema,
    verdict,
    waiver_use,
)
from data_platform.catalog import intent as intents
from data_platform.catalog.lineage.event_store import record_events
from data_platform.catalog.record import record_stage
from data_platform.catalog.token_use import find_token_uses
from data_platform.model.quarantine import Supersedes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.catalog.evidence.chain import EvidenceChain
    from data_platform.model.certification import PointerMove
    from data_platform.model.dataset import Stage
    from data_platform.model.delivered_content import ContentHistory
    from data_platform.model.delivery_history import DeliveredFields
    from data_platform.model.evidence import Evidence
    from data_platform.model.gate_day import GateDay
    from data_platform.model.intent import Intent
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.run import RunRow, StageReport
    from data_platform.model.run_warning import RunWarning
    from data_platform.model.schema import Schema
    from data_platform.model.token_use import TokenUse
    from data_platform.model.verdict import Verdict
    from data_platform.model.volume import DeliveredRows
    from data_platform.model.waiver import Waiver
    from data_platform.model.waiver_effect import WaiverEffect


class Runs:
    def __init__(self, database: Database, chain: EvidenceChain) -> None:
        self._database, self._chain = database, chain

    def open_intent(self, intent: Intent) -> None:
        """Record that a run is about to write a table."""
        with self._database.writing() as connection:
            intents.open_intent(connection, intent)

    def close_intent(
        self, run_id: str, stage: Stage, *, outcome: str, now: datetime, dataset_urn: str | None = None
    ) -> None:
        """Close the intents of the run at ``stage``: those of one dataset, or of all if none is named."""
        with self._database.writing() as connection:
            intents.close_intent(connection, run_id, stage, dataset_urn=dataset_urn, outcome=outcome, now=now)

    def open_intents(self, urn: str | None = None) -> tuple[Intent, ...]:
        """Oldest first."""
        with self._database.reading() as connection:
            return intents.find_open_intents(connection, urn)

    def record(
        self,
        report: StageReport,
        evidence: Sequence[Evidence],
        *,
        quarantine: QuarantineEntry | None = None,
        held_reason: str | None = None,
        move: PointerMove | None = None,
        applied: Mapping[int, int] | None = None,
        supersedes: Supersedes = Supersedes.NONE,
        events: Sequence[LineageEvent] = (),
        outbox: bool = False,
    ) -> None:
        """Record the result of a stage, and close its intent.

        In the same transaction, ``held_reason`` marks the certification as held, ``move`` moves it to a version with
        the same rows, ``applied`` maps decisions about quarantined rows to the number of rows that they were applied
        to, ``supersedes`` closes earlier quarantine of the partition, ``events`` go to the lineage, and with ``outbox``
        to another OpenLineage endpoint too.

        Raises:
            UsageError: This run has recorded another result for the same dataset and stage, or a value is not allowed.
        """
        with self._database.writing() as connection:
            record_stage(
                connection,
                self._chain,
                report,
                evidence,
                quarantine=quarantine,
                held_reason=held_reason,
                move=move,
                applied=applied,
                supersedes=supersedes,
            )
            record_events(connection, events, outbox=outbox, now=report.finished_at)

    def is_recorded(self, run_id: str, urn: str, stage: Stage) -> bool:
        with self._database.reading() as connection:
            return run.find_key(connection, run_id, urn, stage) is not None

    def get(self, run_id: str, urn: str, stage: Stage) -> RunRow | None:
        with self._database.reading() as connection:
            return run.find_run(connection, run_id, urn, stage)

    def latest(
        self, urn: str, stage: Stage, partition: PartitionKey | None, *, passed_only: bool = False
    ) -> RunRow | None:
        """The last run of the stage; with ``passed_only`` the last one that passed or was waived, whatever followed."""
        with self._database.reading() as connection:
            return run.find_latest(connection, urn, stage, partition, passed_only=passed_only)

    def signatures(self, urn: str, partition: PartitionKey | None) -> frozenset[str]:
        """The failures of the last run of each stage for the partition."""
        with self._database.reading() as connection:
            return run.find_last_signatures(connection, urn, partition)

    def last_metadata(self, urn: str, stage: Stage) -> dict[str, Any]:
        """The metadata of the last run of ``stage``, of any partition; empty if there is none."""
        with self._database.reading() as connection:
            return run.find_last_metadata(connection, urn, stage)

    def accepted_rows(self, urn: str, *, before: PartitionKey | None = None, limit: int) -> tuple[DeliveredRows, ...]:
        """Row counts of gold by partition, in their order: the newest ``limit`` partitions, or those ``before`` one."""
        with self._database.reading() as connection:
            return row_count.find_accepted_rows(connection, urn, before=before, limit=limit)

    def field_metrics(self, urn: str, *, before: PartitionKey | None = None, limit: int) -> tuple[DeliveredFields, ...]:
        """Metrics of columns by partition, in their order: the newest ``limit``, or those ``before`` one."""
        with self._database.reading() as connection:
            return field_metric.find_field_metrics(connection, urn, before=before, limit=limit)

    def content_history(self, urn: str, partition: PartitionKey, digest: str) -> ContentHistory:
        """Digests of the rows of the partitions around ``partition``, if they did not get those of ``digest`` later."""
        with self._database.reading() as connection:
            return delivered_content.find_content_history(connection, urn, partition, digest)

    def gate_days(self, urn: str, *, limit: int) -> tuple[GateDay, ...]:
        """The last verdict of each gate for each of the newest ``limit`` partitions, in their order."""
        with self._database.reading() as connection:
            return gate_day.find_gate_days(connection, urn, limit=limit)

    def waivers(self, urn: str, version: int) -> list[dict[str, Any]]:
        """The waivers on which slices of gold's ``version`` depend, by their numbers."""
        with self._database.reading() as connection:
            return waiver_use.find_uses(connection, urn, version)

    def waiver_effects(
        self, waivers: Sequence[Waiver], versions: Mapping[str, int], *, most_days: int
    ) -> dict[int, WaiverEffect]:
        """By the numbers of the waivers; ``versions`` maps a dataset to the version of gold that consumers see."""
        with self._database.reading() as connection:
            return {
                one.number: waiver_use.find_effect(connection, one, versions.get(one.dataset_urn), most_days)
                for one in waivers
            }

    def token_uses(self, urn: str | None = None) -> tuple[TokenUse, ...]:
        """The keys of the tokens in silver and in what consumers see, by partition; of one dataset, or of all."""
        with self._database.reading() as connection:
            return find_token_uses(connection, urn)

    def held(self, *, since: datetime | None = None, urns: Collection[str] | None = None) -> tuple[RunRow, ...]:
        """The last run that held each day of each dataset that was not certified since.

        ``since`` selects the runs that ended at that time or later, ``urns`` those of some datasets.
        """
        with self._database.reading() as connection:
            return run.find_held(connection, since=since, urns=urns)

    def warnings(self, *, since: datetime, runs: Collection[str] = ()) -> tuple[RunWarning, ...]:
        """Rules that warned in the last run of a stage of a partition, and in the newest partition too.

        Of runs that passed at ``since`` or later, and of the ``runs`` with these ids.
        """
        with self._database.reading() as connection:
            return run_warning.find_warnings(connection, since=since, runs=runs)

    def newest(self) -> dict[str, RunRow]:
        """The last run of each dataset, by URN."""
        with self._database.reading() as connection:
            return {row.dataset_urn: row for row in run.find_newest(connection)}

    def recent(self, urn: str | None = None, *, limit: int = 100) -> tuple[RunRow, ...]:
        """Newest first."""
        with self._database.reading() as connection:
            return run.find_runs(connection, urn, limit)

    def verdicts(self, run_id: str, urn: str, stage: Stage) -> tuple[Verdict, ...]:
        """The recorded verdicts with their rule results; empty for a run that is not recorded."""
        with self._database.reading() as connection:
            key = run.find_key(connection, run_id, urn, stage)
            return () if key is None else verdict.find_verdicts(connection, key)

    def schema(self, fingerprint: str) -> Schema | None:
        return self.schemas([fingerprint]).get(fingerprint)

    def schemas(self, fingerprints: Collection[str]) -> dict[str, Schema]:
        """The columns that are stored for ``fingerprints``."""
        with self._database.reading() as connection:
            return schema.find_schemas(connection, fingerprints)
