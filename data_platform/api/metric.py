"""Metrics for Prometheus, and the outermost layer of the service, which counts requests and catches other errors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from data_platform.api.problem import unexpected

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """Metrics with their own registry, so that two services in one process, as in tests, do not share counters."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        name = "data_platform"
        self.events = Counter(f"{name}_events", "Lineage events by result", ["result"], registry=self.registry)
        self.ingest_seconds = Histogram(
            f"{name}_ingest_seconds", "Seconds for one transaction of events, commit included", registry=self.registry
        )
        self.queue = Gauge(f"{name}_ingest_queue_events", "Events that wait for the writer", registry=self.registry)
        self.evidence_waiting = Gauge(
            f"{name}_evidence_waiting_records", "Records of evidence that Kafka does not have", registry=self.registry
        )
        self.evidence_waiting_seconds = Gauge(
            f"{name}_evidence_waiting_seconds", "Age of the oldest of them; 0 if there is none", registry=self.registry
        )
        self.alerts_waiting = Gauge(
            f"{name}_alerts_waiting_messages", "Alerts that are not sent, held ones too", registry=self.registry
        )
        self.alerts_waiting_seconds = Gauge(
            f"{name}_alerts_waiting_seconds", "Age of the oldest of them; 0 if there is none", registry=self.registry
        )
        self.alerts_undelivered = Gauge(
            f"{name}_alerts_undelivered_messages",
            "Alerts of the last 7 days without an answer (UNKNOWN) or refused for a day (FAILED), not sent again",
            ["status"],
            registry=self.registry,
        )
        self.requests = Counter(
            f"{name}_requests", "Requests by route and status", ["method", "route", "status"], registry=self.registry
        )
        self.request_seconds = Histogram(
            f"{name}_request_seconds",
            "Seconds from a request's headers to its response",
            ["route"],
            registry=self.registry,
        )
        self._add_incidents(name)
        for result in ("ingested", "duplicate", "refused", "failed"):
            self.events.labels(result)

    def _add_incidents(self, name: str) -> None:
        self.incidents_active = Gauge(
            f"{name}_incidents_active", "Open and acknowledged incidents", ["severity"], registry=self.registry
        )
        self.incident_seconds = Gauge(
            f"{name}_incident_seconds",
            "Time to detect, acknowledge and resolve an incident of the last 30 days; 0 without any",
            ["step", "quantile"],
            registry=self.registry,
        )
        self.incident_false_positives = Gauge(
            f"{name}_incident_false_positive_ratio",
            "Share of incidents resolved in the last 30 days as EXPECTED or FALSE_ALARM",
            registry=self.registry,
        )
        self.look_age = Gauge(
            f"{name}_look_age_seconds", "Time since a watchdog last looked; 0 if none ever did", registry=self.registry
        )


class Observation:
    """ASGI middleware. An error without a handler is logged with an id, and the response is a 500 with only the id."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_observed)
        except Exception as error:  # any other error is logged, never swallowed
            problem = unexpected(error)
            if status == 0:
                await problem.response()(scope, receive, send_observed)
        finally:
            self._count(scope, status, time.perf_counter() - started)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path_format", None) or getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self.metrics.requests.labels(method, route, str(status)).inc()
        self.metrics.request_seconds.labels(route).observe(seconds)
