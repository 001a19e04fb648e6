"""*Waivers*: what fails and counts as accepted, until when, by whom, and whether consumers see it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.partition_key import PartitionKey
from data_platform.model.waiver import WaiverStatus

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from data_platform.model.waiver import Waiver

PAGE_ROWS = 25


class WaiverPhase(StrEnum):
    """UPCOMING is approved, for days that have not begun; EXPIRED and REVOKED have ended."""

    WAITING = "waiting"
    ACTIVE = "active"
    UPCOMING = "upcoming"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, kw_only=True)
class WaiverFacts:
    """``waived`` are days that it let through. ``is_used``: the certified version depends on it.

    ``is_unknown``: the last runs of its first day have no such failure. ``is_own`` and ``may_decide`` are about the
    caller.
    """

    waiver: Waiver
    time_zone: str
    is_used: bool
    waived: tuple[PartitionKey, ...]
    is_unknown: bool
    is_own: bool
    may_decide: bool


@dataclass(frozen=True, kw_only=True)
class WaiverCard:
    """``is_used``: the version that consumers see depends on it, also after it has ended. ``command`` applies it.

    ``is_too_short``: it expires before its first day is over, so it lets nothing through.
    """

    waiver: Waiver
    phase: WaiverPhase
    time_zone: str
    is_used: bool
    waived: tuple[PartitionKey, ...]
    is_unknown: bool
    is_too_short: bool
    is_own: bool
    may_approve: bool
    may_revoke: bool
    command: str


@dataclass(frozen=True, kw_only=True)
class WaiverSection:
    phase: WaiverPhase
    cards: tuple[WaiverCard, ...]


@dataclass(frozen=True, kw_only=True)
class WaiverForm:
    """What the form for a new waiver begins with."""

    dataset: str
    gate: str
    signature: str
    first: str
    gates: tuple[str, ...]
    latest: str


@dataclass(frozen=True, kw_only=True)
class WaiverList:
    """``ended`` is whether those that have ended are shown, else the others; newest first, in pages.

    ``form`` is None for people who may request none.
    """

    now: datetime
    dataset: str | None
    ended: bool
    sections: tuple[WaiverSection, ...]
    page: int
    pages: int
    form: WaiverForm | None


def phase_of(waiver: Waiver, time_zone: str, now: datetime) -> WaiverPhase:
    if waiver.status is WaiverStatus.APPROVED:
        today = PartitionKey.containing(now, time_zone)
        return WaiverPhase.UPCOMING if waiver.first and waiver.first > today else WaiverPhase.ACTIVE
    return {
        WaiverStatus.PENDING: WaiverPhase.WAITING,
        WaiverStatus.EXPIRED: WaiverPhase.EXPIRED,
        WaiverStatus.REVOKED: WaiverPhase.REVOKED,
    }[waiver.status]


def sections_of(found: Iterable[WaiverFacts], now: datetime) -> tuple[WaiverSection, ...]:
    """By phase; a phase without waivers has no section."""
    cards = [_card(facts, now) for facts in found]
    sections = (
        WaiverSection(phase=phase, cards=tuple(one for one in cards if one.phase is phase)) for phase in WaiverPhase
    )
    return tuple(section for section in sections if section.cards)


def _card(facts: WaiverFacts, now: datetime) -> WaiverCard:
    waiver = facts.waiver
    phase = phase_of(waiver, facts.time_zone, now)
    days = f" -p {waiver.days}" if waiver.first else ""
    is_applicable = phase is WaiverPhase.ACTIVE and not facts.is_used
    return WaiverCard(
        waiver=waiver,
        phase=phase,
        time_zone=facts.time_zone,
        is_used=facts.is_used,
        waived=facts.waived,
        is_unknown=facts.is_unknown and phase in (WaiverPhase.WAITING, WaiverPhase.ACTIVE) and not facts.is_used,
        is_too_short=phase is WaiverPhase.UPCOMING and _ends_before(waiver, facts.time_zone),
        is_own=facts.is_own,
        may_approve=facts.may_decide and not facts.is_own and phase is WaiverPhase.WAITING,
        may_revoke=facts.may_decide and phase is not WaiverPhase.REVOKED,
        command=f"data-platform run -s {waiver.dataset_urn}{days}" if is_applicable else "",
    )


def _ends_before(waiver: Waiver, time_zone: str) -> bool:
    """Whether it expires before its first day is over."""
    return waiver.first is not None and PartitionKey.containing(waiver.expires_at, time_zone) <= waiver.first
