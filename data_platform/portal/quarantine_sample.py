"""The first rows of a quarantine table, as ``data-platform quarantine show`` prints them.

Personal values were tokenized, masked or redacted by the policy before the rows were written. What looks like one in
spite of that, since no rule covers its column, is redacted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.model.personal import redacted
from data_platform.model.quarantine import OWN_COLUMNS, VIOLATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HIDDEN = frozenset({*OWN_COLUMNS, "_run_id", "_delivery_id", "_rejected_at"})
_RECORD = "_raw"
MOST_CHARACTERS = 200


@dataclass(frozen=True, kw_only=True)
class SampleRow:
    """``cells`` are in the order of the columns; None is an empty value. ``is_resolved``: it was delivered again."""

    place: str
    violations: tuple[str, ...]
    cells: tuple[str | None, ...]
    is_resolved: bool


@dataclass(frozen=True, kw_only=True)
class QuarantineSample:
    """``lines`` are the first of ``total``; none with a ``problem``, which says why they could not be read.

    ``command`` shows them in a terminal.
    """

    name: str
    dataset: str
    partition: str
    total: int
    columns: tuple[str, ...]
    lines: tuple[SampleRow, ...]
    command: str
    problem: str = ""


def sample_of(rows: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], tuple[SampleRow, ...]]:
    """The columns and rows to show. A record that could not be split into columns is in a column of its own."""
    names = [name for name in rows[0] if name not in _HIDDEN] if rows else []
    if any(row.get(_RECORD) is not None for row in rows):
        names.append(_RECORD)
    shown = tuple("record" if name == _RECORD else redacted(name) for name in names)
    return shown, tuple(_row(row, names) for row in rows)


def place_of(row: Mapping[str, Any]) -> str:
    """``flights.csv line 12``; empty for a dataset that a process makes, which has no files."""
    line = row.get("_line")
    return redacted(" ".join(part for part in (row.get("_file") or "", "" if line is None else f"line {line}") if part))


def _row(row: dict[str, Any], names: Sequence[str]) -> SampleRow:
    return SampleRow(
        place=place_of(row),
        violations=tuple(row.get(VIOLATIONS) or ()),
        cells=tuple(_cell(row.get(name)) for name in names),
        is_resolved=bool(row.get("_resolved")),
    )


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    text = redacted(str(value))
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
