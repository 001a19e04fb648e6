"""What the catalog knows of a dataset. It is named by its id, its URN or its full name, as the rest of the path.

Two datasets may have one full name (``s3://a/b`` + ``c`` and ``s3://a`` + ``b/c``). Each answer has the dataset's
``reference``, which names this one and no other, and may stand in the path; so may
``pair:<namespace>/<name>`` with ``~1`` for each slash and ``~0`` for each ``~`` of the two parts. ``/dataset`` with
``namespace`` and ``name`` needs no escapes, and returns the id. A name that ends like a route (``…/versions``) is
found too: see ``api.reference``.
"""

from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor, Limit
from data_platform.api.reference import or_a_name_that_ends_so, whole_name
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.errors import InputError, NotCertifiedError, NotFoundError
from data_platform.model.access import AccessToken
from data_platform.model.catalog import (
    ColumnImpact,
    DatasetPage,
    ImpactPage,
    LineageGraph,
    NodeRef,
    Page,
    ProcessRun,
    SchemaCard,
    SchemaDiff,
    VersionCard,
)
from data_platform.model.certification import Certification
from data_platform.model.lineage import Name, NodeType
from data_platform.openlineage.text import fitting

router = guarded_router("datasets")

Reference = Annotated[
    str,
    Path(min_length=1, max_length=4100, description="An id, a URN, a full name, or a reference."),
    AfterValidator(whole_name),
]
Depth = Annotated[int | None, Query(ge=1, le=1_000_000, description="Edges; all there are if left out.")]
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
    """A dataset by ``urn``, or by ``namespace`` and ``name``, which are cut as those of events are if too long."""
    if urn is None and (namespace is None or name is None):
        raise InputError("urn", "missing: expected urn, or namespace and name")
    if namespace is not None and name is not None:
        urn = fitting(Name(namespace, name)).reference
    return _page(request, caller, urn or "")


@router.get("/dataset/{reference:path}/versions", response_model=shape_of(Page[VersionCard]))
@or_a_name_that_ends_so("versions", _page)
def get_versions(
    request: Request, caller: Caller, reference: Reference, limit: Limit = 100, cursor: Cursor = None
) -> JSONResponse:
    """Its versions, newest first."""
    return answer(service_of(request).catalog.lineage.versions(reference, limit=limit, cursor=cursor), caller)


@router.get("/dataset/{reference:path}/schema", response_model=shape_of(SchemaCard) | shape_of(SchemaDiff))
@or_a_name_that_ends_so("schema", _page)
def get_schema(
    request: Request,
    caller: Caller,
    reference: Reference,
    version: Annotated[str | None, Query(max_length=500, description="Its tag; the newest if left out.")] = None,
    diff_from: Annotated[str | None, Query(max_length=500, description="Tell what changed since this version.")] = None,
) -> JSONResponse:
    """The columns of a version; or with ``diff_from`` what became of them since another one."""
    lineage = service_of(request).catalog.lineage
    if diff_from is not None:
        return answer(lineage.schema_diff(reference, diff_from, version), caller)
    return answer(lineage.schema(reference, version), caller)


@router.get("/dataset/{reference:path}/lineage", response_model=shape_of(LineageGraph))
@or_a_name_that_ends_so("lineage", _page)
def get_lineage(
    request: Request,
    caller: Caller,
    reference: Reference,
    direction: Annotated[str, Query(pattern="^(upstream|downstream|both)$")] = "both",
    depth: Annotated[
        int, Query(ge=1, le=1_000_000, description="Edges; stages inside a dataset and its other names cost none.")
    ] = 2,
) -> JSONResponse:
    """The processes and datasets around it, with the edges among them."""
    return answer(service_of(request).catalog.lineage.graph(reference, direction=direction, depth=depth), caller)


@router.get("/dataset/{reference:path}/impact", response_model=shape_of(ImpactPage) | shape_of(ColumnImpact))
@or_a_name_that_ends_so("impact", _page)
def get_impact(
    request: Request,
    caller: Caller,
    reference: Reference,
    direction: Direction = "downstream",
    depth: Depth = None,
    only: Annotated[NodeType | None, Query(description="Leave the other kind out.")] = None,
    stages: Annotated[bool, Query(description="Stages and their jobs one by one, not as their dataset.")] = False,  # noqa: FBT002
    column: Annotated[str | None, Query(max_length=500, description="Of this column only.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """Everything that depends on it, or that it depends on, with the path that explains each; nearest first."""
    lineage = service_of(request).catalog.lineage
    if column is not None:
        return answer(lineage.column_impact(reference, column, direction=direction, depth=depth), caller)
    found = lineage.impact(
        reference, direction=direction, depth=depth, only=only, stages=stages, limit=limit, cursor=cursor
    )
    return answer(found, caller)


@router.get("/dataset/{reference:path}/consumers", response_model=list[shape_of(NodeRef)])  # type: ignore[misc]
@or_a_name_that_ends_so("consumers", _page)
def get_consumers(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """The processes that read it directly."""
    return answer(service_of(request).catalog.lineage.consumers(reference), caller)


@router.get("/dataset/{reference:path}/last_successful_run", response_model=shape_of(ProcessRun))
@or_a_name_that_ends_so("last_successful_run", _page)
def get_last_successful_run(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """The newest run that wrote it and ended well; 404 if there is none yet."""
    found = service_of(request).catalog.lineage.last_successful_run(reference)
    if found is None:
        raise NotFoundError("no run that wrote this dataset has ended well yet")
    return answer(found, caller)


@router.get("/dataset/{reference:path}/certified", response_model=shape_of(Certification))
@or_a_name_that_ends_so("certified", _page)
def get_certified(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """The version that consumers may see; 404 if none has ever passed."""
    catalog = service_of(request).catalog
    urn = catalog.lineage.dataset(reference).reference
    found = catalog.certifications.get(urn)
    if found is None or found.version is None:
        raise NotCertifiedError(f"{urn} has no certified version yet")
    return answer(found, caller)


@router.get("/dataset/{reference:path}", response_model=shape_of(DatasetPage))
def get_dataset(request: Request, caller: Caller, reference: Reference) -> JSONResponse:
    """A dataset with its newest version, its columns, and how much hangs on it."""
    return _page(request, caller, reference)
