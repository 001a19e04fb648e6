"""The parts of a running service: the catalog, its writer of events, limits, metrics, callers and assets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Callable
    from datetime import datetime

    from starlette.requests import HTTPConnection

    from data_platform.api.batch_reader import BatchReader
    from data_platform.api.caller import Callers
    from data_platform.api.intake import Intake
    from data_platform.api.metric import Metrics
    from data_platform.api.quarantine_command import QuarantineCommand
    from data_platform.api.registered_asset import ReportableAssets
    from data_platform.catalog import Catalog
    from data_platform.model.key_ring import KeyRing


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Maximum bytes of a decompressed request. ``large`` is how many requests over 1 MiB are read at once."""

    event_bytes: int
    batch_bytes: int
    large: int = 4


@dataclass(frozen=True, kw_only=True)
class Service:
    catalog: Catalog
    intake: Intake
    callers: Callers
    metrics: Metrics
    limits: Limits
    now: Callable[[], datetime]
    large: Semaphore
    assets: ReportableAssets
    arrived: BatchReader[tuple[str, str]]
    diff: QuarantineCommand
    evidence_topic: str | None = None
    pii_keys: KeyRing | None = None


def service_of(request: HTTPConnection) -> Service:
    service: Service = request.app.state.service
    return service
