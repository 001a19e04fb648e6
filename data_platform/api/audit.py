"""Who changed what. For admins and stewards."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel

from data_platform.api.access import guarded_router
from data_platform.api.page import Cursor, Limit, cursor_of, number_of
from data_platform.api.service import service_of

router = guarded_router("audit")


class AuditRow(BaseModel):
    audit_id: int
    at: datetime
    actor: str
    role: str
    action: str
    subject: str
    detail: dict[str, Any]


class AuditPage(BaseModel):
    items: list[AuditRow]
    next_cursor: str | None


@router.get("/audit")
def get_audit(
    request: Request,
    subject: Annotated[str | None, Query(max_length=2000, description="Such as a URN or a token's name.")] = None,
    actor: Annotated[str | None, Query(max_length=200)] = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> AuditPage:
    """The audit log, newest first."""
    found = service_of(request).catalog.audit(subject=subject, actor=actor, before=number_of(cursor), limit=limit)
    rows = [AuditRow(**vars(entry)) for entry in found]
    return AuditPage(items=rows, next_cursor=cursor_of(found[-1].audit_id) if len(found) == limit else None)
