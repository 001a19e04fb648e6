"""The page *Approvals*: what waits for a second person, and what was decided."""

from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from data_platform.api.page import Cursor
from data_platform.api.registration import Number, refuse_foreign_entry
from data_platform.api.service import service_of
from data_platform.api.team import actor_of
from data_platform.portal.access import page_router
from data_platform.portal.approval import ApprovalSection, ApprovalState
from data_platform.portal.approval_registration import read_registrations
from data_platform.portal.approval_release import read_releases
from data_platform.portal.approval_waiver import read_waivers
from data_platform.portal.comment import comment_of, reason_of
from data_platform.portal.portal import portal_of
from data_platform.portal.render import see_other, show

router = page_router()

KINDS = (read_registrations, read_releases, read_waivers)
"""Each reads the requests of one kind, by their state and the cursor of the page."""


@dataclass(frozen=True, kw_only=True)
class ApprovalList:
    state: ApprovalState
    states: tuple[ApprovalState, ...]
    sections: tuple[ApprovalSection, ...]


@router.get("/approvals")
def approvals_page(request: Request, state: ApprovalState = ApprovalState.PENDING, cursor: Cursor = None) -> Response:
    """Requests with who asked, when, and what they change; by default those that wait, the oldest first."""
    sections = tuple(read(request, state, cursor) for read in KINDS)
    view = ApprovalList(state=state, states=tuple(ApprovalState), sections=sections)
    return show(request, "approvals.html", view)


@router.post("/approvals/registrations/{number}/approve")
def approve_registration(request: Request, number: Number) -> Response:
    """The dataset becomes ACTIVE with the requested values. Nobody approves their own request."""
    service, comment = service_of(request), comment_of(request)
    refuse_foreign_entry(service.catalog, request.state.caller, number)
    by = actor_of(request.state.caller)
    service.catalog.registry.approve_registration(number, by=by, comment=comment, now=service.now())
    return _changed(request)


@router.post("/approvals/registrations/{number}/reject")
def reject_registration(request: Request, number: Number) -> Response:
    """The dataset stays as it is. A person who rejects says why."""
    service, comment = service_of(request), reason_of(request)
    refuse_foreign_entry(service.catalog, request.state.caller, number)
    by = actor_of(request.state.caller)
    service.catalog.registry.reject_registration(number, by=by, comment=comment, now=service.now())
    return _changed(request)


def _changed(request: Request) -> Response:
    portal_of(request).overviews.forget()
    return see_other("/approvals")
