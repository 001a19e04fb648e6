"""The root cause of an incident over HTTP."""

from fastapi import Request
from fastapi.responses import JSONResponse

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.incident import Number
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.root_cause import RootCause
from data_platform.signals.root_cause.gather import explain_incident

router = guarded_router("incidents")


@router.get("/incidents/{number}/rca", response_model=shape_of(RootCause))
def get_root_cause(request: Request, caller: Caller, number: Number) -> JSONResponse:
    """Why the incident happened: its cause with the chain of evidence, what was ruled out, and what to do.

    ``cause`` is null if nothing in evidence explains it. Of an incident that was merged, that of the older one.
    """
    service = service_of(request)
    return answer(explain_incident(service.catalog, number, now=service.now()), caller)
