"""The result of a comparison, and its verdict.

Rows are counted by key, since both sides share their keys: each key of either side is in exactly one count. A column
that only one side has, or that cannot be compared, is a difference until it is ignored by name, and no allowed share
covers it. Two empty sides are not parity: nothing was compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from data_platform.parity.rule import percent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


class ParityVerdict(StrEnum):
    """``WITHIN_ALLOWANCE``: some keys differ, but not more than the allowed share."""

    PARITY = "PARITY"
    WITHIN_ALLOWANCE = "WITHIN_ALLOWANCE"
    DIFFERENT = "DIFFERENT"
    EMPTY = "EMPTY"

    @property
    def passed(self) -> bool:
        return self in (ParityVerdict.PARITY, ParityVerdict.WITHIN_ALLOWANCE)


@dataclass(frozen=True)
class Duplicates:
    """Keys that occur in several rows of one side, and the number of these rows."""

    keys: int = 0
    rows: int = 0


@dataclass(frozen=True, kw_only=True)
class RowParity:
    """``legacy`` and ``new`` count rows as read; ``duplicated_in_…`` detail ``duplicated``; the rest count keys.

    A key that is duplicated on either side is not compared: its rows cannot be paired. A legacy row whose key is not a
    value of the key's type, or that cannot be read as a record, counts as a key of its own.
    """

    legacy: int = 0
    new: int = 0
    equal: int = 0
    within_tolerance: int = 0
    different: int = 0
    only_in_legacy: int = 0
    only_in_new: int = 0
    duplicated: int = 0
    unreadable_key: int = 0
    malformed: int = 0
    duplicated_in_legacy: Duplicates = Duplicates()
    duplicated_in_new: Duplicates = Duplicates()

    @property
    def keys(self) -> int:
        return self.equal + self.within_tolerance + self.differing

    @property
    def differing(self) -> int:
        one_sided = self.only_in_legacy + self.only_in_new
        return self.different + one_sided + self.duplicated + self.unreadable_key + self.malformed


@dataclass(frozen=True, kw_only=True)
class ColumnParity:
    """One compared column; it counts the keys that both sides have once.

    ``different`` counts all values beyond tolerance, with ``null_in_legacy`` (with a value in new), ``null_in_new``
    and ``unreadable`` (not a value of the new side's type). The differences cover all unequal values, also those within
    tolerance, in the column's unit or in seconds; the relative difference is a share of the larger value, 0..2.
    """

    name: str
    legacy_name: str
    legacy_type: str
    new_type: str
    compared_as: str
    personal: bool = False
    different: int = 0
    within_tolerance: int = 0
    null_in_legacy: int = 0
    null_in_new: int = 0
    unreadable: int = 0
    max_difference: float | None = None
    mean_difference: float | None = None
    max_relative_difference: float | None = None


@dataclass(frozen=True)
class Sample:
    """A key that differs, and how. ``values`` maps a column to its value in legacy and in new, as text.

    Personal values are never shown: in a key they are ``PERSONAL``, in ``values`` they are omitted.
    """

    found: str
    key: dict[str, str | None]
    values: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)


PERSONAL = "(personal)"


@dataclass(frozen=True, kw_only=True)
class LegacySide:
    """``files`` is the number of files if it is known, ``version`` the version of a Delta table."""

    path: str
    format: str
    files: int | None = None
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class NewSide:
    """The certified version that was compared."""

    urn: str
    path: str
    version: int
    certified_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Incomparable:
    """A column of both sides whose types have no common type."""

    name: str
    legacy_type: str
    new_type: str


@dataclass(frozen=True, kw_only=True)
class ParityReport:
    """``rules`` are the options of the comparison; ``allowed`` is a share of keys, 0 to 1.

    ``renamed`` maps a legacy name to ours for compared columns whose names differ, even if only by case.
    """

    legacy: LegacySide
    new: NewSide
    partition: PartitionKey | None
    keys: tuple[str, ...]
    rows: RowParity
    columns: tuple[ColumnParity, ...]
    compared_at: datetime
    incomparable: tuple[Incomparable, ...] = ()
    only_in_legacy: tuple[str, ...] = ()
    only_in_new: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)
    allowed: Decimal = Decimal(0)
    samples: tuple[Sample, ...] = ()

    @property
    def verdict(self) -> ParityVerdict:
        if not self.rows.legacy and not self.rows.new:
            return ParityVerdict.EMPTY
        if self.only_in_legacy or self.only_in_new or self.incomparable:
            return ParityVerdict.DIFFERENT
        if not self.rows.differing:
            return ParityVerdict.PARITY
        allowed = self.rows.differing <= self.allowed * self.rows.keys
        return ParityVerdict.WITHIN_ALLOWANCE if allowed else ParityVerdict.DIFFERENT

    @property
    def share(self) -> float:
        """The share of keys that differ, 0 to 1."""
        return self.rows.differing / self.rows.keys if self.rows.keys else 0.0

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        rows = self.rows
        if self.verdict is ParityVerdict.EMPTY:
            return "neither side has a row: nothing was compared, and that proves nothing"
        if self.verdict is ParityVerdict.PARITY:
            within = f", {rows.within_tolerance} of them within tolerance" if rows.within_tolerance else ""
            return f"all {rows.keys} keys agree{within}"
        keys_reason = f"{rows.differing} of {rows.keys} keys ({self.share:.4%}) differ" if rows.differing else ""
        if self.verdict is ParityVerdict.WITHIN_ALLOWANCE:
            return f"{keys_reason}, allowed are {percent(self.allowed)}"
        return "; ".join(filter(None, (keys_reason, *self._column_reasons())))

    def _column_reasons(self) -> Iterator[str]:
        if self.only_in_legacy:
            yield f"only in legacy: {', '.join(self.only_in_legacy)}"
        if self.only_in_new:
            yield f"only in new: {', '.join(self.only_in_new)}"
        if self.incomparable:
            yield f"not comparable: {', '.join(column.name for column in self.incomparable)}"


def document(report: ParityReport) -> dict[str, Any]:
    """Returns the report with its derived values, the verdict first; ``model.plain_json`` converts it to JSON."""
    judged = {
        "verdict": report.verdict,
        "sentence": report.sentence,
        "keys_compared": report.rows.keys,
        "keys_differing": report.rows.differing,
        "share_differing": report.share,
    }
    fields = {name: getattr(report, name) for name in report.__dataclass_fields__}
    return judged | fields | {"allowed": float(report.allowed)}
