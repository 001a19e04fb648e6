"""*Quarantine*: the list of batches with their owners, and the page of one batch.

``batch_view`` is a pure function of facts that ``quarantine_reader`` reads. No page has a value of a row, but that of
``quarantine_sample``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.catalog.four_eyes import is_author
from data_platform.model.quarantine import VIOLATIONS, QuarantineStatus
from data_platform.model.quarantine_card import QuarantineCard, card_of
from data_platform.model.quarantine_decision import Decision, DecisionKind, DecisionStatus
from data_platform.model.remediation import advice, has_releasable_delivery, is_releasable
from data_platform.portal.quarantine_replay import ReplayState, replay_state
from data_platform.portal.quarantine_sample import place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from data_platform.model.incident import Incident
    from data_platform.model.lease import Lease
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.quarantine_decision import QuarantineAction
    from data_platform.model.quarantine_filter import QuarantineOwner
    from data_platform.model.run import RunRow
    from data_platform.model.scheduler_state import SchedulerState

_ACTIONS = {
    "assign": "assigned",
    "discard": "discarded",
    "replay.request": "replay requested",
    "release.request": "release requested",
    "release.approve": "release approved",
    "release.withdraw": "release withdrawn",
}


@dataclass(frozen=True, kw_only=True)
class QuarantineList:
    """``state`` is the one asked for, None all. ``owners`` have open batches, the one with the oldest first."""

    dataset: str | None
    partition: str | None
    state: QuarantineStatus | None
    states: tuple[QuarantineStatus, ...]
    owner: str | None
    older_than_days: int
    is_oldest_first: bool
    owners: tuple[QuarantineOwner, ...]
    batches: int
    stale: int
    open_rows: int
    cards: tuple[QuarantineCard, ...]
    cursor: str | None


@dataclass(frozen=True, kw_only=True)
class BatchFacts:
    """``samples`` are the places of the first rows: file, line, and the rules that are broken.

    ``last_run`` is the last one of any stage of the day. ``may_act`` and ``may_approve`` are by role and team.
    """

    entry: QuarantineEntry
    team: str
    time_zone: str
    now: datetime
    decisions: tuple[Decision, ...]
    actions: tuple[QuarantineAction, ...]
    samples: Sequence[Mapping[str, Any]]
    last_run: RunRow | None
    lease: Lease | None
    scheduler: SchedulerState
    incidents: tuple[Incident, ...]
    others: tuple[QuarantineEntry, ...]
    may_act: bool
    may_approve: bool
    caller: str


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why rows are here. ``rows`` is None if they were not counted; ``places`` are of the first rows."""

    signature: str
    rows: int | None
    advice: str
    is_releasable: bool
    places: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BatchEvent:
    at: datetime
    what: str
    by: str
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class BatchRef:
    """An open batch as other pages name it."""

    name: str
    partition: str
    stage: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class IncidentRef:
    number: int
    title: str
    severity: str


@dataclass(frozen=True, kw_only=True)
class BatchView:
    """``release`` is the one that is requested or approved. ``can_release`` is whether one may be requested.

    ``is_own_request``: the caller requested the release, and cannot approve it.
    """

    card: QuarantineCard
    team: str
    time_zone: str
    reasons: tuple[Reason, ...]
    history: tuple[BatchEvent, ...]
    release: Decision | None
    is_own_request: bool
    replay: ReplayState | None
    is_open: bool
    can_release: bool
    may_act: bool
    may_approve: bool
    others: tuple[BatchRef, ...]
    incidents: tuple[IncidentRef, ...]


def batch_view(facts: BatchFacts) -> BatchView:
    entry = facts.entry
    reasons = tuple(_reason(entry, signature, facts.samples) for signature in entry.signatures)
    release = _current_release(facts.decisions)
    return BatchView(
        card=card_of(entry, facts.team, facts.now),
        team=facts.team,
        time_zone=facts.time_zone,
        reasons=reasons,
        history=_history(facts),
        release=release,
        is_own_request=release is not None and is_author(release.requested_by, facts.caller),
        replay=replay_state(facts.actions, facts.last_run, facts.lease, facts.scheduler, facts.now),
        is_open=entry.status is QuarantineStatus.OPEN,
        can_release=release is None and has_releasable_delivery(entry) and any(one.is_releasable for one in reasons),
        may_act=facts.may_act,
        may_approve=facts.may_approve,
        others=tuple(map(batch_ref, facts.others)),
        incidents=tuple(
            IncidentRef(number=one.number, title=one.title, severity=one.severity) for one in facts.incidents
        ),
    )


def batch_ref(entry: QuarantineEntry) -> BatchRef:
    partition = str(entry.partition or "")
    return BatchRef(name=entry.name, partition=partition, stage=entry.stage, rows=entry.open_rows)


def _reason(entry: QuarantineEntry, signature: str, samples: Sequence[Mapping[str, Any]]) -> Reason:
    return Reason(
        signature=signature,
        rows=entry.signatures[signature],
        advice=advice(signature),
        is_releasable=is_releasable(signature, entry.level),
        places=tuple(place_of(one) for one in samples if signature in (one.get(VIOLATIONS) or ())),
    )


def _current_release(decisions: Sequence[Decision]) -> Decision | None:
    found = [
        one for one in decisions if one.kind is DecisionKind.RELEASE and one.status is not DecisionStatus.WITHDRAWN
    ]
    return found[-1] if found else None


def _history(facts: BatchFacts) -> tuple[BatchEvent, ...]:
    """Newest first, and of the same moment the last. A discard closes the entry, and is there once: as an action."""
    entry = facts.entry
    events = [BatchEvent(at=entry.created_at, what="quarantined", by=entry.run_id)]
    events += [
        BatchEvent(at=one.at, what=_ACTIONS.get(one.action, one.action), by=one.actor, text=_text(one))
        for one in facts.actions
    ]
    if entry.closed_at is not None and entry.status is not QuarantineStatus.DISCARDED:
        text = entry.closed_reason or ""
        events.append(BatchEvent(at=entry.closed_at, what=entry.status.lower(), by=entry.closed_by or "", text=text))
    return tuple(sorted(events, key=lambda one: one.at)[::-1])


def _text(action: QuarantineAction) -> str:
    to, rules = action.detail.get("to"), action.detail.get("rules")
    return f"to {to}" if to else action.reason + (f" ({', '.join(rules)})" if rules else "")
