"""What is asked of the catalog's search, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.lineage import NodeType

MOST_HITS = 100


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """``text`` may be empty if a filter is given. Filters compare whole values, in any case; all of them must hold.

    ``internal`` also finds what is inside datasets of ours (stages, landing, quarantine, steps and their jobs), and
    drafts that were asked for, but neither approved nor named by a run; without it, only by their exact name.
    ``status`` and ``columns`` are of datasets only. ``cursor`` is that of the page before, of the same request.
    """

    text: str = ""
    kind: NodeType | None = None
    team: str | None = None
    category: str | None = None
    status: str | None = None
    tags: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    internal: bool = False
    limit: int = 20
    cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class SearchHit:
    """``found_in`` is the best place that has every word: exact, name, label, column, description, similar (a word
    was read as another), or filter (no word was asked for).

    ``reference`` names it and no other. A label is a namespace, tag, category, team, address, technology or format.
    ``columns`` are some that match. ``status`` of a process is RETIRED if the scheduler has it no more.
    """

    kind: NodeType
    id: int
    full_name: str
    namespace: str
    name: str
    description: str
    team: str | None
    category: str | None
    tags: tuple[str, ...]
    status: str | None
    found_in: str
    reference: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SearchPage:
    """``read_as`` leads from a word that finds too little to those that were looked for as well."""

    hits: tuple[SearchHit, ...]
    cursor: str | None = None
    read_as: dict[str, tuple[str, ...]] = field(default_factory=dict)
