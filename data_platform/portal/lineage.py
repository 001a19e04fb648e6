"""The page of lineage around a dataset or a process: a drawing whose nodes are links, a table, and a CSV file."""

import re
from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response, StreamingResponse

from data_platform.api.service import service_of
from data_platform.errors import InputError
from data_platform.model.lineage import NodeType
from data_platform.model.neighbourhood import NodeKey
from data_platform.portal.access import page_router
from data_platform.portal.lineage_csv import lineage_csv
from data_platform.portal.lineage_reader import read_broken_path, read_lineage
from data_platform.portal.lineage_view import Asked
from data_platform.portal.portal import portal_of, root_cause_of
from data_platform.portal.render import HEADERS, show

router = page_router()

Reference = Annotated[str, Path(min_length=1, max_length=4_100)]
Direction = Annotated[str, Query(pattern="^(both|upstream|downstream)$")]
Opened = Annotated[list[str], Query(max_length=500)]
_KEY = re.compile(r"([dp])([0-9]{1,18})")
_TYPES = {"d": NodeType.DATASET, "p": NodeType.PROCESS}


@router.get("/lineage/{reference:path}")
def lineage(
    request: Request,
    reference: Reference,
    kind: Annotated[NodeType, Query()] = NodeType.DATASET,
    direction: Direction = "both",
    hops: Annotated[int, Query(ge=1, le=20)] = 1,
    most: Annotated[int, Query(ge=1, le=2_000)] = 20,
    up: Opened = [],  # noqa: B006 - FastAPI copies it
    down: Opened = [],  # noqa: B006
    column: Annotated[str | None, Query(max_length=500)] = None,
    incident: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    format: Annotated[str | None, Query(pattern="^(json|csv)$")] = None,  # noqa: A002
) -> Response:
    """One hop each way first; ``up`` and ``down`` are nodes that were opened, ``incident`` shows its broken path."""
    service, lines = service_of(request), portal_of(request).overviews.current().by_urn
    if format == "csv":
        return _csv(request, reference, kind, direction)
    if incident is not None:
        why = root_cause_of(request, incident)
        return show(request, "lineage.html", read_broken_path(service.catalog, incident, lines, why))
    asked = Asked(kind=kind, direction=direction, hops=hops, most=most, column=column or None)
    opened = [*((_key_of("up", one), False) for one in up), *((_key_of("down", one), True) for one in down)]
    return show(request, "lineage.html", read_lineage(service.catalog, reference, asked, opened=opened, lines=lines))


def _key_of(field: str, text: str) -> NodeKey:
    found = _KEY.fullmatch(text)
    if found is None:
        raise InputError(field, f"{text[:40]!r}: expected a node such as d12 for a dataset, or p7 for a process")
    return NodeKey(_TYPES[found[1]], int(found[2]))


def _csv(request: Request, reference: str, kind: NodeType, direction: str) -> Response:
    catalog = service_of(request).catalog
    lines = portal_of(request).overviews.current().by_urn
    catalog.lineage.impact(reference, kind=kind, direction="upstream", depth=1, limit=1)  # an error here has a page
    text = lineage_csv(catalog, reference, kind=kind, direction=direction, lines=lines)
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="lineage.csv"'}
    return StreamingResponse(text, media_type="text/csv; charset=utf-8", headers=headers)
