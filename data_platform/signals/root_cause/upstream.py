"""Follows the slices upstream of which a faulty slice was made, by the versions that its run read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.signals.root_cause.effect import effects_of
from data_platform.signals.root_cause.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.signals.root_cause.attempt import Attempt
    from data_platform.signals.root_cause.place import Records

DEEPEST = 30
"""So many datasets upstream are followed at most."""


def places_upstream(records: Records, origin: Place) -> tuple[Place, ...]:
    """The origin, and the slices that it was made of, nearest first; a version that was read leads to its own day."""
    places, seen, level = [origin], set(origin.path), [origin]
    while level and level[0].depth < DEEPEST:
        fresh = []
        for place in level:
            for dataset in sorted(records.facts.inputs.get(place.dataset, ())):
                if dataset not in seen:
                    seen.add(dataset)
                    fresh.append(_upstream(records, origin, place, dataset))
        places += fresh
        level = fresh
    return tuple(places)


def _upstream(records: Records, origin: Place, below: Place, dataset: str) -> Place:
    bad = _read_attempt(records, below, dataset)
    good = records.good_before(bad) if bad else None
    columns, is_mapped = _columns(records, origin, dataset)
    return Place(
        dataset=dataset,
        partition=bad.partition if bad else below.partition,
        path=(*below.path, dataset),
        bad=bad,
        good=good,
        effects=effects_of(records, bad, good),
        columns=columns,
        is_mapped=is_mapped,
    )


def _read_attempt(records: Records, below: Place, dataset: str) -> Attempt | None:
    """The attempt whose rows the one below read; else the last of the same partition that had begun by then."""
    until = below.bad.started_at if below.bad else None
    version = dict(below.bad.inputs).get(dataset) if below.bad else None
    attempts = records.attempts.get(dataset, ())
    if version is not None and (read := _of_version(records, attempts, version, below)) is not None:
        return read
    began = [one for one in attempts if one.partition == below.partition and (not until or one.started_at <= until)]
    return began[-1] if began else None


def _of_version(records: Records, attempts: Sequence[Attempt], version: int, below: Place) -> Attempt | None:
    """A version has the rows of all earlier ones: those of the same partition, and those that came with it last.

    Of the two it is the one that shows something, and else that of the same partition.
    """
    good = [one for one in attempts if one.is_good and one.version is not None and one.version <= version]
    own = [one for one in good if one.partition == below.partition][-1:]
    last = [one for one in good if one.version == version][-1:]
    for one in last:
        if effects_of(records, one, records.good_before(one)):
            return one
    return next(iter(own or last), None)


def _columns(records: Records, origin: Place, dataset: str) -> tuple[frozenset[str] | None, bool]:
    if origin.dataset not in records.mapped:
        return origin.columns, False  # a column of the same name is the best guess
    if origin.columns is None:
        return None, True
    found = [
        records.sources.get((f"{origin.dataset} {column}", dataset), frozenset()) for column in (*origin.columns, "")
    ]
    columns = frozenset().union(*found)
    return (None if "" in columns else columns), True
