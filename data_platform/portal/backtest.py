"""The page of a backtest: a threshold of row counts, tried on the dataset's own history."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.errors import InputError
from data_platform.model.policy import Volume
from data_platform.portal.access import page_router
from data_platform.portal.backtest_view import backtest_view
from data_platform.portal.dataset import Reference
from data_platform.portal.dataset_name import urn_of
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show
from data_platform.signals.row_count_backtest import MOST_DELIVERIES, backtest_deliveries

router = page_router()


@router.get("/backtest/{reference:path}")
def backtest(request: Request, reference: Reference, threshold: Annotated[str, Query(max_length=20)] = "") -> Response:
    """What ``data-platform signals backtest`` prints, with the policy's threshold or another one."""
    urn = urn_of(request, reference)
    declared = portal_of(request).policies.current().find(urn)
    volume = (declared.policy.slo.volume if declared else None) or Volume()
    tried = _threshold(threshold) or volume.seasonal_threshold_pct
    deliveries = service_of(request).catalog.runs.accepted_rows(urn, limit=MOST_DELIVERIES)
    result = backtest_deliveries(deliveries, volume, threshold_pct=tried)
    view = backtest_view(urn, result, tried_pct=tried, policy_pct=volume.seasonal_threshold_pct)
    return show(request, "backtest.html", view)


def _threshold(given: str) -> float | None:
    """Raises: InputError, if it is no number over 0 and under 100; an empty text is the policy's."""
    if not given.strip():
        return None
    try:
        found = float(given)
    except ValueError:
        found = 0.0
    if not 0 < found < 100:
        raise InputError("threshold", "expected a number of per cent over 0 and under 100, such as 25")
    return found
