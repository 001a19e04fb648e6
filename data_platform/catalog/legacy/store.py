"""``catalog.legacy``: scans of the legacy scheduler."""

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
        """Update processes, edges and datasets from the last applied scan to this one, in one transaction.

        Both scans cover all files of one scheduler. ``compare`` is ``data_platform.legacy.scan_difference.difference``.

        Raises:
            UsageError: Most jobs of the last scan are missing and ``retire_many`` is not set, or a name is too long.
        """
        options = Applying(compare=compare, actor=actor, role=actor_role, now=now, retire_many=retire_many)
        with self._database.writing() as connection:
            return apply_scan(connection, scan, options)

    def last_scan(self) -> LegacyScan | None:
        """The last applied scan, with its coverage report; None if there is none."""
        with self._database.reading() as connection:
            return read_scan(connection)
