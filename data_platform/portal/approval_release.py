"""Requested releases of quarantined rows. Their forms are those of the batch's own page, to which they lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.service import service_of
from data_platform.catalog.four_eyes import is_author
from data_platform.model.number_text import number_of
from data_platform.model.quarantine_decision import DecisionStatus
from data_platform.portal.approval import Approval, ApprovalSection, ApprovalState, Change
from data_platform.portal.link import quarantine_link
from data_platform.portal.team import may_act

if TYPE_CHECKING:
    from starlette.requests import Request

    from data_platform.model.quarantine_decision import Decision

MOST = 100
_STATUSES = {
    ApprovalState.PENDING: DecisionStatus.REQUESTED,
    ApprovalState.APPROVED: DecisionStatus.APPROVED,
    ApprovalState.REJECTED: DecisionStatus.WITHDRAWN,
}


def read_releases(request: Request, state: ApprovalState, cursor: str | None) -> ApprovalSection:
    """The newest, without further pages: those that wait are few. Later pages of others have none of them."""
    title = "Releases of quarantined rows"
    if cursor is not None:
        return ApprovalSection(title=title, rows=(), comments=False)
    found = service_of(request).catalog.quarantine.releases(_STATUSES[state], limit=MOST)
    return ApprovalSection(title=title, rows=tuple(_row(request, one, state) for one in found), comments=False)


def _row(request: Request, decision: Decision, state: ApprovalState) -> Approval:
    path, is_own = quarantine_link(decision.entry), is_author(decision.requested_by, request.state.caller.name)
    is_pending = state is ApprovalState.PENDING
    may_approve = is_pending and may_act(request, "POST /quarantine/{name}/release/approve", decision.dataset_urn)
    may_withdraw = is_pending and may_act(request, "POST /quarantine/{name}/release/withdraw", decision.dataset_urn)
    day = f" of {decision.partition}" if decision.partition else ""
    return Approval(
        label=f"release {decision.id}",
        dataset=decision.dataset_urn,
        state=state,
        asked_by=decision.requested_by,
        asked_at=decision.requested_at,
        reason=decision.reason,
        changes=tuple(
            Change(field=rule, before=None, after=_rows(rows) + day) for rule, rows in decision.signatures.items()
        ),
        detail=path,
        is_own=is_own,
        approve=f"{path}/release/approve" if may_approve and not is_own else "",
        reject=f"{path}/release/withdraw" if may_withdraw else "",
        decided_by=decision.decided_by,
        decided_at=decision.decided_at,
        effect="The next run of the day lets the rows through.",
    )


def _rows(rows: int | None) -> str:
    return "rows" if rows is None else number_of(rows, "row")
