"""Scans applied to a catalog, and looks at what became of it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, select

from data_platform.catalog import Catalog
from data_platform.catalog.lineage.registry import facets_of
from data_platform.catalog.lineage_table import GRAPH_REVISION, LINEAGE_EDGE
from data_platform.catalog.metadata import METADATA
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.legacy.mapping import LegacyMapping
from data_platform.legacy.scan_difference import difference
from data_platform.model.legacy_change import AppliedScan
from data_platform.model.lineage import NodeType
from data_platform_tests.legacy.example import scanned

START = datetime(2025, 1, 7, 3, tzinfo=UTC)


@dataclass
class Estate:
    """Each scan is applied an hour after the one before."""

    catalog: Catalog
    now: datetime = START

    def apply(self, *texts: str, mapping: LegacyMapping | None = None, retire_many: bool = False) -> AppliedScan:
        self.now += timedelta(hours=1)
        return self.catalog.legacy.apply_scan(
            scanned(*texts, mapping=mapping),
            difference,
            actor="ann",
            actor_role="LOCAL",
            now=self.now,
            retire_many=retire_many,
        )

    def rows(self, table: Table) -> list[dict[str, Any]]:
        with self.catalog._database.reading() as connection:
            return [dict(row) for row in connection.execute(select(table)).mappings()]

    def everything(self) -> dict[str, list[str]]:
        """Every row of every table, as text."""
        return {table.name: sorted(str(row) for row in self.rows(table)) for table in METADATA.sorted_tables}

    def processes(self) -> dict[str, dict[str, Any]]:
        return {row["process_key"]: row for row in self.rows(PROCESS)}

    def live(self) -> set[str]:
        return {key for key, row in self.processes().items() if row["retired_at"] is None}

    def edges(self, *, retired: bool = False) -> dict[tuple[str, str, str], dict[str, Any]]:
        """Live edges, or the retired ones: role, source, target to what is kept of it."""
        names = {("PROCESS", row["process_id"]): row["process_key"] for row in self.rows(PROCESS)}
        names |= {("DATASET", row["dataset_id"]): row["full_name"] for row in self.rows(DATASET)}
        return {
            (
                row["edge_role"],
                names[row["source_type"], row["source_id"]],
                names[row["target_type"], row["target_id"]],
            ): row["transform_meta"]
            for row in self.rows(LINEAGE_EDGE)
            if (row["retired_at"] is not None) is retired
        }

    def reached(self, key: str) -> set[str]:
        page = self.catalog.lineage.impact(key, kind=NodeType.PROCESS, limit=1000)
        return {hit.node.name for hit in page.hits.items}

    def facets(self, key: str) -> dict[str, Any]:
        number = self.processes()[key]["process_id"]
        with self.catalog._database.reading() as connection:
            return facets_of(connection, (NodeType.PROCESS, number))

    def revision(self) -> int:
        [row] = self.rows(GRAPH_REVISION)
        return int(row["revision"])


def jobs(*lines: str) -> str:
    """``BOX: b``, ``JOB in BOX: s(A)``, ``JOB:`` as JIL: name, box, and box mark or condition."""
    return "\n".join(_stanza(line) for line in lines)


def _stanza(line: str) -> str:
    name, _, rest = line.partition(":")
    job, _, box = name.partition(" in ")
    kind = "b" if rest.strip() == "b" else "c"
    said = [f"insert_job: {job.strip()} job_type: {kind}", "owner: ops@host"]
    held = [f"box_name: {box.strip()}"] if box else []
    waits = [f"condition: {rest.strip()}"] if rest.strip() and kind == "c" else []
    return "\n".join([*said, *held, *waits])
