"""Compares two scans, so that a second scan writes and reports only what changed.

A job is the same job if its name is the same, or if a ``rename_job`` of the later files maps the old name to the new
one; similar content does not count, nor does the job's position in its file. A changed edge, link, dataset or object
is reported as the old one removed and the new one added.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from data_platform.model.legacy import LegacyProcess
from data_platform.model.legacy_change import FieldChange, ProcessChange, ScanDifference

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from data_platform.model.legacy import LegacyScan

Item = TypeVar("Item", bound="Hashable")

_COMPARED = tuple(part.name for part in fields(LegacyProcess) if part.compare)


def difference(before: LegacyScan, after: LegacyScan) -> ScanDifference:
    """Both scans must contain all files of one scheduler: the jobs of a missing file are reported as retired."""
    old = {process.name: process for process in before.processes}
    new = {process.name: process for process in after.processes}
    kept = _kept(old, new, dict(after.renamed))
    changes = [ProcessChange(old[was], new[now], _fields(old[was], new[now])) for now, was in kept.items()]
    changes = [change for change in changes if change.fields]
    same = set(kept.values())
    return ScanDifference(
        added=tuple(process for name, process in new.items() if name not in kept),
        changed=tuple(change for change in changes if change.old.key == change.new.key),
        renamed=tuple(change for change in changes if change.old.key != change.new.key),
        retired=tuple(process for name, process in old.items() if name not in same),
        unchanged=len(kept) - len(changes),
        edges_added=_only_in(after.edges, before.edges),
        edges_removed=_only_in(before.edges, after.edges),
        links_added=_only_in(after.links, before.links),
        links_removed=_only_in(before.links, after.links),
        datasets_added=_only_in(after.datasets, before.datasets),
        datasets_removed=_only_in(before.datasets, after.datasets),
        objects_added=_only_in(after.objects, before.objects),
        objects_removed=_only_in(before.objects, after.objects),
    )


def _kept(old: Iterable[str], new: Iterable[str], renamed: dict[str, str]) -> dict[str, str]:
    """Maps the new name of each job that is in both scans to its old name."""
    old, new = set(old), dict.fromkeys(new)
    moved = {now: was for was, now in renamed.items() if was in old and was not in new and now not in old}
    return {now: moved.get(now, now) for now in new if now in old or now in moved}


def _fields(old: LegacyProcess, new: LegacyProcess) -> tuple[FieldChange, ...]:
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in _COMPARED)
    return tuple(FieldChange(name, was, now) for name, was, now in pairs if was != now)


def _only_in(items: Iterable[Item], others: Iterable[Item]) -> tuple[Item, ...]:
    excluded = set(others)
    return tuple(item for item in items if item not in excluded)
