"""The page of one run, whoever reported it."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.model.process_page import ProcessRun, RunRelations
from data_platform.portal.access import page_router
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()


@dataclass(frozen=True, kw_only=True)
class RunView:
    """``long_seconds`` is the 95th percentile of the process's completed runs, if there are enough.

    ``dagster`` is the address of Dagster's own page of the run, if the run names it and the address of Dagster is set.
    """

    run: ProcessRun
    around: RunRelations
    long_seconds: float | None
    dagster: str | None


@router.get("/runs/{run_uuid}")
def run(request: Request, run_uuid: Annotated[str, Path(min_length=1, max_length=36)]) -> Response:
    """Its states, attempts, parent and children, what it read and wrote, its facets, and where its log is."""
    catalog = service_of(request).catalog
    found = catalog.lineage.run(run_uuid)
    time = catalog.timeliness.job_times([found.process_key]).get(found.process_key)
    view = RunView(
        run=found,
        around=catalog.processes.around(found),
        long_seconds=time.long.total_seconds() if time else None,
        dagster=_dagster(found, portal_of(request).dagster_url),
    )
    return show(request, "run.html", view)


def _dagster(found: ProcessRun, url: str | None) -> str | None:
    own = found.facets.get("dataPlatform_run")
    number = own.get("dagsterRun") if isinstance(own, dict) else None
    is_id = isinstance(number, str) and number.replace("-", "").isalnum()
    return f"{url}/runs/{number}" if url and is_id else None
