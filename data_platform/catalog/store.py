"""The catalog as its callers see it: one method, one transaction. What a method does is in the module of its noun.

No clock is read here: every time comes from the caller, aware of its zone, and comes back in UTC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.catalog import certification as pointer
from data_platform.catalog import evidence as log
from data_platform.catalog import intent as intents
from data_platform.catalog import quarantine as aside
from data_platform.catalog import registration, run, schema, verdict
from data_platform.catalog.access.store import AccessStore
from data_platform.catalog.arrival.store import ArrivalStore
from data_platform.catalog.database import open_database
from data_platform.catalog.lease_store import LeaseStore
from data_platform.catalog.legacy.store import LegacyStore
from data_platform.catalog.lineage.event_store import EventStore, tell
from data_platform.catalog.lineage.store import Lineage
from data_platform.catalog.migration import is_current, migrate
from data_platform.catalog.record import record_stage
from data_platform.catalog.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta
    from types import TracebackType

    from data_platform.catalog.database import Database
    from data_platform.model.certification import Certification, PointerMove
    from data_platform.model.dataset import Stage
    from data_platform.model.evidence import Evidence
    from data_platform.model.intent import Intent
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.registration import Registration
    from data_platform.model.run import RunRow, StageReport
    from data_platform.model.schema import Schema
    from data_platform.model.verdict import Outcome, Verdict


def open_catalog(url: str) -> Catalog:
    """The catalog at ``url``, made or brought up to date if need be; two processes may do so at once.

    Raises:
        UsageError: ``url`` is neither ``sqlite:////folder/catalog.db`` nor ``postgresql://…``.
        EnvironmentProblem: It cannot be used, or newer code has made it.
        SourceUnavailableError: The server did not answer.
    """
    database = open_database(url)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return Catalog(database)


class Catalog(AccessStore, ArrivalStore, LeaseStore, LegacyStore, EventStore, Registry):
    """May be used from several threads. Nothing of a method that raises is kept."""

    def __init__(self, database: Database) -> None:
        Registry.__init__(self, database)
        EventStore.__init__(self, database)
        self.lineage = Lineage(database)

    def __enter__(self) -> Catalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def is_current(self) -> bool:
        """Whether its schema is the one of this code.

        Raises:
            SourceUnavailableError: The server did not answer.
        """
        return is_current(self._database)

    def save_dataset(
        self,
        urn: str,
        *,
        table: str,
        owner_team: str,
        tier: str,
        description: str,
        policy_fingerprint: str,
        now: datetime,
        owner_email: str | None = None,
        tags: Sequence[str] = (),
        partitioning: str | None = None,
        category: str | None = None,
        status: str = "ACTIVE",
        sla: tuple[str, timedelta] | None = None,
    ) -> None:
        """``sla`` is a name, and how old the latest version may be."""
        values: dict[str, Any] = {
            "table_name": table,
            "owner_team": owner_team,
            "tier": tier,
            "description": description,
            "policy_fingerprint": policy_fingerprint,
            "owner_email": owner_email,
            "tags": list(tags),
            "partitioning": partitioning,
            "category": category,
            "status": status,
            "default_format": "DELTA",
        }
        with self._database.writing() as connection:
            if sla is not None:
                name, window = sla
                values["default_sla_id"] = registration.save_sla(connection, name, int(window.total_seconds()), now=now)
            registration.save_dataset(connection, urn, values, now=now)

    def save_process(
        self, key: str, *, description: str, team: str, technology: str, trigger_mode: str, now: datetime
    ) -> None:
        values = {"description": description, "team": team, "technology": technology, "trigger_mode": trigger_mode}
        with self._database.writing() as connection:
            registration.save_process(connection, key, values, now=now)

    def datasets(self) -> tuple[Registration, ...]:
        with self._database.reading() as connection:
            return registration.find_datasets(connection)

    def open_intent(self, intent: Intent) -> None:
        with self._database.writing() as connection:
            intents.open_intent(connection, intent)

    def close_intent(
        self, run_id: str, stage: Stage, *, outcome: str, now: datetime, dataset_urn: str | None = None
    ) -> None:
        """Of all datasets of the run, if none is named."""
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
        events: Sequence[LineageEvent] = (),
        outbox: bool = False,
    ) -> None:
        """Keep what a stage did, and close its intent; with a ``held_reason`` the pointer is held in the same moment.

        With ``move`` the pointer follows the table to a version with the same rows in that moment too.

        ``events`` tell the same to the lineage, and with ``outbox`` to another service too.

        Raises:
            UsageError: This run has recorded something else for the same dataset and stage, or a value is not allowed.
        """
        with self._database.writing() as connection:
            record_stage(connection, report, evidence, quarantine=quarantine, held_reason=held_reason, move=move)
            tell(connection, events, outbox=outbox, now=report.finished_at)

    def is_recorded(self, run_id: str, urn: str, stage: Stage) -> bool:
        with self._database.reading() as connection:
            return run.find_key(connection, run_id, urn, stage) is not None

    def certify(
        self,
        certification: Certification,
        *,
        expected: int | None,
        evidence: Sequence[Evidence],
        report: StageReport | None = None,
        events: Sequence[LineageEvent] = (),
        outbox: bool = False,
    ) -> None:
        """Move the pointer from ``expected``, the version that the caller saw, together with the evidence for it.

        The same run may say the same version again; then nothing is written a second time.

        Raises:
            ConflictError: The pointer is elsewhere by now, or would move backward.
        """
        with self._database.writing() as connection:
            if not pointer.advance(connection, certification, expected=expected):
                return
            if report is None:
                log.add_evidence(connection, evidence)
            else:
                record_stage(connection, report, evidence, quarantine=None, held_reason=None)
                tell(connection, events, outbox=outbox, now=report.finished_at)

    def hold(self, urn: str, *, run_id: str, partition: str | None, reason: str, now: datetime) -> Certification:
        """Consumers go on seeing the version they see; the state says that a newer attempt did not get there."""
        with self._database.writing() as connection:
            return pointer.hold(connection, urn, run_id=run_id, partition=partition, reason=reason, now=now)

    def follow(self, urn: str, move: PointerMove, *, now: datetime) -> None:
        """Move the pointer to a later version with the same rows.

        Raises:
            ConflictError: The pointer is elsewhere by now, or would move backward.
        """
        with self._database.writing() as connection:
            pointer.follow(connection, urn, move, now=now)

    def certification(self, urn: str) -> Certification | None:
        with self._database.reading() as connection:
            return pointer.find_certification(connection, urn)

    def certifications(self) -> tuple[Certification, ...]:
        with self._database.reading() as connection:
            return pointer.find_certifications(connection)

    def certification_history(self, urn: str) -> tuple[Certification, ...]:
        """Newest first, with each hold."""
        with self._database.reading() as connection:
            return pointer.find_history(connection, urn)

    def outcome_of(self, urn: str, stage: Stage, version: int) -> Outcome | None:
        """Of exactly this Delta version; None if nobody ever judged it."""
        with self._database.reading() as connection:
            return run.find_outcome(connection, urn, stage, version)

    def latest_report(
        self, urn: str, stage: Stage, partition: str | None, *, passed_only: bool = False
    ) -> RunRow | None:
        """``passed_only`` answers with the last run that passed, whatever came after it."""
        with self._database.reading() as connection:
            return run.find_latest(connection, urn, stage, partition, passed_only=passed_only)

    def held(self) -> tuple[RunRow, ...]:
        """Of each day of each dataset that was held and not certified since, the run that held it last."""
        with self._database.reading() as connection:
            return run.find_held(connection)

    def runs(self, urn: str | None = None, *, limit: int = 100) -> tuple[RunRow, ...]:
        """Newest first."""
        with self._database.reading() as connection:
            return run.find_runs(connection, urn, limit)

    def verdicts(self, run_id: str, urn: str, stage: Stage) -> tuple[Verdict, ...]:
        """As they were recorded, with their rule results; none of a run that is not on record."""
        with self._database.reading() as connection:
            key = run.find_key(connection, run_id, urn, stage)
            return () if key is None else verdict.find_verdicts(connection, key)

    def schema(self, fingerprint: str) -> Schema | None:
        with self._database.reading() as connection:
            return schema.find_schema(connection, fingerprint)

    def add_evidence(self, evidence: Sequence[Evidence]) -> None:
        """Evidence of what no stage did."""
        with self._database.writing() as connection:
            log.add_evidence(connection, evidence)

    def evidence(
        self,
        urn: str | None = None,
        *,
        run_id: str | None = None,
        gate: str | None = None,
        result: str | None = None,
        partition: str | None = None,
        stage: str | None = None,
        limit: int = 100,
    ) -> tuple[Evidence, ...]:
        """Newest first."""
        wanted = {"dataset_urn": urn, "run_id": run_id, "gate": gate, "result": result}
        wanted |= {"partition": partition, "stage": stage}
        with self._database.reading() as connection:
            return log.find_evidence(connection, wanted, limit)

    def quarantine(self, urn: str | None = None, *, include_closed: bool = False) -> tuple[QuarantineEntry, ...]:
        """Newest first; only what is OPEN, if not asked for more."""
        with self._database.reading() as connection:
            return aside.find_entries(connection, urn, include_closed=include_closed)

    def quarantine_entry(self, name: str) -> QuarantineEntry | None:
        with self._database.reading() as connection:
            return aside.find_entry(connection, name)

    def supersede_quarantine(self, urn: str, stage: Stage, partition: str | None, *, by_run: str, now: datetime) -> int:
        """Close what earlier runs of the same slice left OPEN, since ``by_run`` judged it anew; how many that were."""
        with self._database.writing() as connection:
            return aside.supersede(connection, urn, stage, partition, by_run=by_run, now=now)
