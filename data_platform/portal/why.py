"""The page that explains why a version was certified, or why a day is held."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.partition import read_partition
from data_platform.api.service import service_of
from data_platform.model.explanation import Explanation
from data_platform.portal.access import page_router
from data_platform.portal.dataset import Reference
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()


@dataclass(frozen=True, kw_only=True)
class WhyView:
    """The explanation that ``data-platform why`` prints, with the zone of the dataset's days."""

    dataset: str
    time_zone: str
    explanation: Explanation


@router.get("/why/{reference:path}")
def why(
    request: Request,
    reference: Reference,
    version: Annotated[str | None, Query(pattern=r"^v?[0-9]{1,18}$")] = None,
    partition: Annotated[str | None, Query(max_length=50)] = None,
) -> Response:
    """Each stage with its gates and rules, the delivery, the inputs, and what to do."""
    service = service_of(request)
    catalog = service.catalog
    urn = catalog.lineage.dataset(reference).reference
    number = int(version.removeprefix("v")) if version is not None else None
    found = catalog.certifications.explain(urn, number, read_partition("partition", partition))
    line = portal_of(request).overviews.current().by_urn.get(urn)
    view = WhyView(
        dataset=urn,
        time_zone=line.time_zone if line else "UTC",
        explanation=catalog.publications.with_waiting(found, now=service.now()),
    )
    return show(request, "why.html", view)
