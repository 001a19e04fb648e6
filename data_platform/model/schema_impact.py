"""What a change of a dataset's columns breaks downstream, with the owners to ask. Plain values, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

MOST_SHOWN = 50
"""The number of datasets that are listed; all are counted."""


@dataclass(frozen=True, kw_only=True)
class Victim:
    """A dataset downstream. ``columns`` are those computed from a changed one; ``*`` is each of its columns.

    ``because`` are the changed columns. ``depth`` is the shortest distance in edges.
    """

    dataset: str
    columns: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    owner_team: str | None = None
    tier: str | None = None
    depth: int = 1


@dataclass(frozen=True, kw_only=True)
class SchemaImpact:
    """``broken`` are datasets that column lineage leads to, nearest first, ``total`` how many there are.

    ``unclear`` read the dataset, and nobody has reported which columns; ``unclear_total`` counts them.
    """

    broken: tuple[Victim, ...] = ()
    total: int = 0
    unclear: tuple[Victim, ...] = ()
    unclear_total: int = 0
