"""Quarantine: the list, a batch, the first of its rows, and what today's policy says about them."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.page import Cursor
from data_platform.api.partition import read_partition
from data_platform.api.problem import ProblemError
from data_platform.api.quarantine import Name, entry_named
from data_platform.api.service import service_of
from data_platform.api.team import refuse_foreign
from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus
from data_platform.portal.access import page_router
from data_platform.portal.dataset_name import asked_urn
from data_platform.portal.portal import portal_of
from data_platform.portal.quarantine_reader import read_batch, read_list
from data_platform.portal.quarantine_sample import QuarantineSample, sample_of
from data_platform.portal.quarantine_view import batch_view
from data_platform.portal.render import show

router = page_router()

State = Literal["OPEN", "SUPERSEDED", "RESOLVED", "DISCARDED", "RELEASED", "ANY"]


@dataclass(frozen=True, kw_only=True)
class DifferenceView:
    """The document of ``data-platform quarantine diff --json``; with a ``problem`` there are no numbers."""

    entry: QuarantineEntry
    would_pass: int | None
    would_not: int | None
    still_broken: tuple[tuple[str, int | None], ...]
    accepted_meanwhile: int | None
    differing: tuple[tuple[str, int], ...]
    reason: str
    command: str
    problem: str = ""


@router.get("/quarantine")
def quarantine_page(
    request: Request,
    dataset: Annotated[str, Query(max_length=2000)] = "",
    partition: Annotated[str, Query(max_length=50)] = "",
    state: State = "OPEN",
    owner: Annotated[str | None, Query(max_length=200)] = None,
    older: Annotated[int, Query(ge=0, le=100_000)] = 0,
    order: Literal["newest", "oldest"] = "newest",
    cursor: Cursor = None,
) -> Response:
    """Batches in quarantine with their owner, age, reasons and what to do; by default those that are open."""
    view = read_list(
        request,
        dataset=asked_urn(request, dataset),
        partition=read_partition("partition", partition or None),
        state=None if state == "ANY" else QuarantineStatus(state),
        owner=owner,
        older_than_days=older,
        is_oldest_first=order == "oldest",
        cursor=cursor,
    )
    return show(request, "quarantine.html", view)


@router.get("/quarantine/{name}")
def batch_page(request: Request, name: Name) -> Response:
    """Why the rows are here, what to do, what was done, and the forms to act."""
    return show(request, "quarantine_batch.html", batch_view(read_batch(request, name)))


@router.get("/quarantine/{name}/rows")
def rows_page(request: Request, name: Name) -> Response:
    """The first rows, for those who may act on the dataset. The lake is read by a process of its own."""
    service, samples = service_of(request), portal_of(request).samples
    entry = entry_named(service, name)
    refuse_foreign(service.catalog, request.state.caller, entry.dataset_urn)
    try:
        (columns, rows), problem = sample_of(samples.run(entry.name)["rows"]), None
    except ProblemError as error:
        (columns, rows), problem = sample_of(()), error
    view = QuarantineSample(
        name=entry.name,
        dataset=entry.dataset_urn,
        partition=str(entry.partition or ""),
        total=entry.rows,
        columns=columns,
        lines=rows,
        command=samples.by_hand(entry.name),
        problem=problem.detail if problem else "",
    )
    return show(request, "quarantine_rows.html", view, status=problem.status if problem else 200)


@router.get("/quarantine/{name}/diff")
def diff_page(request: Request, name: Name) -> Response:
    """What a replay would do, without writing anything."""
    service = service_of(request)
    entry, found, problem = entry_named(service, name), dict[str, Any](), None
    try:
        found = service.diff.run(entry.name)
    except ProblemError as error:
        problem = error
    view = _difference(entry, found, service.diff.by_hand(entry.name), problem.detail if problem else "")
    return show(request, "quarantine_diff.html", view, status=problem.status if problem else 200)


def _difference(entry: QuarantineEntry, found: dict[str, Any], command: str, problem: str) -> DifferenceView:
    return DifferenceView(
        entry=entry,
        would_pass=found.get("would_pass"),
        would_not=found.get("would_not"),
        still_broken=tuple(found.get("still_broken", {}).items()),
        accepted_meanwhile=found.get("accepted_meanwhile"),
        differing=tuple(found.get("differing", {}).items()),
        reason=found.get("reason", ""),
        command=command,
        problem=problem,
    )
