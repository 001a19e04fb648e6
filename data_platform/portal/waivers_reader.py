"""Reads waivers with what they let through: the days that gates waived, and the versions that depend on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.service import service_of
from data_platform.catalog.four_eyes import is_author
from data_platform.model.waiver import WaiverStatus
from data_platform.portal.portal import portal_of
from data_platform.portal.team import may_act
from data_platform.portal.waivers_view import PAGE_ROWS, WaiverFacts, WaiverList, sections_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from data_platform.catalog import Catalog
    from data_platform.model.certification import Certification
    from data_platform.model.waiver import Waiver
    from data_platform.portal.waivers_view import WaiverForm

DAYS_SHOWN = 12
_ENDED = (WaiverStatus.EXPIRED, WaiverStatus.REVOKED)


def read_list(request: Request, dataset: str | None, *, ended: bool, page: int, form: WaiverForm | None) -> WaiverList:
    service = service_of(request)
    found = service.catalog.waivers.find(dataset, now=service.now(), ended=ended)
    pages = max(-(-len(found) // PAGE_ROWS), 1)
    page = min(page, pages)
    shown = found[::-1][(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    return WaiverList(
        now=service.now(),
        dataset=dataset,
        ended=ended,
        sections=sections_of(_facts(request, shown), service.now()),
        page=page,
        pages=pages,
        form=form,
    )


def _facts(request: Request, waivers: Sequence[Waiver]) -> list[WaiverFacts]:
    catalog, overview = service_of(request).catalog, portal_of(request).overviews.current()
    pointers = {urn: catalog.certifications.get(urn) for urn in {one.dataset_urn for one in waivers}}
    lines = overview.by_urn
    return [
        WaiverFacts(
            waiver=one,
            time_zone=lines[one.dataset_urn].time_zone if one.dataset_urn in lines else "UTC",
            is_used=_is_used(catalog, one, pointers[one.dataset_urn]),
            waived=catalog.runs.waived_days(one, limit=DAYS_SHOWN),
            is_unknown=_is_unknown(catalog, one),
            is_own=is_author(one.author, request.state.caller.name),
            may_decide=may_act(request, "POST /waivers/{number}/approve", one.dataset_urn),
        )
        for one in waivers
    ]


def _is_used(catalog: Catalog, waiver: Waiver, pointer: Certification | None) -> bool:
    """Whether the version depends on it that consumers see."""
    if pointer is None or pointer.version is None:
        return False
    return catalog.runs.depends_on(pointer.judged_version or pointer.version, waiver)


def _is_unknown(catalog: Catalog, waiver: Waiver) -> bool:
    """Whether the last runs of its first day have no such failure: a misspelt signature would waive nothing."""
    if waiver.status in _ENDED:
        return False
    return waiver.signature not in catalog.runs.signatures(waiver.dataset_urn, waiver.first)
