"""A delivery that is waited for, and the result of a check; a test changes what it is about."""

from data_platform.model.arrival import AssetReport, MarkerState, ReportKind
from data_platform_tests.catalog.lineage.example import NOW

POSITIONS = "ds://legacy/positions"
WAITING = MarkerState(
    urn=POSITIONS,
    marker="positions/2025-06-01/_SUCCESS",
    partition="2025-06-01",
    stamp="a",
    waits_for="positions.csv (90 of 100 bytes)",
    delivery_id=None,
    deliveries=0,
    changed_at=NOW,
)
REPORT = AssetReport(
    kind=ReportKind.CHECK,
    urn=POSITIONS,
    partition="2025-06-01",
    digest="a",
    reported_by="night",
    reported_at=NOW,
    check="row_count",
    passed=False,
    severity="ERROR",
    metadata={"n": 0},
)
