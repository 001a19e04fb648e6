"""How healthy datasets are over HTTP: the scores with their parts, and rolled up by owner and zone."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Limit
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.health import DatasetHealth, GroupHealth
from data_platform.signals.health import DAYS, find_health, rolled_up

router = guarded_router("datasets")

Text = Annotated[str | None, Query(max_length=300)]


@dataclass(frozen=True, kw_only=True)
class HealthReport:
    """Of the last ``days`` days before ``at``. ``datasets`` are the least healthy of ``total``, with their parts."""

    at: datetime
    days: int
    total: int
    datasets: tuple[DatasetHealth, ...]
    owners: tuple[GroupHealth, ...]
    zones: tuple[GroupHealth, ...]


@router.get("/health", response_model=shape_of(HealthReport))
def get_health(
    request: Request,
    caller: Caller,
    dataset_urn: Text = None,
    owner_team: Text = None,
    zone: Text = None,
    days: Annotated[int, Query(ge=1, le=366, description="So many last days count.")] = DAYS,
    limit: Limit = 100,
) -> JSONResponse:
    """Scores from 0 to 100, the least healthy first, each with the parts that it is made of and where to look.

    ``score`` is null if nothing is known of a dataset. Owners and zones have the mean of their datasets and the lowest.
    """
    service = service_of(request)
    now, policies = service.now(), service.assets.current().policies
    chosen = [
        one.urn
        for one in policies.datasets
        if dataset_urn in (None, one.urn)
        and owner_team in (None, one.policy.owner_team)
        and zone in (None, one.id.zone)
    ]
    found = find_health(policies, service.catalog, now, datasets=chosen, days=days)
    report = HealthReport(
        at=now,
        days=days,
        total=len(found),
        datasets=found[:limit],
        owners=rolled_up(found, lambda one: one.owner_team),
        zones=rolled_up(found, lambda one: one.zone),
    )
    return answer(report, caller)
