"""The page *Processes*: search, filters, and for each process its last run and when the next is expected."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.portal.access import page_router
from data_platform.portal.next_run import declared_processes, next_run
from data_platform.portal.portal import portal_of
from data_platform.portal.processes_view import PAGE_ROWS, ProcessFilter, choose, process_list, process_row
from data_platform.portal.render import show

router = page_router()

Choice = Annotated[str | None, Query(max_length=2_000)]


@router.get("/processes")
def processes(
    request: Request,
    q: Annotated[str, Query(max_length=2_000)] = "",
    technology: Choice = None,
    team: Choice = None,
    state: Choice = None,
    internal: Annotated[bool, Query()] = False,  # noqa: FBT002
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """What failed first. The jobs of single stages and steps are shown only with ``internal``."""
    service = service_of(request)
    catalog, now, policies = service.catalog, service.now(), portal_of(request).policies.current()
    asked = ProcessFilter(words=q, technology=technology, team=team, state=state, internal=internal)
    found = catalog.processes.listed(q, internal=internal)
    choice = choose(found, asked)
    shown = choice.chosen[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    keys = [one.key for one in shown]
    runs, times = catalog.processes.last_runs(one.id for one in shown), catalog.timeliness.job_times(keys)
    declared, jobs = declared_processes(policies), catalog.timeliness.legacy_jobs(keys)
    rows = tuple(
        process_row(one, runs.get(one.id), times.get(one.key), next_run(one.key, policies, declared, jobs, now), now)
        for one in shown
    )
    return show(request, "processes.html", process_list(choice, rows, asked, known=len(found), page=page))
