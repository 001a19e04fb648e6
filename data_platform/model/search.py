"""Requests to the catalog's search, and its answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.lineage import NodeType

MOST_HITS = 100


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """``text`` may be empty if a filter is given. Filters compare whole values, in any case; all of them must match.

    ``internal`` also finds what is inside the platform's datasets (stages, landing, quarantine, steps and their jobs),
    and requested drafts that are neither approved nor named by a run; without it, they match only by their exact name.
    ``status`` and ``columns`` apply to datasets only. ``cursor`` is that of the previous page of the same request.
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
    """``found_in`` is the best place that contains every word: exact, name, label, column, description, similar (a word
    was read as another), or filter (the request had no word).

    ``reference`` identifies exactly one. A label is a namespace, tag, category, team, address, technology or format.
    ``columns`` are some that match. ``status`` of a process is RETIRED if the scheduler no longer has it.
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
    """``read_as`` maps a word that matches too little to the words that were searched as well."""

    hits: tuple[SearchHit, ...]
    cursor: str | None = None
    read_as: dict[str, tuple[str, ...]] = field(default_factory=dict)
