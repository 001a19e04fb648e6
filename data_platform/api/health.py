"""Liveness, readiness and metrics. They need no token, and show nothing of the catalog's content."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from data_platform.api.problem import unavailable
from data_platform.api.service import service_of
from data_platform.errors import DataPlatformError

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def alive() -> JSONResponse:
    """The process is running."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz")
def ready(request: Request) -> JSONResponse:
    """The catalog is available, and its schema is that of this code."""
    try:
        current = service_of(request).catalog.is_current()
    except DataPlatformError:
        raise unavailable("the catalog does not answer") from None
    if not current:
        raise unavailable("the catalog has the schema of another version of this code")
    return JSONResponse({"status": "ready"})


@router.get("/metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Metrics for Prometheus."""
    return Response(generate_latest(service_of(request).metrics.registry), media_type=CONTENT_TYPE_LATEST)
