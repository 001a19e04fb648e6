"""``catalog.certifications``: the version of a dataset that consumers see, and its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import certification as pointer
from data_platform.catalog import certification_history as past
from data_platform.catalog import explanation
from data_platform.catalog.lineage.event_store import record_events
from data_platform.catalog.quarantine_decision import refuse_withdrawn
from data_platform.catalog.record import record_stage
from data_platform.catalog.waiver import refuse_lapsed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.catalog.evidence.chain import EvidenceChain
    from data_platform.model.certification import Certification, PastCertification, PointerChange, PointerMove
    from data_platform.model.evidence import Evidence
    from data_platform.model.explanation import Explanation
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.page import Page
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport


class Certifications:
    def __init__(self, database: Database, chain: EvidenceChain) -> None:
        self._database, self._chain = database, chain

    def certify(
        self,
        certification: Certification,
        *,
        expected: int | None,
        evidence: Sequence[Evidence],
        report: StageReport | None = None,
        waivers: Sequence[int] = (),
        releases: Sequence[int] = (),
        events: Sequence[LineageEvent] = (),
        outbox: bool = False,
    ) -> None:
        """Move the pointer from ``expected``, the version that the caller read, and add the evidence for it.

        ``waivers`` and ``releases`` are the numbers of those that the version depends on; each must be approved at
        this moment.

        A run may certify the same version again; then nothing is written a second time.

        Raises:
            ConflictError: The pointer is elsewhere by now, would move backward; a waiver or release is not approved.
        """
        with self._database.writing() as connection:
            if waivers and certification.certified_at is not None:
                refuse_lapsed(connection, waivers, certification.certified_at)
            refuse_withdrawn(connection, releases)
            if not pointer.advance(connection, certification, expected=expected):
                return
            if report is None:
                self._chain.append(connection, evidence)
            else:
                record_stage(connection, self._chain, report, evidence, quarantine=None, held_reason=None)
                record_events(connection, events, outbox=outbox, now=report.finished_at)

    def hold(
        self, urn: str, *, run_id: str, partition: PartitionKey | None, reason: str, now: datetime
    ) -> Certification:
        """Record that a newer attempt was held; consumers keep the version they see."""
        with self._database.writing() as connection:
            return pointer.hold(connection, urn, run_id=run_id, partition=partition, reason=reason, now=now)

    def follow(self, urn: str, move: PointerMove, *, now: datetime) -> None:
        """Move the pointer to a later version with the same rows.

        Raises:
            ConflictError: The pointer is elsewhere by now, or would move backward.
        """
        with self._database.writing() as connection:
            pointer.follow(connection, urn, move, now=now)

    def get(self, urn: str) -> Certification | None:
        with self._database.reading() as connection:
            return pointer.find_certification(connection, urn)

    def all(self, urns: Sequence[str] | None = None) -> tuple[Certification, ...]:
        """Of every dataset, or of ``urns``, as they were at one moment."""
        with self._database.reading() as connection:
            return pointer.find_certifications(connection, urns)

    def history(self, urn: str) -> tuple[Certification, ...]:
        """Every certification, move and hold, newest first."""
        with self._database.reading() as connection:
            return pointer.find_history(connection, urn)

    def at(self, urn: str, moment: datetime) -> PastCertification:
        """What consumers saw at ``moment``.

        Raises:
            NotCertifiedError: No version was certified at that time; the message has the time of the first one.
        """
        with self._database.reading() as connection:
            return past.find_past(connection, urn, moment)

    def changes(self, urn: str, *, limit: int = 50, cursor: str | None = None) -> Page[PointerChange]:
        """Every certification, hold and move of the pointer, newest first."""
        with self._database.reading() as connection:
            return past.find_changes(connection, urn, limit=limit, cursor=cursor)

    def explain(self, urn: str, version: int | None, partition: PartitionKey | None) -> Explanation:
        """Why ``version`` was certified; without one, the last result of ``partition``; without both, of what is shown.

        Raises:
            NotFoundError: There is no such version, or no run of the partition has ended.
        """
        current = self.get(urn)
        if version is None and partition is None and current is not None:
            version, partition = current.version, current.attempt_partition if current.version is None else None
        if version is None:
            return self.explain_last(urn, partition)
        return self.explain_version(urn, version, partition)

    def explain_version(self, urn: str, version: int, partition: PartitionKey | None = None) -> Explanation:
        """Why ``version`` was certified: the runs of the partition that it was certified for, or of ``partition``.

        Raises:
            NotFoundError: No such version was certified, or it has no such partition; the message has those that exist.
        """
        with self._database.reading() as connection:
            return explanation.explain_version(connection, urn, version, partition)

    def explain_last(self, urn: str, partition: PartitionKey | None) -> Explanation:
        """The last result of ``partition``, held or certified.

        Raises:
            NotFoundError: No run of it has ended; the message has partitions that exist.
        """
        with self._database.reading() as connection:
            return explanation.explain_last(connection, urn, partition)
