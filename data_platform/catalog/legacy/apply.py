"""Updates the catalog from the last applied scan to a new one, in the caller's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.catalog.audit import add_audit
from data_platform.catalog.legacy import dataset, edge, kept, process, sighting
from data_platform.catalog.legacy.shape import columns_of, jobs_of, require_short
from data_platform.catalog.lineage.edge import change_graph
from data_platform.catalog.search import reindex
from data_platform.errors import UsageError
from data_platform.model.legacy import TECHNOLOGY, LegacyScan
from data_platform.model.legacy_change import AppliedScan
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.legacy import LegacyProcess
    from data_platform.model.legacy_change import ScanDifference

_SHARE = 0.5
"""The share of jobs that may be missing from a scan; with more, files were probably left out."""


@dataclass(frozen=True, kw_only=True)
class Applying:
    """Who applies a scan and when; ``compare`` computes the difference of two scans."""

    compare: Callable[[LegacyScan, LegacyScan], ScanDifference]
    actor: str
    role: str
    now: datetime
    retire_many: bool = False


def apply_scan(connection: Connection, scan: LegacyScan, options: Applying) -> AppliedScan:
    """Raises: UsageError, if most jobs would be retired, or a name is too long; then nothing is stored."""
    require_short(jobs_of(scan))
    digest = kept.digest_of(kept.document_of(scan))
    before = kept.read_scan(connection) or LegacyScan()
    difference = options.compare(before, scan)
    if digest == kept.read_digest(connection):
        _log(connection, scan, digest, options)
        return AppliedScan(difference=difference, stored=False)
    if not options.retire_many:
        _require_most(before, scan, difference)
    step = _Step(connection, before, scan, difference, options.now)
    step.take()
    changes = kept.read_key_changes(connection) + (1 if step.moved else 0)
    _log(connection, scan, digest, options)
    kept.write_scan(connection, scan, key_changes=changes, by=options.actor, now=options.now)
    counts = {name: len(getattr(difference, name)) for name in ("added", "changed", "renamed", "retired")}
    detail = {**counts, "edges_written": step.written, "edges_removed": step.removed, "jobs": len(scan.processes)}
    event: dict[str, Any] = {"action": "legacy.scan", "subject": TECHNOLOGY, "detail": detail, "now": options.now}
    add_audit(connection, actor=options.actor, role=options.role, **event)
    return AppliedScan(difference=difference, stored=True)


def _log(connection: Connection, scan: LegacyScan, digest: str, options: Applying) -> None:
    rows = process.find_rows(connection, (job.key for job in scan.processes))
    numbers = [row.process_id for row in rows.values()]
    files = scan.coverage.files
    sighting.log_scan(connection, numbers, digest=digest, files=files, by=options.actor, now=options.now)


def _require_most(before: LegacyScan, scan: LegacyScan, difference: ScanDifference) -> None:
    missing = [job for job in difference.retired if job.name not in scan.deleted]
    if len(missing) > _SHARE * len(before.processes):
        raise UsageError(
            f"{len(missing)} of {len(before.processes)} known jobs are in none of these files, so they would be "
            "retired: name all files of the scheduler, or pass --retire-many if they are really gone; nothing was "
            "stored"
        )


class _Step:
    """Applies the step from one scan to the next. ``moved`` is true if a key now belongs to another row."""

    def __init__(
        self, connection: Connection, before: LegacyScan, after: LegacyScan, difference: ScanDifference, now: datetime
    ) -> None:
        self.connection = connection
        self.before, self.after = before, after
        self.difference = difference
        self.now = now
        self.old, self.new = jobs_of(before), jobs_of(after)
        self.was = {change.new.key: change.old.key for change in difference.renamed}
        rows = process.find_rows(connection, self.old)
        self.rows_before = {key: row.process_id for key, row in rows.items()}
        self.ids: dict[str, int] = {}
        self.changed: set[tuple[NodeType, int]] = set()
        self.moved = False
        self.written = self.removed = 0

    def take(self) -> None:
        self._name()
        self._retire()
        self._add()
        self._change()
        self._connect()
        reindex(self.connection, self.changed)

    def _name(self) -> None:
        """Gives new keys to rows of renamed jobs, and of jobs that return in another box."""
        number = self.rows_before
        keys = {number[was]: key for key, was in self.was.items() if was in number}
        fresh = {key: job for key, job in self.new.items() if key not in self.old and key not in self.was}
        if fresh:
            taken = process.find_rows(self.connection, fresh)
            retired = process.find_retired(self.connection)
            absent = {key: retired.get(key.rpartition("/")[2]) for key in fresh if key not in taken}
            keys |= {row.process_id: key for key, row in absent.items() if row is not None}
        process.give_keys(self.connection, keys, known=number.values(), now=self.now)
        self.moved = bool(keys)

    def _retire(self) -> None:
        gone = self.old.keys() - self.new.keys() - set(self.was.values())
        numbers = [self.rows_before[key] for key in sorted(gone) if key in self.rows_before]
        self.removed += process.retire(self.connection, numbers, now=self.now)
        self.changed |= {(NodeType.PROCESS, number) for number in numbers}

    def _add(self) -> None:
        rows = process.find_rows(self.connection, self.new)
        process.add(self.connection, [job for key, job in self.new.items() if key not in rows], now=self.now)
        for row in rows.values():
            if row.retired_at is not None:
                process.revive(self.connection, row, now=self.now)
                self.changed.add((NodeType.PROCESS, row.process_id))
        stored = process.find_rows(self.connection, self.new)
        self.ids = {key: row.process_id for key, row in stored.items()}
        self.changed |= {(NodeType.PROCESS, self.ids[key]) for key in self.new if key not in rows or key in self.was}

    def _change(self) -> None:
        """Writes columns and facets of new and changed jobs; a value missing in JIL does not remove one."""
        jobs = {key: job for key, job in self.new.items() if self._is_changed(key, job)}
        facets = process.keep_facets(self.connection, {self.ids[k]: j for k, j in jobs.items()}, now=self.now)
        rows = process.find_rows(self.connection, jobs)
        values: dict[int, dict[str, Any]] = {}
        for key, job in jobs.items():
            columns = _columns_to_write(self.old.get(self.was.get(key, key)), job)
            row = rows[key]._mapping
            differing = {name: value for name, value in columns.items() if row[name] != value}
            facets_changed = row["process_id"] in facets and row["created_at"] != self.now
            if differing or facets_changed:
                values[row["process_id"]] = differing
        process.change(self.connection, values, now=self.now)
        self.changed |= {(NodeType.PROCESS, number) for number in values}

    def _is_changed(self, key: str, job: LegacyProcess) -> bool:
        before = self.old.get(self.was.get(key, key))
        return before is None or before != job or before.trees != job.trees

    def _connect(self) -> None:
        fresh = dataset.change_datasets(self.connection, self.before, self.after, now=self.now)
        self.changed |= {(NodeType.DATASET, number) for number in fresh}
        urns = [one.urn for one in (*self.before.datasets, *self.after.datasets)]
        datasets = dataset.find_keys(self.connection, urns)
        before = edge.edges_of(self.before, self.rows_before, datasets)
        after = edge.edges_of(self.after, self.ids, datasets)
        written, removed = edge.change_edges(self.connection, before, after, now=self.now)
        self.written += written
        self.removed += removed
        if self.removed:
            edge.forget_shapes(self.connection)
        if self.written or self.removed:
            change_graph(self.connection)


def _columns_to_write(old: LegacyProcess | None, job: LegacyProcess) -> Mapping[str, Any]:
    columns = columns_of(job)
    if old is None:
        return {name: value for name, value in columns.items() if value}
    old_columns = columns_of(old)
    return {name: value for name, value in columns.items() if old_columns[name] != value}
