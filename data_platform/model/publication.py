"""A candidate of a publish group, and the publication that shows it: frozen values.

``group_choice`` decides what may be shown; ``catalog.publication`` records it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.certification import Certification
    from data_platform.model.evidence import Evidence
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport

PUBLICATION = "publication"
"""The metadata key of a report that a publication certified: the group, and the publication's id."""


@dataclass(frozen=True, kw_only=True)
class GroupMember:
    """A member as its policy is now. ``judged_under`` is the fingerprint of what its gates read, ``path`` is gold's.

    ``first`` and ``last`` are its partitions; None: it has none, or no end.
    """

    urn: str
    path: str
    judged_under: str
    first: PartitionKey | None = None
    last: PartitionKey | None = None

    def covers(self, partition: PartitionKey | None) -> bool:
        """Whether the member has this partition; an older or later one of the others is published without it."""
        if partition is None:
            return True
        return not (self.first and partition < self.first) and not (self.last and partition > self.last)


@dataclass(frozen=True, kw_only=True)
class GroupRule:
    """A group as its policy is now: its members, sorted by URN."""

    name: str
    members: tuple[GroupMember, ...]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A version of gold that passed every gate, and waits for the other members of its group.

    ``base`` was the certified version then. ``slices`` are the partitions that the version has and no older open
    candidate: those written since, and that of the run. The version shows the slices of all older candidates too.
    """

    dataset_urn: str
    group: str
    partition: PartitionKey | None
    run_id: str
    path: str
    version: int
    base: int | None
    slices: tuple[PartitionKey | None, ...]
    rows: int
    schema_fingerprint: str
    policy_fingerprint: str
    judged_under: str
    delivery_id: str
    started_at: datetime
    ready_at: datetime
    verdict: dict[str, Any] = field(default_factory=dict)
    """The metadata of its CERTIFICATION verdict."""
    metadata: dict[str, Any] = field(default_factory=dict)
    number: int = 0

    @property
    def adds_rows(self) -> bool:
        """False for a day without rows, which makes no commit: then it shows what the certified version has."""
        return self.base is None or self.version > self.base


@dataclass(frozen=True, kw_only=True)
class GroupState:
    """What a group may show now, as read in one transaction.

    ``pointers`` are the members' certified versions. ``chosen`` maps each member that advances to its candidates up to
    the version that is shown, oldest first; ``waiting`` are the others.
    """

    rule: GroupRule
    pointers: Mapping[str, int | None]
    chosen: Mapping[str, tuple[Candidate, ...]]
    waiting: tuple[Waiting, ...]

    def version_of(self, urn: str) -> int:
        """The version of a member that advances; the certified one, if its candidates add no rows."""
        version = max(candidate.version for candidate in self.chosen[urn])
        return max(version, self.pointers[urn] or 0)

    @property
    def decision(self) -> tuple[Any, ...]:
        """Equal if and only if the same candidates of the same members may be shown, over the same pointers."""
        numbers = {urn: tuple(c.number for c in candidates) for urn, candidates in self.chosen.items()}
        return dict(self.pointers), numbers


@dataclass(frozen=True, kw_only=True)
class MemberPublication:
    """What a publication writes for one member: its new pointer, a report for each partition, and their records."""

    certification: Certification
    expected: int | None
    reports: tuple[StageReport, ...]
    evidence: tuple[Evidence, ...]
    events: tuple[LineageEvent, ...] = ()
    waivers: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Publication:
    """The pointers that change together; ``members`` are sorted by URN, and ``run_id`` is the run that did it."""

    id: str
    group: str
    run_id: str
    at: datetime
    members: tuple[MemberPublication, ...]


@dataclass(frozen=True, kw_only=True)
class PublishedVersion:
    """A member of a group as consumers see it, read in one statement with the others. ``version`` None: nothing yet."""

    dataset_urn: str
    version: int | None
    path: str
    certified_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class PublishedGroup:
    """What consumers see of a group at one moment. ``publication`` is the id of its last one; empty: none yet."""

    group: str
    members: tuple[PublishedVersion, ...]
    publication: str
    published_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class PublishedGroupPage(PublishedGroup):
    """The same as the service returns it, with the versions that wait."""

    waiting: tuple[Waiting, ...]
