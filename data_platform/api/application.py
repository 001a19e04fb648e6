"""The service as one ASGI application over an opened catalog."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fastapi import FastAPI

from data_platform.api import (
    alert,
    audit,
    dataset,
    dataset_health,
    deployment,
    event,
    group,
    health,
    incident,
    lifecycle,
    manual,
    pii,
    process,
    quarantine,
    registration,
    report,
    root_cause,
    search,
    token,
    waiver,
)
from data_platform.api.batch_reader import BatchReader
from data_platform.api.caller import Callers
from data_platform.api.document import Problem
from data_platform.api.intake import Intake
from data_platform.api.metric import Metrics, Observation
from data_platform.api.problem import MEDIA_TYPE, add_problems
from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.api.reference import EncodedSlashes
from data_platform.api.registered_asset import ReportableAssets
from data_platform.api.service import Limits, Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from data_platform.catalog import Catalog
    from data_platform.model.key_ring import KeyRing


def _now() -> datetime:
    return datetime.now(UTC)


PARTS = (
    event, lifecycle, report, dataset, group, process, search, registration, quarantine, waiver, incident, root_cause,
    dataset_health, alert, deployment, audit, token, pii, health, manual,
)  # fmt: skip
"""The modules that have routes."""


def build(
    catalog: Catalog,
    limits: Limits,
    *,
    policies: Path | None = None,
    now: Callable[[], datetime] = _now,
    evidence_topic: str | None = None,
    diff: QuarantineCommand | None = None,
    pii_keys: KeyRing | None = None,
) -> FastAPI:
    """Builds the application, which closes ``catalog`` when it ends. Assets in ``policies`` can be reported.

    With ``evidence_topic`` the metrics have the records that it lacks. ``pii_keys`` open tokens of personal values.
    """
    metrics, assets = Metrics(), ReportableAssets(policies)
    intake = Intake(catalog, metrics, now=now)

    def open_service() -> Service:
        return Service(
            catalog=catalog,
            intake=intake,
            callers=Callers(catalog),
            metrics=metrics,
            limits=limits,
            now=now,
            large=asyncio.Semaphore(limits.large),
            assets=assets,
            arrived=BatchReader(catalog.arrivals.have_arrived),
            diff=diff or QuarantineCommand(),
            evidence_topic=evidence_topic,
            pii_keys=pii_keys,
        )

    app = _application(_lifespan(open_service))
    add_problems(app)
    app.add_middleware(EncodedSlashes)
    app.add_middleware(Observation, metrics=metrics)
    for part in PARTS:
        app.include_router(part.router)
    return app


def _lifespan(open_service: Callable[[], Service]) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Starts the service with the application, and closes the catalog once the last events are stored."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service = app.state.service = open_service()
        service.intake.start()
        try:
            yield
        finally:
            await asyncio.to_thread(service.intake.close)
            service.catalog.close()

    return lifespan


def _application(lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]]) -> FastAPI:
    return FastAPI(
        title="Data platform: the catalog",
        version="1",
        description="Datasets, processes, runs and lineage, with an OpenLineage API.",
        lifespan=lifespan,
        redoc_url=None,
        docs_url=None,
        redirect_slashes=False,  # a redirect would repeat any Host header of the caller
        responses={
            "default": {
                "description": "A problem",
                "content": {
                    MEDIA_TYPE: {"schema": Problem.model_json_schema(ref_template="#/components/schemas/{model}")}
                },
            }
        },
    )
