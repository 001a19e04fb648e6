"""Is the process alive, can it answer, and how much has it done. Needs no token, and says nothing of the catalog."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from data_platform.api.problem import unavailable
from data_platform.api.service import service_of
from data_platform.errors import DataPlatformError

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def alive() -> JSONResponse:
    """The process answers."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz")
def ready(request: Request) -> JSONResponse:
    """The catalog answers, and has the schema of this code."""
    try:
        current = service_of(request).catalog.is_current()
    except DataPlatformError:
        raise unavailable("the catalog does not answer") from None
    if not current:
        raise unavailable("the catalog has the schema of another version of this code")
    return JSONResponse({"status": "ready"})


@router.get("/metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    return Response(generate_latest(service_of(request).metrics.registry), media_type=CONTENT_TYPE_LATEST)
