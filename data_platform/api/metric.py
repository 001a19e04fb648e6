"""Figures for Prometheus, and the outermost layer of the service, which counts requests and catches what nobody did."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from data_platform.api.problem import unexpected

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """With a registry of its own, so that two services in one process, as in tests, do not count together."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        name = "data_platform"
        self.events = Counter(
            f"{name}_events", "Lineage events by what became of them", ["result"], registry=self.registry
        )
        self.ingest_seconds = Histogram(
            f"{name}_ingest_seconds", "One transaction of events, commit included", registry=self.registry
        )
        self.queue = Gauge(f"{name}_ingest_queue_events", "Events that wait for the writer", registry=self.registry)
        self.requests = Counter(
            f"{name}_requests", "Requests by route and status", ["method", "route", "status"], registry=self.registry
        )
        self.request_seconds = Histogram(
            f"{name}_request_seconds", "From a request's head to its answer", ["route"], registry=self.registry
        )
        for result in ("ingested", "duplicate", "refused", "failed"):
            self.events.labels(result)


class Observation:
    """ASGI middleware. What no handler knew is logged under an id, and answered as a 500 that says only the id."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def noticed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noticed)
        except Exception as error:  # the last line of defence of a request: logged, never swallowed
            problem = unexpected(error)
            if status == 0:
                await problem.response()(scope, receive, noticed)
        finally:
            self._count(scope, status, time.perf_counter() - started)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path_format", None) or getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self.metrics.requests.labels(method, route, str(status)).inc()
        self.metrics.request_seconds.labels(route).observe(seconds)
