"""What a running service has: the catalog, its one writer of events, limits, figures, and whom and what it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Callable
    from datetime import datetime

    from starlette.requests import HTTPConnection

    from data_platform.api.batch_reader import Together
    from data_platform.api.caller import Callers
    from data_platform.api.intake import Intake
    from data_platform.api.metric import Metrics
    from data_platform.api.registered_asset import KnownAssets
    from data_platform.catalog import Catalog


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bytes of a request, after it is unpacked. ``large`` is how many requests of over 1 MiB are taken at once."""

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
    assets: KnownAssets
    arrived: Together[tuple[str, str]]


def service_of(request: HTTPConnection) -> Service:
    service: Service = request.app.state.service
    return service
