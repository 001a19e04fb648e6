"""``catalog.evidence``: the append-only log of gate decisions, a chain for each dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.evidence import log
from data_platform.catalog.evidence.checkpoint import find_checkpoint_times, make_checkpoint, reseal_after_loss
from data_platform.catalog.evidence.head import find_heads
from data_platform.catalog.evidence.verification import never, verify
from data_platform.errors import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.catalog.evidence.chain import EvidenceChain
    from data_platform.model.evidence import Evidence
    from data_platform.model.evidence_break import Verification
    from data_platform.model.evidence_chain import Checkpoint, EvidenceRecord
    from data_platform.model.page import Page
    from data_platform.model.partition_key import PartitionKey


class EvidenceLog:
    def __init__(self, database: Database, chain: EvidenceChain) -> None:
        self._database, self._chain = database, chain

    def add(self, evidence: Sequence[Evidence]) -> None:
        """Add evidence of decisions made outside a stage.

        Raises:
            EnvironmentProblem: The key that sealed the last record is not there.
        """
        with self._database.writing() as connection:
            self._chain.append(connection, evidence)

    def require_key(self) -> None:
        """Raises: EnvironmentProblem, if a key that sealed a head is not there, so that no evidence could be added."""
        with self._database.reading() as connection:
            keys_in_use = {head.key_id for head in find_heads(connection).values()}
        if keys_in_use:
            self._chain.keys.current(keys_in_use)

    def find(
        self,
        urn: str | None = None,
        *,
        run_id: str | None = None,
        gate: str | None = None,
        result: str | None = None,
        partition: PartitionKey | None = None,
        stage: str | None = None,
        limit: int = 100,
    ) -> tuple[Evidence, ...]:
        """Newest first."""
        filters = {"dataset_urn": urn, "run_id": run_id, "gate": gate, "result": result}
        filters |= {"partition": partition, "stage": stage}
        with self._database.reading() as connection:
            return log.find_evidence(connection, filters, limit)

    def page(
        self,
        urn: str | None = None,
        *,
        gate: str | None = None,
        result: str | None = None,
        partition: PartitionKey | None = None,
        run_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Evidence]:
        """Newest first.

        Raises:
            InputError: The cursor is not of this listing.
        """
        filters = {"dataset_urn": urn, "run_id": run_id, "gate": gate, "result": result, "partition": partition}
        with self._database.reading() as connection:
            return log.find_page(connection, filters, limit, cursor)

    def record(self, evidence_id: str) -> EvidenceRecord | None:
        """One record with its place in the chain; None if there is none with this id.

        Raises:
            EnvironmentProblem: The row was changed by another program and cannot be read.
        """
        try:
            with self._database.reading() as connection:
                return log.find_record(connection, evidence_id)
        except (ValueError, TypeError):
            raise EnvironmentProblem(
                f"evidence {evidence_id} was changed by another program and cannot be read: run `data-platform "
                "evidence verify`"
            ) from None

    def verify(
        self,
        urn: str | None = None,
        *,
        anchored: Checkpoint | None = None,
        so_far: Verification | None = None,
        is_over: Callable[[], bool] = never,
    ) -> Verification:
        """Check every MAC and link, of one dataset or of all, also against a checkpoint that was kept elsewhere.

        It ends early once ``is_over``, and goes on where ``so_far``, which has no break, ended.
        """
        with self._database.reading() as connection:
            return verify(connection, self._chain.keys, urn, anchored, so_far=so_far, is_over=is_over)

    def neighbours(self, record: EvidenceRecord) -> tuple[str | None, str | None]:
        """The ids of the records before and after it in its chain."""
        if record.position is None:
            return None, None
        with self._database.reading() as connection:
            around = (record.position - 1, record.position + 1)
            ids = log.find_ids(connection, record.evidence.dataset_urn, around)
        return ids.get(around[0]), ids.get(around[1])

    def is_sealed(self, record: EvidenceRecord) -> bool | None:
        """Whether the MAC of the record matches its content; None if it has none, or its key is not there."""
        key = self._chain.keys.find(record.key_id) if record.key_id else None
        return None if key is None or record.position is None else record.is_sealed_by(key, record.position)

    def checkpoints(self, limit: int = 10) -> tuple[tuple[int, datetime], ...]:
        """Numbers and times of the stored checkpoints, newest first."""
        with self._database.reading() as connection:
            return find_checkpoint_times(connection, limit)

    def make_checkpoint(self, *, now: datetime) -> Checkpoint:
        """Store the heads of all chains under a MAC, and return them.

        Raises:
            EnvironmentProblem: The log was changed by another program, or a key is not there.
        """
        with self._database.writing() as connection:
            return make_checkpoint(connection, self._chain.keys, now)

    def reseal_after_loss(self, *, now: datetime) -> tuple[list[str], Checkpoint | None]:
        """Give up every key that is not there any more; returns their ids, and a checkpoint if there are any."""
        with self._database.writing() as connection:
            return reseal_after_loss(connection, self._chain.keys, now)
