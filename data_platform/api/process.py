"""What the catalog records about processes and their runs, and which datasets are past their service level."""

from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor, Limit
from data_platform.api.reference import decoded_name
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.page import Page
from data_platform.model.process_page import ProcessPage, ProcessRun
from data_platform.model.service_level import SlaState

router = guarded_router("processes")

Key = Annotated[
    str,
    Path(min_length=1, max_length=2000, description="An id, or a key such as AUTOSYS/BOX/JOB."),
    AfterValidator(decoded_name),
]


@router.get("/process/{key:path}/runs", response_model=shape_of(Page[ProcessRun]))
def get_runs(request: Request, caller: Caller, key: Key, limit: Limit = 100, cursor: Cursor = None) -> JSONResponse:
    """Its runs, newest first."""
    return answer(service_of(request).catalog.lineage.process_runs(key, limit=limit, cursor=cursor), caller)


@router.get("/process/{key:path}", response_model=shape_of(ProcessPage))
def get_process(request: Request, caller: Caller, key: Key) -> JSONResponse:
    """A process with what it reads and writes, and its last runs."""
    return answer(service_of(request).catalog.lineage.process_page(key), caller)


@router.get("/run/{run_uuid}", response_model=shape_of(ProcessRun))
def get_run(request: Request, caller: Caller, run_uuid: Annotated[str, Path(max_length=36)]) -> JSONResponse:
    """One run, with what it read and wrote."""
    return answer(service_of(request).catalog.lineage.run(run_uuid), caller)


@router.get("/sla/status", response_model=list[shape_of(SlaState)])  # type: ignore[misc]
def get_sla_status(
    request: Request,
    caller: Caller,
    late_only: Annotated[bool, Query(description="Only late datasets.")] = False,  # noqa: FBT002
) -> JSONResponse:
    """Datasets with a service level, the most overdue first."""
    service = service_of(request)
    return answer(service.catalog.lineage.sla_states(now=service.now(), late_only=late_only), caller)
