"""Evidence: the records of the gates, the page of one, and the proof that nobody changed the log."""

import time
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.page import Cursor
from data_platform.api.partition import read_partition
from data_platform.api.service import service_of
from data_platform.catalog import Catalog
from data_platform.errors import InputError, NotFoundError
from data_platform.model.dataset import Stage
from data_platform.model.evidence import RESULTS, Evidence
from data_platform.model.verdict import Gate, Verdict
from data_platform.portal.access import page_router
from data_platform.portal.dataset import Reference
from data_platform.portal.dataset_name import asked_urn
from data_platform.portal.datasets import Word
from data_platform.portal.evidence_view import (
    CheckpointLine,
    EvidenceFilter,
    EvidenceList,
    JudgedRun,
    RecordView,
    TopicLine,
    VerificationProgress,
    VerificationView,
)
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()
SECONDS = 0.4
"""How long one part of a verification may take. A page with scripts asks for the next part by itself."""
_SHOWN = 50
_GATES = tuple(Gate.__members__)


@router.get("/evidence")
def evidence_page(
    request: Request,
    dataset: Word = "",
    day: Word = "",
    gate: Word = "",
    result: Word = "",
    run: Word = "",
    cursor: Cursor = None,
) -> Response:
    """The records, newest first, with how far they were sent on and when checkpoints were made."""
    service = service_of(request)
    log = service.catalog.evidence
    found = log.page(
        asked_urn(request, dataset),
        gate=_choice("gate", gate, _GATES),
        result=_choice("result", result, RESULTS),
        partition=read_partition("day", day.strip() or None),
        run_id=run.strip() or None,
        limit=_SHOWN,
        cursor=cursor,
    )
    asked = EvidenceFilter(dataset=dataset, day=day, gate=gate, result=result, run=run, gates=_GATES, results=RESULTS)
    view = EvidenceList(
        asked=asked,
        rows=found.items,
        cursor=found.cursor,
        topics=_topics(service.catalog, service.evidence_topic),
        checkpoints=_checkpoints(service.catalog),
    )
    return show(request, "evidence.html", view)


@router.get("/evidence/verify")
def verify_page(
    request: Request, dataset: Word = "", continuation: Annotated[str, Query(max_length=8000)] = ""
) -> Response:
    """Checks the chain of one dataset, or all of them, as ``data-platform evidence verify`` does, part by part."""
    service, portal = service_of(request), portal_of(request)
    begun = _begun(request, continuation) if continuation else None
    urn = begun.dataset if begun else asked_urn(request, dataset)
    began_at = begun.began_at if begun else service.now()
    ends = time.monotonic() + SECONDS
    found = service.catalog.evidence.verify(
        urn, so_far=begun.so_far if begun else None, is_over=lambda: time.monotonic() > ends
    )
    goes_on = found.reached is not None and not found.breaks
    progress = VerificationProgress(urn, began_at, found)
    view = VerificationView(
        dataset=urn,
        began_at=began_at,
        verification=found,
        continuation=portal.verifications.sealed(progress.document()) if goes_on else None,
        checkpoints=_checkpoints(service.catalog),
    )
    return show(request, "evidence_verify.html", view)


@router.get("/evidence/{reference}")
def record_page(request: Request, reference: Reference) -> Response:
    """One record with its place in the chain, and the judgement that it is about."""
    catalog = service_of(request).catalog
    record = catalog.evidence.record(reference)
    if record is None:
        raise NotFoundError("there is no evidence with this id: the list of evidence leads to the records")
    about = record.evidence
    stage = Stage(about.stage) if about.stage in tuple(Stage) else None
    run = catalog.runs.get(about.run_id, about.dataset_urn, stage) if stage else None
    line = portal_of(request).overviews.current().by_urn.get(about.dataset_urn)
    before, after = catalog.evidence.neighbours(record)
    view = RecordView(
        record=record,
        description=Gate.named(about.gate).description if about.gate in _GATES else "",
        is_sealed=catalog.evidence.is_sealed(record),
        time_zone=line.time_zone if line else "UTC",
        before=before,
        after=after,
        run=JudgedRun.of(run) if run else None,
        verdict=_verdict(catalog, about, stage) if stage else None,
    )
    return show(request, "evidence_record.html", view)


def _begun(request: Request, continuation: str) -> VerificationProgress:
    document = portal_of(request).verifications.opened(continuation)
    if document is None:
        raise InputError("continuation", "not that of a verification of this service: begin again at /evidence")
    return VerificationProgress.from_document(document)


def _choice(field: str, given: str, choices: tuple[str, ...]) -> str | None:
    """Raises: InputError, if ``given`` is none of the choices; an empty text selects all."""
    if given and given not in choices:
        raise InputError(field, f"unknown: expected one of {', '.join(choices)}")
    return given or None


def _verdict(catalog: Catalog, about: Evidence, stage: Stage) -> Verdict | None:
    found = catalog.runs.verdicts(about.run_id, about.dataset_urn, stage)
    return next((one for one in found if one.gate == about.gate), None)


def _topics(catalog: Catalog, configured: str | None) -> tuple[TopicLine, ...]:
    names = {*catalog.evidence_relay.topics(), *([configured] if configured else [])}
    return tuple(_topic(catalog, name) for name in sorted(names))


def _topic(catalog: Catalog, name: str) -> TopicLine:
    sent, waiting = catalog.evidence_relay.sent(name), catalog.evidence_relay.waiting(name)
    return TopicLine(
        topic=name, sent=sent.records, sent_at=sent.at, waiting=waiting.records, waits_since=waiting.oldest
    )


def _checkpoints(catalog: Catalog) -> tuple[CheckpointLine, ...]:
    return tuple(CheckpointLine(number=number, made_at=at) for number, at in catalog.evidence.checkpoints(limit=5))
