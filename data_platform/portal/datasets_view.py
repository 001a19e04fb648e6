"""*Datasets*: all declared datasets, by facets and words, a page at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from data_platform.portal.overview import DatasetState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.model.search import SearchHit
    from data_platform.portal.overview import DatasetLine, Overview

PAGE_ROWS = 50
MOST_VALUES = 15
"""A facet shows so many values, the most frequent first."""
FACETS = ("state", "zone", "owner", "tier", "status")
_FIELDS = {"owner": "owner_team"}
_URGENCY = {state: place for place, state in enumerate(DatasetState)}


@dataclass(frozen=True, kw_only=True)
class DatasetsFilter:
    """``words`` are free text; each facet selects one value, None all."""

    words: str = ""
    state: str | None = None
    zone: str | None = None
    owner: str | None = None
    tier: str | None = None
    status: str | None = None
    page: int = 1


@dataclass(frozen=True, kw_only=True)
class FacetValue:
    value: str
    count: int
    is_selected: bool


@dataclass(frozen=True, kw_only=True)
class Facet:
    """``choices`` count what is found with the other filters; ``hidden`` is the number of further values."""

    name: str
    choices: tuple[FacetValue, ...]
    hidden: int = 0


@dataclass(frozen=True, kw_only=True)
class FoundElsewhere:
    """A dataset of the catalog that no policy declares: a source, or a table that jobs reported."""

    reference: str
    full_name: str
    owner_team: str | None
    description: str


@dataclass(frozen=True, kw_only=True)
class DatasetsView:
    """``rows`` are those of ``page``; ``pages`` counts them, and is at least 1. ``others`` match the words only."""

    rows: tuple[DatasetLine, ...]
    total: int
    declared: int
    page: int
    pages: int
    facets: tuple[Facet, ...]
    words: str = ""
    read_as: dict[str, tuple[str, ...]] = field(default_factory=dict)
    others: tuple[FoundElsewhere, ...] = ()


def datasets_view(
    overview: Overview,
    asked: DatasetsFilter,
    hits: Sequence[SearchHit] | None = None,
    read_as: dict[str, tuple[str, ...]] | None = None,
) -> DatasetsView:
    """``hits`` are what the catalog finds for the words, best first; None without words: the most urgent first."""
    lines = _lines(overview, hits)
    found = [line for line in lines if _matches(line, asked)]
    pages = max(-(-len(found) // PAGE_ROWS), 1)
    page = min(max(asked.page, 1), pages)
    return DatasetsView(
        rows=tuple(found[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]),
        total=len(found),
        declared=len(overview.lines),
        page=page,
        pages=pages,
        facets=tuple(_facet(name, lines, asked) for name in FACETS),
        words=asked.words,
        read_as=read_as or {},
        others=_others(overview, hits or ()),
    )


def _lines(overview: Overview, hits: Sequence[SearchHit] | None) -> Sequence[DatasetLine]:
    if hits is None:
        return sorted(overview.lines, key=lambda line: (_URGENCY[line.state], line.urn))
    return [overview.by_urn[hit.full_name] for hit in hits if hit.full_name in overview.by_urn]


def _others(overview: Overview, hits: Iterable[SearchHit]) -> tuple[FoundElsewhere, ...]:
    return tuple(
        FoundElsewhere(
            reference=hit.reference or hit.full_name,
            full_name=hit.full_name,
            owner_team=hit.team,
            description=hit.description,
        )
        for hit in hits
        if hit.full_name not in overview.by_urn
    )


def _facet(name: str, lines: Iterable[DatasetLine], asked: DatasetsFilter) -> Facet:
    """Counts what would be found without a selection in this facet."""
    without = replace(asked, **{name: None})  # type: ignore[arg-type]
    field_name, selected = _FIELDS.get(name, name), getattr(asked, name)
    found = (line for line in lines if _matches(line, without))
    if name == "state":
        counts = Counter(str(state) for line in found for state in line.states)
    else:
        counts = Counter(str(getattr(line, field_name)) for line in found)
    if selected is not None:
        counts.setdefault(selected, 0)
    shown = sorted(counts.items(), key=lambda item: (item[0] != selected, -item[1], item[0]))[:MOST_VALUES]
    choices = tuple(FacetValue(value=value, count=count, is_selected=value == selected) for value, count in shown)
    return Facet(name=name, choices=choices, hidden=len(counts) - len(choices))


def _matches(line: DatasetLine, asked: DatasetsFilter) -> bool:
    return (
        (asked.state is None or asked.state in line.states)
        and asked.zone in (None, line.zone)
        and asked.owner in (None, line.owner_team)
        and asked.tier in (None, line.tier)
        and asked.status in (None, line.status)
    )
