"""What the catalog records about a dataset. The rest of the path is its id, its URN or its full name.

Two datasets may have the same full name (``s3://a/b`` + ``c`` and ``s3://a`` + ``b/c``). Each response has the
dataset's ``reference``, which is unique and can be used in the path; so can ``pair:<namespace>/<name>`` with ``~1``
for each slash and ``~0`` for each ``~`` of the two parts. ``/dataset`` with ``namespace`` and ``name`` needs no
escapes, and returns the id. A name that ends like a route (``…/versions``) works too: see ``api.reference``.
"""

from datetime import datetime
from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor, Limit
from data_platform.api.partition import read_partition
from data_platform.api.reference import decoded_name, or_full_name
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.errors import InputError, NotCertifiedError, NotFoundError
from data_platform.model.access import AccessToken
from data_platform.model.as_of import instant_of, read_as_of
from data_platform.model.certification import CertifiedVersion, PastCertification, PointerChange
from data_platform.model.dataset_page import DatasetPage, SchemaCard, SchemaDiff, VersionCard
from data_platform.model.explanation import Explanation
from data_platform.model.lineage import Name, NodeType
from data_platform.model.lineage_graph import ColumnImpact, ImpactPage, LineageGraph, NodeRef
from data_platform.model.page import Page
from data_platform.model.process_page import ProcessRun
from data_platform.model.run import ENFORCEMENT
from data_platform.openlineage.text import fitting

router = guarded_router("datasets")

Reference = Annotated[
    str,
    Path(min_length=1, max_length=4100, description="An id, a URN, a full name, or a reference."),
    AfterValidator(decoded_name),
]
Depth = Annotated[int | None, Query(ge=1, le=1_000_000, description="Maximum distance in edges; unlimited by default.")]
Direction = Annotated[str, Query(pattern="^(upstream|downstream)$")]


def _page(request: Request, caller: AccessToken, reference: str) -> JSONResponse:
    return answer(service_of(request).catalog.lineage.dataset_page(reference), caller)


@router.get("/dataset", response_model=shape_of(DatasetPage))
def find_dataset(
    request: Request,
    caller: Caller,
    urn: Annotated[str | None, Query(max_length=2000)] = None,
    namespace: Annotated[str | None, Query(max_length=8000)] = None,
    name: Annotated[str | None, Query(max_length=8000)] = None,
) -> JSONResponse:
    """A dataset by ``urn``, or by ``namespace`` and ``name``, which are truncated like those of events if too long."""
    if urn is None and (namespace is None or name is None):
        raise InputError("urn", "missing: expected urn, or namespace and name")
    if namespace is not None and name is not None:
        urn = fitting(Name(namespace, name)).reference
    return _page(request, caller, urn or "")


@router.get("/dataset/{reference:path}/versions", response_model=shape_of(Page[VersionCard]))
@or_full_name("versions", _page)
def get_versions(
    request: Request, caller: Caller, reference: Reference, limit: Limit = 100, cursor: Cursor = None
) -> JSONResponse:
    """Its versions, newest first."""
    return answer(service_of(request).catalog.lineage.versions(reference, limit=limit, cursor=cursor), caller)


@router.get("/dataset/{reference:path}/schema", response_model=shape_of(SchemaCard) | shape_of(SchemaDiff))
@or_full_name("schema", _page)
def get_schema(
    request: Request,
    caller: Caller,
    reference: Reference,
    version: Annotated[
        str | None, Query(max_length=500, description="The version's tag; the newest by default.")
    ] = None,
    diff_from: Annotated[
        str | None, Query(max_length=500, description="Return the changes since this version.")
    ] = None,
) -> JSONResponse:
    """The columns of a version; or with ``diff_from`` their changes since another one."""
    lineage = service_of(request).catalog.lineage
    if diff_from is not None:
        return answer(lineage.schema_diff(reference, diff_from, version), caller)
    return answer(lineage.schema(reference, version), caller)


@router.get("/dataset/{reference:path}/lineage", response_model=shape_of(LineageGraph))
@or_full_name("lineage", _page)
def get_lineage(
    request: Request,
    caller: Caller,
    reference: Reference,
    direction: Annotated[str, Query(pattern="^(upstream|downstream|both)$")] = "both",
    depth: Annotated[
        int,
        Query(
            ge=1,
            le=1_000_000,
            description="Maximum distance in edges; stages and other names do not count.",
        ),
    ] = 2,
) -> JSONResponse:
    """The processes and datasets upstream and downstream, with the edges among them."""
    return answer(service_of(request).catalog.lineage.graph(reference, direction=direction, depth=depth), caller)


@router.get("/dataset/{reference:path}/impact", response_model=shape_of(ImpactPage) | shape_of(ColumnImpact))
@or_full_name("impact", _page)
def get_impact(
    request: Request,
    caller: Caller,
    reference: Reference,
    direction: Direction = "downstream",
    depth: Depth = None,
    only: Annotated[NodeType | None, Query(description="Only nodes of this type.")] = None,
    stages: Annotated[bool, Query(description="Return stages and their jobs instead of their dataset.")] = False,  # noqa: FBT002
    column: Annotated[str | None, Query(max_length=500, description="Only this column.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """Everything that depends on it, or that it depends on, nearest first, each with its path."""
    lineage = service_of(request).catalog.lineage
    if column is not None:
        return answer(lineage.column_impact(reference, column, direction=direction, depth=depth), caller)
    page = lineage.impact(
        reference, direction=direction, depth=depth, only=only, stages=stages, limit=limit, cursor=cursor
    )
    return answer(page, caller)


@router.get("/dataset/{reference:path}/consumers", response_model=list[shape_of(NodeRef)])  # type: ignore[misc]
@or_full_name("consumers", _page)
def get_consumers(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """The processes that read it directly."""
    return answer(service_of(request).catalog.lineage.consumers(reference), caller)


@router.get("/dataset/{reference:path}/last_successful_run", response_model=shape_of(ProcessRun))
@or_full_name("last_successful_run", _page)
def get_last_successful_run(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """The newest successful run that wrote it; 404 if there is none yet."""
    run = service_of(request).catalog.lineage.last_successful_run(reference)
    if run is None:
        raise NotFoundError("no run that wrote this dataset has succeeded yet")
    return answer(run, caller)


@router.get(
    "/dataset/{reference:path}/certified", response_model=shape_of(CertifiedVersion) | shape_of(PastCertification)
)
@or_full_name("certified", _page)
def get_certified(
    request: Request,
    caller: Caller,
    reference: Reference,
    as_of: Annotated[
        str | None,
        Query(max_length=100, description="A past time with its zone; return what consumers saw then."),
    ] = None,
) -> JSONResponse:
    """The version that consumers may see, or saw; 404 if no version was certified yet.

    With the last run's enforcement, the waivers that its rows depend on, and later versions that wait for the other
    members of a publish group. Files of a past version may be gone; the
    service does not read the lake, ``data-platform certified`` checks them.
    """
    service = service_of(request)
    catalog = service.catalog
    urn = catalog.lineage.dataset(reference).reference
    if as_of is not None:
        return answer(catalog.certifications.at(urn, _instant(as_of, service.now())), caller)
    certification = catalog.certifications.get(urn)
    waiting = catalog.publications.waiting(urn, now=service.now())
    if certification is None or certification.version is None:
        reasons = "; ".join(one.reason for one in waiting[:1])
        raise NotCertifiedError(
            f"{urn} has no certified version yet" + (f": it passed, and {reasons}" if reasons else "")
        )
    [last] = catalog.runs.recent(urn, limit=1) or (None,)
    mode = last.metadata.get(ENFORCEMENT, "") if last else ""
    waivers = catalog.runs.waivers(urn, certification.judged_version or certification.version)
    found = CertifiedVersion(**vars(certification), enforcement=mode, waivers=waivers, waiting=waiting)
    return answer(found, caller)


def _instant(as_of: str, now: datetime) -> datetime:
    """Raises: InputError, if ``as_of`` is not a past time with its zone."""
    try:
        moment = read_as_of(as_of)
        if not isinstance(moment, datetime):
            raise InputError("as_of", "a date: expected a time with its zone, such as 2013-01-31T23:59:59-05:00")
        return instant_of(moment, now=now, zone=lambda: "UTC")
    except ValueError as error:
        raise InputError("as_of", f"{error}; in a URL, + is written as %2B") from None


@router.get("/dataset/{reference:path}/certifications", response_model=shape_of(Page[PointerChange]))
@or_full_name("certifications", _page)
def get_certifications(
    request: Request, caller: Caller, reference: Reference, limit: Limit = 100, cursor: Cursor = None
) -> JSONResponse:
    """Each certification, hold and move of the version that consumers see, newest first."""
    catalog = service_of(request).catalog
    urn = catalog.lineage.dataset(reference).reference
    return answer(catalog.certifications.changes(urn, limit=limit, cursor=cursor), caller)


@router.get("/dataset/{reference:path}/why", response_model=shape_of(Explanation))
@or_full_name("why", _page)
def get_why(
    request: Request,
    caller: Caller,
    reference: Reference,
    version: Annotated[
        str | None, Query(pattern=r"^v?[0-9]{1,18}$", description="A certified version, such as v17; else the current.")
    ] = None,
    partition: Annotated[
        str | None, Query(max_length=50, description="A day. Without a version, its last attempt is explained.")
    ] = None,
) -> JSONResponse:
    """Why a version was certified or a day was held: its delivery, rules, policy, inputs and runs, and what to do."""
    service = service_of(request)
    catalog = service.catalog
    urn = catalog.lineage.dataset(reference).reference
    number = int(version.removeprefix("v")) if version is not None else None
    found = catalog.certifications.explain(urn, number, read_partition("partition", partition))
    return answer(catalog.publications.with_waiting(found, now=service.now()), caller)


@router.get("/dataset/{reference:path}", response_model=shape_of(DatasetPage))
def get_dataset(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """A dataset with its newest version, its columns, and the number of its neighbours."""
    return _page(request, caller, reference)
