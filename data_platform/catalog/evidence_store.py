"""``catalog.evidence``: the append-only log of gate decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import evidence as log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.catalog.database import Database
    from data_platform.model.evidence import Evidence
    from data_platform.model.partition_key import PartitionKey


class EvidenceLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, evidence: Sequence[Evidence]) -> None:
        """Add evidence of decisions made outside a stage."""
        with self._database.writing() as connection:
            log.add_evidence(connection, evidence)

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
