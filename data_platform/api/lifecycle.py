"""Starts, ends and writes of jobs, whoever reported them."""

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor, Limit
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.lifecycle import LifecycleEvent
from data_platform.model.page import Page

router = guarded_router("events")

DatasetUrn = Annotated[
    str | None, Query(max_length=300, description="Only of the jobs and runs that write this dataset.")
]


@router.get("/events/lifecycle", response_model=shape_of(Page[LifecycleEvent]))
def get_lifecycle(
    request: Request, caller: Caller, dataset_urn: DatasetUrn = None, cursor: Cursor = None, limit: Limit = 100
) -> JSONResponse:
    """Lifecycle events, newest first. A consumer does not see the reasons of failures."""
    events = service_of(request).catalog.events
    return answer(events.lifecycle(dataset_urn, cursor=cursor, limit=limit), caller)
