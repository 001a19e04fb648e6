"""The part of ``Catalog`` about the legacy scheduler's scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.legacy.apply import Applying, apply_scan
from data_platform.catalog.legacy.kept import read_scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.legacy import LegacyScan
    from data_platform.model.legacy_change import AppliedScan, ScanDifference


class LegacyScans:
    def __init__(self, database: Database) -> None:
        self._database = database

    def apply_scan(
        self,
        scan: LegacyScan,
        compare: Callable[[LegacyScan, LegacyScan], ScanDifference],
        *,
        actor: str,
        actor_role: str,
        now: datetime,
        retire_many: bool = False,
    ) -> AppliedScan:
        """Bring processes, edges and datasets from the last applied scan to this one, all of it or nothing.

        Both are of all files of one scheduler. ``compare`` is ``data_platform.legacy.scan_difference.difference``.

        Raises:
            UsageError: Most known jobs are missing and ``retire_many`` was not said, or a name is too long.
        """
        given = Applying(compare=compare, actor=actor, role=actor_role, now=now, retire_many=retire_many)
        with self._database.writing() as connection:
            return apply_scan(connection, scan, given)

    def last_scan(self) -> LegacyScan | None:
        """The scan that was applied last, with its coverage report; None if none ever was."""
        with self._database.reading() as connection:
            return read_scan(connection)
