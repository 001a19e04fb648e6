"""Liveness, readiness and metrics. They need no token, and show nothing of the catalog's content."""

from contextlib import suppress
from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from data_platform.api.problem import unavailable
from data_platform.api.service import Service, service_of
from data_platform.errors import DataPlatformError
from data_platform.model.kpi import IncidentTimes
from data_platform.model.signal import SignalSeverity

KPI_DAYS = timedelta(days=30)
"""The metrics of incidents are of those that were opened in so many last days."""

UNDELIVERED_SINCE = timedelta(days=7)
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
    service = service_of(request)
    with suppress(DataPlatformError):  # the others are still of use
        _measure_evidence(service)
        _measure_alerts(service)
        _measure_incidents(service)
    return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)


def _measure_evidence(service: Service) -> None:
    if service.evidence_topic is None:
        return
    waiting = service.catalog.evidence_relay.waiting(service.evidence_topic)
    age = (service.now() - waiting.oldest).total_seconds() if waiting.oldest else 0
    service.metrics.evidence_waiting.set(waiting.records)
    service.metrics.evidence_waiting_seconds.set(max(age, 0))


def _measure_alerts(service: Service) -> None:
    waiting, oldest = service.catalog.alerts.unsent()
    service.metrics.alerts_waiting.set(waiting)
    for status, count in service.catalog.alerts.undelivered(since=service.now() - UNDELIVERED_SINCE).items():
        service.metrics.alerts_undelivered.labels(status).set(count)
    service.metrics.alerts_waiting_seconds.set(max((service.now() - oldest).total_seconds(), 0) if oldest else 0)


def _measure_incidents(service: Service) -> None:
    incidents, now, metrics = service.catalog.incidents, service.now(), service.metrics
    active = [one.severity for one in incidents.active()]
    for severity in SignalSeverity:
        metrics.incidents_active.labels(severity.value).set(active.count(severity))
    times = IncidentTimes.of(incidents.opened_since(now - KPI_DAYS))
    for step, found in (("detect", times.detect), ("acknowledge", times.acknowledge), ("resolve", times.resolve)):
        for quantile, seconds in (("0.5", found.median_seconds), ("0.95", found.p95_seconds)):
            metrics.incident_seconds.labels(step, quantile).set(seconds or 0)
    metrics.incident_false_positives.set(times.false_positives.ratio or 0)
    watchers = incidents.watchers()
    if watchers:
        metrics.look_age.set(max((now - watchers[0].looked_at).total_seconds(), 0))
