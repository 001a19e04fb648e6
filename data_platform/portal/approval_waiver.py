"""Requested waivers. Their forms are those of the page *Waivers*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.service import service_of
from data_platform.catalog.four_eyes import is_author
from data_platform.model.waiver import WaiverStatus
from data_platform.portal.approval import Approval, ApprovalSection, ApprovalState, Change
from data_platform.portal.link import add_query
from data_platform.portal.team import may_act

if TYPE_CHECKING:
    from starlette.requests import Request

    from data_platform.model.waiver import Waiver

MOST = 100
_STATES = {
    WaiverStatus.PENDING: ApprovalState.PENDING,
    WaiverStatus.APPROVED: ApprovalState.APPROVED,
    WaiverStatus.REVOKED: ApprovalState.REJECTED,
}


def read_waivers(request: Request, state: ApprovalState, cursor: str | None) -> ApprovalSection:
    """Those that wait, oldest first; of decided ones the newest. Expired ones are on the page of waivers only."""
    service = service_of(request)
    if cursor is not None:
        return ApprovalSection(title="Waivers", rows=())
    waivers = service.catalog.waivers.find(now=service.now(), ended=state is ApprovalState.REJECTED)
    found = [one for one in waivers if _STATES.get(one.status) is state]
    shown = found[:MOST] if state is ApprovalState.PENDING else found[: -MOST - 1 : -1]
    return ApprovalSection(title="Waivers", rows=tuple(_row(request, one, state) for one in shown))


def _row(request: Request, one: Waiver, state: ApprovalState) -> Approval:
    is_own, is_pending = is_author(one.author, request.state.caller.name), state is ApprovalState.PENDING
    may_decide = is_pending and may_act(request, "POST /waivers/{number}/approve", one.dataset_urn)
    until = f"{one.expires_at:%Y-%m-%d %H:%M} UTC"
    return Approval(
        label=f"waiver {one.number}",
        dataset=one.dataset_urn,
        state=state,
        asked_by=one.author,
        asked_at=one.requested_at,
        reason=one.reason,
        changes=(
            Change(field="failure", before=None, after=f"{one.gate} {one.signature}"),
            Change(field="days", before=None, after=one.days or "the whole dataset"),
            Change(field="counts until", before=None, after=until),
        ),
        detail=add_query("/waivers", (), dataset=one.dataset_urn),
        is_own=is_own,
        approve=f"/waivers/{one.number}/approve" if may_decide and not is_own else "",
        reject=f"/waivers/{one.number}/revoke" if may_decide else "",
        decided_by=one.revoked_by or one.approver,
        decided_at=one.revoked_at or one.approved_at,
        comment=one.comment or "",
        effect="The held day is certified by running it again.",
    )
