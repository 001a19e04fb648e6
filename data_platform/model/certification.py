"""Which version of a dataset consumers may see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.group_waiting import Waiting
    from data_platform.model.partition_key import PartitionKey


class CertificationStatus(StrEnum):
    CERTIFIED = "CERTIFIED"
    HELD_AT_PREVIOUS = "HELD_AT_PREVIOUS"
    UNCERTIFIED = "UNCERTIFIED"


@dataclass(frozen=True, kw_only=True)
class Certification:
    """The pointer of one dataset. ``version`` is a Delta version of the gold table at ``path``.

    ``run_id`` and ``partition`` are of the run that certified it, ``judged_version`` is the version that this run
    certified. ``version`` advances from there when gold is restored or rewritten: it has the same rows, and ``reason``
    in the history gives the cause. ``status`` is how the last attempt ended, and ``attempt_run_id`` and
    ``attempt_partition`` are of that attempt; after HELD_AT_PREVIOUS ``version`` is still the last good one, and
    ``reason`` is the cause. ``version`` and ``certified_at`` are None only while UNCERTIFIED.
    """

    dataset_urn: str
    status: CertificationStatus
    version: int | None = None
    path: str = ""
    certified_at: datetime | None = None
    run_id: str = ""
    partition: PartitionKey | None = None
    schema_fingerprint: str = ""
    policy_fingerprint: str = ""
    judged_version: int | None = None
    attempt_run_id: str = ""
    attempt_partition: PartitionKey | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class PastCertification(Certification):
    """What consumers saw at ``as_of``. They saw ``version`` from ``seen_from`` until ``seen_until``; None: still.

    Files of an old version may be gone by now (``lake.presence.find_damage``).
    """

    as_of: datetime
    seen_from: datetime
    seen_until: datetime | None = None


class PointerEvent(StrEnum):
    CERTIFIED = "CERTIFIED"
    HELD = "HELD"
    MOVED = "MOVED"
    """To a later version with the same rows, such as after a restore."""


@dataclass(frozen=True, kw_only=True)
class PointerChange:
    """One line of a pointer's history. ``run_id`` and ``partition`` are of the attempt; a MOVED pointer has none.

    ``version`` is what consumers see since then, ``previous_version`` what they saw before; None: nothing. ``group``
    and ``publication`` name the publish group and the publication in which several pointers moved at once.
    """

    dataset_urn: str
    at: datetime
    event: PointerEvent
    version: int | None
    previous_version: int | None
    partition: PartitionKey | None
    run_id: str
    reason: str
    policy_fingerprint: str
    schema_fingerprint: str
    group: str = ""
    publication: str = ""


@dataclass(frozen=True, kw_only=True)
class CertifiedVersion(Certification):
    """A pointer as the service returns it, with the mode of the last run, and the waivers that its rows depend on.

    ``waiting`` are later versions that passed, and wait for the other members of the publish group.
    """

    enforcement: str
    waivers: list[dict[str, Any]]
    waiting: tuple[Waiting, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PointerMove:
    """Moves a pointer from the certified version ``expected`` to a later one with the same rows and columns."""

    expected: int
    version: int
    reason: str
