"""Does each table have a folder of its own? Two tables in one folder, or one inside the other, would be overwritten.

Paths are compared as they are written: a URI and a lake path to the same folder are not detected here.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.policies.document import Location
    from data_platform.policies.entry import DatasetEntry
    from data_platform.policies.problem import Problem

QUARANTINE = "quarantine"


def place_problems(entries: Iterable[DatasetEntry]) -> Iterator[Problem]:
    taken = {QUARANTINE: "the quarantine tables"}
    written = [(stage, entry) for entry in sorted(entries, key=lambda e: e.urn) for stage in _written(entry)]
    for stage, entry in sorted(written, key=lambda one: _is_named(*one)):
        assert entry.policy is not None  # noqa: S101 - it has stages
        place = _normal(entry.policy.place(stage))
        other = next((taken[path] for path in taken if _overlap(path, place)), None)
        if other is not None:
            location: Location = ("storage", stage.value) if _is_named(stage, entry) else ("urn",)
            yield entry.document.problem(
                location, f"{place} is also the place of {other}, or one is inside the other; name another folder"
            )
        taken.setdefault(place, f"{stage} of {entry.urn}")


def _written(entry: DatasetEntry) -> tuple[Stage, ...]:
    stages = entry.policy.stages if entry.policy else ()
    return tuple(stage for stage in stages if stage is not Stage.CERTIFIED)


def _is_named(stage: Stage, entry: DatasetEntry) -> bool:
    return bool(entry.policy and getattr(entry.policy.storage, stage.value))


def _normal(place: str) -> str:
    scheme, separator, rest = place.partition("://")
    return f"{scheme}://{posixpath.normpath(rest)}" if separator else posixpath.normpath(place)


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
