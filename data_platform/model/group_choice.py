"""Decides which versions of a group's members may be shown together.

A set of versions may be shown if each partition that it shows for the first time, or anew, has passed for every member
that has such a partition, in the version of that member in the set. Of two such sets, the set of the later version of
each member is one too; so there is a latest one, which is found by starting at the last candidates, and going back.

A partition has passed for a member if the version contains it, or it was certified before, unless it was held since.
Members without partitions have no such key. They advance together: each of them needs a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from data_platform.model.group_waiting import MissingMember

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.publication import Candidate, GroupMember


Counts: TypeAlias = "dict[str, int]"
"""How many of its open candidates each member shows, by URN; 0: it stays where it is."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A member with its open candidates, oldest first.

    ``refused`` maps the number of each candidate that cannot be shown itself to the reason; a later one may show its
    rows. ``certified`` are partitions that were certified before, ``held`` maps those that were held since to the run.
    """

    member: GroupMember
    candidates: tuple[Candidate, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    certified: frozenset[PartitionKey] = frozenset()
    held: Mapping[PartitionKey | None, str] = field(default_factory=dict)

    def slices(self, count: int) -> set[PartitionKey | None]:
        """The partitions that the version of the first ``count`` candidates shows for the first time, or anew."""
        return {partition for candidate in self.candidates[:count] for partition in candidate.slices}

    def has(self, partition: PartitionKey | None, slices: Set[PartitionKey | None]) -> bool:
        if not self.member.covers(partition):
            return True
        return partition not in self.held and (partition in slices or partition in self.certified)

    @property
    def usable(self) -> int:
        """The count whose last candidate can be shown itself."""
        return max((n for n, c in enumerate(self.candidates, start=1) if c.number not in self.refused), default=0)


def choose(standings: Sequence[Standing]) -> Counts:
    """The latest set of versions that may be shown."""
    counts = {one.member.urn: one.usable for one in standings}
    while True:
        incomplete = _incomplete(standings, counts)
        before = dict(counts)
        for one in standings:
            counts[one.member.urn] = _reduced(one, before[one.member.urn], incomplete)
        if counts == before:
            return counts


def _incomplete(standings: Sequence[Standing], counts: Counts) -> set[PartitionKey | None]:
    slices = [one.slices(counts[one.member.urn]) for one in standings]
    shown = {partition for own in slices for partition in own}
    return {p for p in shown if not all(one.has(p, own) for one, own in zip(standings, slices, strict=True))}


def _reduced(one: Standing, count: int, incomplete: set[PartitionKey | None]) -> int:
    """The latest candidate up to ``count`` that may be shown itself, and shows no incomplete partition."""
    blocked = (n for n, candidate in enumerate(one.candidates[:count]) if not incomplete.isdisjoint(candidate.slices))
    count = next(blocked, count)
    while count > 0 and one.candidates[count - 1].number in one.refused:
        count -= 1
    return count


def missing(standings: Sequence[Standing], counts: Counts) -> dict[int, tuple[MissingMember, ...]]:
    """Maps the number of each candidate that ``counts`` does not show to the members for which it waits."""
    last = [(one, one.slices(one.usable)) for one in standings]
    chosen = [(one, one.slices(counts[one.member.urn])) for one in standings]
    reasons: dict[int, tuple[MissingMember, ...]] = {}
    for one in standings:
        earlier: tuple[MissingMember, ...] = ()
        for candidate in one.candidates[counts[one.member.urn] :]:
            slices = candidate.slices
            own = tuple(m for partition in slices for m in _missing(last, partition))
            earlier = own or earlier or tuple(m for p in slices for m in _waiting(chosen, p, one.member.urn))
            if not earlier:
                reason = one.refused[candidate.number]
                earlier = (MissingMember(dataset_urn=one.member.urn, partition=candidate.partition, reason=reason),)
            reasons[candidate.number] = earlier
    return reasons


def _missing(
    last: Sequence[tuple[Standing, Set[PartitionKey | None]]], partition: PartitionKey | None
) -> Iterator[MissingMember]:
    for one, slices in last:
        if not one.has(partition, slices):
            yield MissingMember(dataset_urn=one.member.urn, partition=partition, reason=_reason(one, partition))


def _waiting(
    chosen: Sequence[tuple[Standing, Set[PartitionKey | None]]], partition: PartitionKey | None, own: str
) -> Iterator[MissingMember]:
    """Members that have passed, in a version that waits itself: it has another partition that is missing elsewhere."""
    for one, slices in chosen:
        if one.member.urn != own and not one.has(partition, slices):
            reason = "has passed, in a version that waits for another day"
            yield MissingMember(dataset_urn=one.member.urn, partition=partition, reason=reason)


def _reason(one: Standing, partition: PartitionKey | None) -> str:
    if partition in one.held:
        return f"was held in {one.held[partition]}"
    refused = [one.refused[c.number] for c in one.candidates if partition in c.slices and c.number in one.refused]
    return refused[-1] if refused else "has not passed yet"
