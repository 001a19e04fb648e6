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

    from data_platform.model.waiver import Waiver
    from data_platform.portal.waivers_view import WaiverForm

DAYS_SHOWN = 12
_ENDED = (WaiverStatus.EXPIRED, WaiverStatus.REVOKED)
"""Of these nobody is told that the last runs of its first day have no such failure, as for a misspelt signature."""


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
    catalog, lines = service_of(request).catalog, portal_of(request).overviews.current().by_urn
    pointers = catalog.certifications.all(sorted({one.dataset_urn for one in waivers}))
    shown = {one.dataset_urn: one.judged_version or one.version for one in pointers}
    versions = {urn: version for urn, version in shown.items() if version is not None}
    effects = catalog.runs.waiver_effects(waivers, versions, most_days=DAYS_SHOWN)
    return [
        WaiverFacts(
            waiver=one,
            time_zone=lines[one.dataset_urn].time_zone if one.dataset_urn in lines else "UTC",
            is_used=effects[one.number].is_used,
            waived=effects[one.number].days,
            is_unknown=one.status not in _ENDED and not effects[one.number].is_broken,
            is_own=is_author(one.author, request.state.caller.name),
            may_decide=may_act(request, "POST /waivers/{number}/approve", one.dataset_urn),
        )
        for one in waivers
    ]
