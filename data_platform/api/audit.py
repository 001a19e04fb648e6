"""The audit log, for admins and stewards: who changed what."""

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor, Limit
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.access import AuditEntry
from data_platform.model.page import Page

router = guarded_router("audit")


@router.get("/audit", response_model=shape_of(Page[AuditEntry]))
def get_audit(
    request: Request,
    caller: Caller,
    subject: Annotated[
        str | None, Query(max_length=2000, description="What was changed, such as a URN or a token's name.")
    ] = None,
    actor: Annotated[str | None, Query(max_length=200)] = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> JSONResponse:
    """Returns the audit log, newest entries first."""
    page = service_of(request).catalog.access.audit(subject=subject, actor=actor, cursor=cursor, limit=limit)
    return answer(page, caller)
