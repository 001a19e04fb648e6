"""Waivers: what is accepted until when, the form to request one, and the decisions of stewards."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.partition import read_partition
from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.api.team import actor_of, refuse_foreign
from data_platform.api.waiver import Number
from data_platform.errors import InputError
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate
from data_platform.model.waiver import LONGEST, WAIVABLE, WaiverRequest, end_of
from data_platform.portal.access import PAGES, page_router
from data_platform.portal.comment import comment_of
from data_platform.portal.dataset_name import asked_urn, urn_of
from data_platform.portal.link import add_query
from data_platform.portal.portal import portal_of
from data_platform.portal.render import see_other, show
from data_platform.portal.waivers_reader import read_list
from data_platform.portal.waivers_view import WaiverForm

router = page_router()

Given = Annotated[str, Query(max_length=2_000)]


@router.get("/waivers")
def waivers_page(
    request: Request,
    dataset: Given = "",
    gate: Given = "",
    signature: Given = "",
    first: Given = "",
    ended: bool = False,  # noqa: FBT001, FBT002 - a parameter of the URL
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """Those that wait, count or will count, or those that have ended. The other parameters begin the form."""
    form = None
    if request.state.caller.role in PAGES["POST /waivers"]:
        latest = PartitionKey.containing(service_of(request).now() + LONGEST, "UTC").previous
        gates = tuple(one.value for one in WAIVABLE)
        form = WaiverForm(dataset=dataset, gate=gate, signature=signature, first=first, gates=gates, latest=str(latest))
    view = read_list(request, asked_urn(request, dataset), ended=ended, page=page, form=form)
    return show(request, "waivers.html", view)


@router.post("/waivers")
def request_waiver(request: Request) -> Response:
    """Requests a waiver of one failed rule, until the end of a day. It counts once somebody else has approved it."""
    service, caller = service_of(request), request.state.caller
    urn = urn_of(request, _field(request, "dataset"))
    refuse_foreign(service.catalog, caller, urn)
    first = _day(request, "first")
    until = _day(request, "until")
    if until is None:
        raise InputError("until", "expected the last day in UTC on which it counts, such as 2026-03-31")
    wanted = WaiverRequest(
        dataset_urn=urn,
        gate=_gate(request),
        signature=_field(request, "signature"),
        first=first,
        last=_day(request, "last") or first,
        reason=_field(request, "reason"),
        expires_at=end_of(until),
    )
    service.catalog.waivers.request(wanted, by=actor_of(caller), now=service.now())
    return see_other(add_query("/waivers", (), dataset=urn))


@router.post("/waivers/{number}/approve")
def approve_waiver(request: Request, number: Number) -> Response:
    """From now on it counts. Nobody approves their own. The held day is certified by running it again."""
    service, comment = service_of(request), comment_of(request)
    urn = _refuse_foreign(request, number)
    by = actor_of(request.state.caller)
    service.catalog.waivers.approve(number, by=by, comment=comment, now=service.now())
    return _changed(request, urn)


@router.post("/waivers/{number}/revoke")
def revoke_waiver(request: Request, number: Number) -> Response:
    """Ends it, or rejects a requested one. What was certified stays certified."""
    service, comment = service_of(request), comment_of(request)
    urn = _refuse_foreign(request, number)
    by = actor_of(request.state.caller)
    service.catalog.waivers.revoke(number, by=by, comment=comment, now=service.now())
    return _changed(request, urn)


def _refuse_foreign(request: Request, number: int) -> str:
    """The dataset of the waiver. Raises: ProblemError, NotFoundError: 403, another team's, or no such waiver."""
    service = service_of(request)
    urn = service.catalog.waivers.get(number, now=service.now()).dataset_urn
    refuse_foreign(service.catalog, request.state.caller, urn)
    return urn


def _changed(request: Request, urn: str) -> Response:
    portal_of(request).overviews.forget()
    return see_other(add_query("/waivers", (), dataset=urn))


def _field(request: Request, name: str) -> str:
    return str(request.state.form.get(name, "")).strip()


def _day(request: Request, name: str) -> PartitionKey | None:
    return read_partition(name, _field(request, name) or None)


def _gate(request: Request) -> Gate:
    """Raises: ProblemError, 422."""
    given = _field(request, "gate")
    if given not in Gate.__members__:
        raise ProblemError(422, "unknown-gate", f"choose the gate that failed: one of {', '.join(WAIVABLE)}")
    return Gate.named(given)
