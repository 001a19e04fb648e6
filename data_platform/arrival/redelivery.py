"""Whether a delivery whose content was seen before counts again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.arrival import MarkerState
    from data_platform.policies.external import ExternalAsset

AGAIN_AFTER = timedelta(hours=2)


def may_retry(catalog: Catalog, asset: ExternalAsset, before: MarkerState, now: datetime) -> bool:
    """Whether the same content counts as another try: what the platform made of it did not pass.

    A delivery whose stages have not ended is not tried again, unless it is so old that its run must have died.
    """
    if not asset.landed:
        return False
    reports = [catalog.runs.latest(asset.urn, stage, before.partition) for stage in Stage]
    own = [report for report in reports if report is not None and report.delivery_id == before.delivery_id]
    if any(not report.qualifies for report in own):
        return True
    ended = any(report.stage is Stage.CERTIFIED for report in own)
    return not ended and before.whole_at is not None and now - before.whole_at > AGAIN_AFTER


def is_certified(catalog: Catalog, asset: ExternalAsset, state: MarkerState) -> bool:
    """Whether this delivery was certified before it was first watched; then it is not made again."""
    last = catalog.runs.latest(asset.urn, Stage.CERTIFIED, state.partition) if asset.landed else None
    return last is not None and last.passed and last.delivery_id == state.delivery_id
