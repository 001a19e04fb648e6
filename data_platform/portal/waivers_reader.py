"""Reads waivers with what they let through: the days that gates waived, and the versions that depend on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.service import service_of
from data_platform.catalog.four_eyes import is_author
from data_platform.model.verdict import Outcome
from data_platform.model.waiver import WaiverStatus, covers_day
from data_platform.portal.portal import portal_of
from data_platform.portal.team import may_act
from data_platform.portal.waivers_view import ENDED_ROWS, WaiverFacts, WaiverList, sections_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from data_platform.catalog import Catalog
    from data_platform.model.gate_day import GateDay
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.waiver import Waiver
    from data_platform.portal.waivers_view import WaiverForm

DAYS = 90
"""A waiver lasts no longer."""
DAYS_SHOWN = 12
_ENDED = (WaiverStatus.EXPIRED, WaiverStatus.REVOKED)


def read_list(request: Request, dataset: str | None, *, ended: bool, page: int, form: WaiverForm | None) -> WaiverList:
    service = service_of(request)
    found = [one for one in service.catalog.waivers.find(dataset, now=service.now()) if (one.status in _ENDED) is ended]
    pages = max(-(-len(found) // ENDED_ROWS), 1)
    page = min(page, pages)
    shown = found[::-1][(page - 1) * ENDED_ROWS : page * ENDED_ROWS]
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
    urns = {one.dataset_urn for one in waivers}
    used = {number for urn in urns for number in _used(catalog, urn)}
    verdicts = {urn: catalog.runs.gate_days(urn, limit=DAYS) for urn in urns}
    lines = overview.by_urn
    return [
        WaiverFacts(
            waiver=one,
            time_zone=lines[one.dataset_urn].time_zone if one.dataset_urn in lines else "UTC",
            is_used=one.number in used,
            waived=_waived(one, verdicts[one.dataset_urn]),
            is_unknown=_is_unknown(catalog, one),
            is_own=is_author(one.author, request.state.caller.name),
            may_decide=may_act(request, "POST /waivers/{number}/approve", one.dataset_urn),
        )
        for one in waivers
    ]


def _used(catalog: Catalog, urn: str) -> list[int]:
    """The numbers of the waivers on which the version depends that consumers see."""
    pointer = catalog.certifications.get(urn)
    if pointer is None or pointer.version is None:
        return []
    return [use["number"] for use in catalog.runs.waivers(urn, pointer.judged_version or pointer.version)]


def _waived(waiver: Waiver, verdicts: Sequence[GateDay]) -> tuple[PartitionKey, ...]:
    """The newest days of the waiver on which its gate was waived in the last run."""
    days = {
        one.partition
        for one in verdicts
        if (one.gate, one.outcome) == (waiver.gate.value, Outcome.WAIVED) and covers_day(waiver.use, one.partition)
    }
    return tuple(sorted(days)[-DAYS_SHOWN:])


def _is_unknown(catalog: Catalog, waiver: Waiver) -> bool:
    """Whether the last runs of its first day have no such failure: a misspelt signature would waive nothing."""
    if waiver.status in _ENDED:
        return False
    return waiver.signature not in catalog.runs.signatures(waiver.dataset_urn, waiver.first)
