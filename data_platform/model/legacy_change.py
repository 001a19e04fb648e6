"""The differences between two scans of a legacy scheduler."""

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
    """A job that is in both scans, with its changes. ``old`` and ``new`` differ in key if it moved."""

    old: LegacyProcess
    new: LegacyProcess
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, kw_only=True)
class ScanDifference:
    """``renamed`` jobs have another key: another name, or another box. ``retired`` ones are no longer in any file."""

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
        """Whether there is nothing to write."""
        return self == ScanDifference(unchanged=self.unchanged)


@dataclass(frozen=True, kw_only=True)
class AppliedScan:
    """The changes since the scan before; ``stored`` is False if the scan is identical to it, and was not stored."""

    difference: ScanDifference
    stored: bool
