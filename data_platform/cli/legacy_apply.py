"""Applies a scan to the catalog, and shows what changed, in rows and in one line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from data_platform.cli.token import LOCAL, user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.legacy import LegacyScan
    from data_platform.model.legacy_change import AppliedScan, ScanDifference


def apply_scan(scan: LegacyScan, *, retire_many: bool) -> AppliedScan:
    """Stores the scan. Raises: UsageError, if most jobs would be retired and ``retire_many`` is false."""
    from data_platform.catalog import open_catalog
    from data_platform.legacy.scan_difference import difference
    from data_platform.settings import read_settings

    with open_catalog(read_settings().catalog_url) as catalog:
        now = datetime.now(UTC)
        return catalog.legacy.apply_scan(
            scan, difference, actor=user(), actor_role=LOCAL, now=now, retire_many=retire_many
        )


def changes(difference: ScanDifference) -> Iterator[tuple[str, str, str]]:
    """A row for each changed job or dataset: what happened to it, its name, and the details."""
    yield from (("added", job.key, "") for job in difference.added)
    for change in difference.renamed:
        yield "renamed", change.new.key, f"was {change.old.key}"
    for change in difference.changed:
        yield "changed", change.new.key, ", ".join(field.field for field in change.fields)
    yield from (("retired", job.key, "no longer in any file") for job in difference.retired)
    before = {dataset.urn for dataset in difference.datasets_removed}
    after = {dataset.urn for dataset in difference.datasets_added}
    yield from (("added", urn, "dataset") for urn in sorted(after - before))
    yield from (("changed", urn, "dataset") for urn in sorted(after & before))
    yield from (("removed", urn, "dataset") for urn in sorted(before - after))


def summary(applied: AppliedScan) -> str:
    """The numbers of changes in one line; the values of changed fields are only in the JSON."""
    difference = applied.difference
    if not applied.stored:
        return f"the catalog already has this scan: nothing was written, {difference.unchanged} jobs are unchanged"
    parts = [
        f"{len(difference.added)} jobs added",
        f"{len(difference.changed)} changed",
        f"{len(difference.renamed)} renamed or moved",
        f"{len(difference.retired)} retired",
        f"{difference.unchanged} unchanged",
        f"{len(difference.edges_added)} dependencies added, {len(difference.edges_removed)} removed",
    ]
    return f"applied: {'; '.join(parts)}"
