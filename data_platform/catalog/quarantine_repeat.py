"""Recognizes a decision about a release that is sent once more, because a command died or its answer was lost.

A repeat changes nothing, and returns what was decided: the same person has decided the same about the same entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.quarantine_decision import DecisionKind, DecisionStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.model.quarantine_decision import Decision
    from data_platform.model.registration import Actor


def same_request(
    decisions: Sequence[Decision], reason: str, signatures: Mapping[str, int | None], by: Actor
) -> Decision | None:
    """The release that ``by`` requested with this reason, if it is the last one and was not withdrawn."""
    last = _last(decisions, DecisionKind.RELEASE)
    if last is None or last.status is DecisionStatus.WITHDRAWN:
        return None
    is_same = (last.requested_by, last.reason, last.signatures) == (by.name, reason, dict(signatures))
    return last if is_same else None


def same_answer(decisions: Sequence[Decision], status: DecisionStatus, by: Actor) -> Decision | None:
    """The last release, if ``by`` gave it this status."""
    last = _last(decisions, DecisionKind.RELEASE)
    return last if last is not None and (last.status, last.decided_by) == (status, by.name) else None


def _last(decisions: Sequence[Decision], kind: DecisionKind) -> Decision | None:
    return next((one for one in reversed(decisions) if one.kind is kind), None)
