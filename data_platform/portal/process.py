"""The page of one process. The rest of the path is its key, such as ``AUTOSYS/BOX/JOB``, or its id."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from data_platform.api.page import Cursor
from data_platform.api.service import service_of
from data_platform.model.internal import shown_reference
from data_platform.model.process import Process
from data_platform.model.process_page import ProcessPage, ProcessRun
from data_platform.portal.access import page_router
from data_platform.portal.chart import Chart
from data_platform.portal.duration_chart import duration_chart
from data_platform.portal.lineage_view import NEVER_RAN
from data_platform.portal.next_run import NextRun, declared_processes, next_run
from data_platform.portal.portal import portal_of
from data_platform.portal.processes_view import RETIRED
from data_platform.portal.render import show

router = page_router()

Key = Annotated[str, Path(min_length=1, max_length=2_000)]
_RUNS = 50


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What the policy of a process says about it; ``steps`` are the names of its queries."""

    trigger: str
    schedule: str | None
    output: str
    inputs: tuple[str, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ProcessView:
    """``inputs`` and ``outputs`` are datasets, whose stages count as the dataset. ``cursor`` is the next page of runs.

    ``usual_seconds`` and ``long_seconds`` are median and 95th percentile of completed runs, if there are enough.
    """

    known: ProcessPage
    state: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    declaration: Declaration | None
    next: NextRun
    usual_seconds: float | None
    long_seconds: float | None
    runs: tuple[ProcessRun, ...]
    cursor: str | None
    duration: Chart


@router.get("/processes/{key:path}")
def process(request: Request, key: Key, cursor: Cursor = None) -> Response:
    """What it reads and writes, what starts it, its runs, and what its legacy scheduler says of it."""
    service = service_of(request)
    catalog, policies = service.catalog, portal_of(request).policies.current()
    page = catalog.lineage.process_page(key)
    own_key = page.process.key
    runs = catalog.lineage.process_runs(own_key, limit=_RUNS, cursor=cursor)
    time = catalog.timeliness.job_times([own_key]).get(own_key)
    declared, jobs = declared_processes(policies), catalog.timeliness.legacy_jobs([own_key])
    view = ProcessView(
        known=page,
        state=_state(page),
        inputs=_shown(page.inputs),
        outputs=_shown(page.outputs),
        declaration=_declaration(declared.get(own_key)),
        next=next_run(own_key, policies, declared, jobs, service.now()),
        usual_seconds=time.usual.total_seconds() if time else None,
        long_seconds=time.long.total_seconds() if time else None,
        runs=tuple(runs.items),
        cursor=runs.cursor,
        duration=duration_chart(runs.items),
    )
    return show(request, "process.html", view)


def _state(page: ProcessPage) -> str:
    if page.process.retired_at is not None:
        return RETIRED
    return page.runs[0].status.value if page.runs else NEVER_RAN


def _shown(references: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(shown_reference, references)))


def _declaration(process: Process | None) -> Declaration | None:
    if process is None:
        return None
    return Declaration(
        trigger=process.trigger,
        schedule=process.schedule,
        output=process.output,
        inputs=tuple(one.dataset for one in process.inputs),
        steps=tuple(one.name for one in process.steps),
    )
