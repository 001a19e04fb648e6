"""The page of one dataset. The rest of the path is its URN, or another name by which the catalog finds it."""

from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.portal.access import page_router
from data_platform.portal.dataset_reader import read_dataset
from data_platform.portal.dataset_view import dataset_view
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()

Reference = Annotated[str, Path(min_length=1, max_length=4_100)]


@router.get("/datasets/{reference:path}")
def dataset(request: Request, reference: Reference) -> Response:
    """What consumers see of it and since when, why not more, and everything around it."""
    service, portal = service_of(request), portal_of(request)
    lines = portal.overviews.current().by_urn
    facts = read_dataset(
        service.catalog,
        portal.policies.current(),
        reference,
        lines,
        now=service.now(),
        dagster_url=portal.dagster_url,
    )
    return show(request, "dataset.html", dataset_view(facts))
