"""What differs between two scans of a legacy scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.legacy import ConditionEdge, DatasetLink, LegacyDataset, LegacyObject, LegacyProcess


@dataclass(frozen=True)
class FieldChange:
    """``before`` and ``after`` are the values of one field."""

    field: str
    before: object
    after: object


@dataclass(frozen=True)
class ProcessChange:
    """A job that was there and is there, with what is new about it. ``old`` and ``new`` differ in key if it moved."""

    old: LegacyProcess
    new: LegacyProcess
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, kw_only=True)
class ScanDifference:
    """``renamed`` jobs have another key: another name, or another box. ``retired`` ones are in no file any more."""

    added: tuple[LegacyProcess, ...] = ()
    changed: tuple[ProcessChange, ...] = ()
    renamed: tuple[ProcessChange, ...] = ()
    retired: tuple[LegacyProcess, ...] = ()
    unchanged: int = 0
    edges_added: tuple[ConditionEdge, ...] = ()
    edges_removed: tuple[ConditionEdge, ...] = ()
    links_added: tuple[DatasetLink, ...] = ()
    links_removed: tuple[DatasetLink, ...] = ()
    datasets_added: tuple[LegacyDataset, ...] = ()
    datasets_removed: tuple[LegacyDataset, ...] = ()
    objects_added: tuple[LegacyObject, ...] = ()
    objects_removed: tuple[LegacyObject, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing to write."""
        return self == ScanDifference(unchanged=self.unchanged)


@dataclass(frozen=True, kw_only=True)
class AppliedScan:
    """What was new against the scan before; ``stored`` is False if that was the very same scan, and nothing was."""

    difference: ScanDifference
    stored: bool
