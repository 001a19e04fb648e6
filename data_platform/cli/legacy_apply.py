"""A scan on its way into the catalog, and what was new about it, in rows and in one line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from data_platform.cli.token import LOCAL, user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.legacy import LegacyScan
    from data_platform.model.legacy_change import AppliedScan, ScanDifference


def keep(scan: LegacyScan, *, retire_many: bool) -> AppliedScan:
    """Raises: UsageError, if most jobs would be retired and that was not said to be meant."""
    from data_platform.catalog import open_catalog
    from data_platform.legacy.scan_difference import difference
    from data_platform.settings import read_settings

    with open_catalog(read_settings().catalog_url) as catalog:
        now = datetime.now(UTC)
        return catalog.legacy.apply_scan(
            scan, difference, actor=user(), actor_role=LOCAL, now=now, retire_many=retire_many
        )


def changes(difference: ScanDifference) -> Iterator[tuple[str, str, str]]:
    """A row a job or dataset that is not as it was: what became of it, its name, and where that shows."""
    yield from (("added", job.key, "") for job in difference.added)
    for change in difference.renamed:
        yield "renamed", change.new.key, f"was {change.old.key}"
    for change in difference.changed:
        yield "changed", change.new.key, ", ".join(field.field for field in change.fields)
    yield from (("retired", job.key, "in no file any more") for job in difference.retired)
    before = {dataset.urn for dataset in difference.datasets_removed}
    after = {dataset.urn for dataset in difference.datasets_added}
    yield from (("added", urn, "dataset") for urn in sorted(after - before))
    yield from (("changed", urn, "dataset") for urn in sorted(after & before))
    yield from (("removed", urn, "dataset") for urn in sorted(before - after))


def told(applied: AppliedScan) -> str:
    """Values of fields are left out: they are in the JSON."""
    found = applied.difference
    if not applied.stored:
        return f"the catalog has this very scan: nothing was written, {found.unchanged} jobs are as they were"
    parts = [
        f"{len(found.added)} jobs added",
        f"{len(found.changed)} changed",
        f"{len(found.renamed)} renamed or moved",
        f"{len(found.retired)} retired",
        f"{found.unchanged} as they were",
        f"{len(found.edges_added)} dependencies added, {len(found.edges_removed)} removed",
    ]
    return f"applied: {'; '.join(parts)}"
