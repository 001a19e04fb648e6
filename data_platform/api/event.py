"""Where producers send OpenLineage events: ``/run_event``, ``/lineage`` for OpenLineage's own clients, and batches.

A batch is not all or nothing: each event is stored or refused by itself, and reported by its index.
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from data_platform.api.access import GuardedRoute, guarded_router
from data_platform.api.body import parse_json, read_body
from data_platform.api.document import BATCH_BODY, EVENT_BODY, BatchReceipt, EventReceipt
from data_platform.api.lane import Result
from data_platform.api.problem import ProblemError, problem_of, unavailable
from data_platform.api.service import Service, service_of
from data_platform.catalog.lineage.ingest import Receipt
from data_platform.errors import InputError
from data_platform.model.lineage import LineageEvent
from data_platform.openlineage.event import read_event

router = guarded_router("events", route_class=GuardedRoute)  # bodies have limits of their own

MOST_EVENTS = 10_000
"""Maximum number of events in one batch."""

ANSWER_SECONDS = 60
"""After this a client gets 503 and sends again; events that were stored by then are not stored twice."""

_INLINE_BYTES = 65_536

Historical = Annotated[bool, Query(description="Backfill: triggers nothing and does not change the latest version.")]
_ANSWERS: dict[int | str, dict[str, Any]] = {207: {"model": BatchReceipt, "description": "Some events were refused."}}


@dataclass(frozen=True)
class _Body:
    """``read`` has an event, or the error, for each document of the body."""

    is_batch: bool
    read: list[LineageEvent | InputError]


@router.post(
    "/run_event",
    status_code=201,
    response_model=EventReceipt | BatchReceipt,
    responses=_ANSWERS,
    openapi_extra=EVENT_BODY,
)
async def post_run_event(request: Request, historical: Historical = False) -> JSONResponse:  # noqa: FBT002 - a query
    """One event of a run, a job or a dataset. An array is a batch."""
    return await _take(request, historical=historical)


@router.post(
    "/lineage",
    status_code=201,
    response_model=EventReceipt | BatchReceipt,
    responses=_ANSWERS,
    openapi_extra=EVENT_BODY,
)
async def post_lineage(request: Request, historical: Historical = False) -> JSONResponse:  # noqa: FBT002
    """The same as ``/run_event``, at the path of OpenLineage's own clients."""
    return await _take(request, historical=historical)


@router.post(
    "/lineage/batch", status_code=201, response_model=BatchReceipt, responses=_ANSWERS, openapi_extra=BATCH_BODY
)
async def post_batch(request: Request, historical: Historical = False) -> JSONResponse:  # noqa: FBT002
    """A batch of events, each stored or refused by itself: 201 if all were stored, 207 if some, 422 if none."""
    return await _take(request, historical=historical, only_batch=True)


async def _take(request: Request, *, historical: bool, only_batch: bool = False) -> JSONResponse:
    service = service_of(request)
    limit = service.limits.batch_bytes if only_batch else service.limits.event_bytes
    setting = "DATA_PLATFORM_MAX_BATCH_BYTES" if only_batch else "DATA_PLATFORM_MAX_EVENT_BYTES"
    async with AsyncExitStack() as held:

        async def take_place() -> None:
            await held.enter_async_context(service.large)

        raw = await read_body(request, limit, setting, admit_large=take_place)
        body = await _in_thread_if_large(raw, historical=historical, only_batch=only_batch)
        del raw
        results = await results_of(service, body.read)
    count(service, results)
    return _batch_answer(results) if body.is_batch else _answer(results[0])


async def _in_thread_if_large(raw: bytes, *, historical: bool, only_batch: bool) -> _Body:
    if len(raw) < _INLINE_BYTES:
        return _read(raw, historical=historical, only_batch=only_batch)
    return await run_in_threadpool(_read, raw, historical=historical, only_batch=only_batch)


def _read(raw: bytes, *, historical: bool, only_batch: bool) -> _Body:
    document = parse_json(raw)
    if not isinstance(document, list):
        if only_batch:
            raise InputError("", "expected a JSON array of events")
        return _Body(is_batch=False, read=[_event_of(document, historical=historical)])
    if not 1 <= len(document) <= MOST_EVENTS:
        raise InputError("", f"a batch of {len(document)} events: expected 1 to {MOST_EVENTS}")
    return _Body(is_batch=True, read=[_event_of(item, historical=historical) for item in document])


def _event_of(document: Any, *, historical: bool) -> LineageEvent | InputError:
    try:
        return read_event(document, historical=historical)
    except InputError as error:
        return error


async def results_of(service: Service, read: list[LineageEvent | InputError]) -> list[Result]:
    """Stores the events; returns a result for each entry of ``read``, in the same order."""
    futures = iter(service.intake.submit([event for event in read if isinstance(event, LineageEvent)]))
    waiting = [one if isinstance(one, InputError) else asyncio.wrap_future(next(futures)) for one in read]
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return [one if isinstance(one, InputError) else await one for one in waiting]
    except TimeoutError:
        raise unavailable("the catalog is slow, and the events may be stored or not: send them again") from None


def count(service: Service, results: list[Result]) -> None:
    for result in results:
        if isinstance(result, Receipt):
            outcome = "ingested" if result.stored else "duplicate"
        else:
            outcome = "refused" if isinstance(result, InputError) else "failed"
        service.metrics.events.labels(outcome).inc()


def _answer(result: Result) -> JSONResponse:
    if isinstance(result, Receipt):
        return JSONResponse(_receipt(result), 201)
    raise result


def _batch_answer(results: list[Result]) -> JSONResponse:
    problems = {place: problem_of(result) for place, result in enumerate(results) if isinstance(result, Exception)}
    outcomes = [_outcome(place, result, problems.get(place)) for place, result in enumerate(results)]
    kept = len(results) - len(problems)
    document = {"received": len(results), "kept": kept, "refused": len(problems), "results": outcomes}
    if not problems:
        return JSONResponse(document, 201)
    if kept:
        return JSONResponse(document, 207)
    return _none_kept(problems, document)


def _none_kept(problems: dict[int, ProblemError], document: dict[str, Any]) -> JSONResponse:
    """A problem with the worst status; if the catalog is unavailable, the client sends the whole batch again."""
    worst = max(problems.values(), key=lambda problem: problem.status)
    errors = [
        (_place(place, field), message)
        for place, problem in problems.items()
        for field, message in problem.errors or (("", problem.detail),)
    ]
    detail = worst.detail if worst.status >= 500 else f"none of the {len(problems)} events can be stored"
    problem = ProblemError(worst.status, worst.kind, detail, errors=errors, headers=worst.headers, more=document)
    return problem.response()


def _outcome(place: int, result: Result, problem: ProblemError | None) -> dict[str, Any]:
    if problem is None:
        assert isinstance(result, Receipt)  # noqa: S101 - it is one or the other
        return {"index": place, "status": 201, **_receipt(result)}
    errors = [{"field": _place(place, field), "problem": message} for field, message in problem.errors]
    retry = problem.status >= 500
    return {"index": place, "status": problem.status, "detail": problem.detail, "errors": errors, "retry": retry}


def _place(place: int, field: str) -> str:
    return f"[{place}].{field}" if field else f"[{place}]"


def _receipt(receipt: Receipt) -> dict[str, Any]:
    return {
        "digest": receipt.digest,
        "run_uuid": receipt.run_uuid,
        "stored": receipt.stored,
        "warnings": list(receipt.warnings),
    }
