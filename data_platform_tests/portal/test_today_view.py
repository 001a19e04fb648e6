"""The board leads from each late day to the incident that it belongs to."""

from datetime import UTC, datetime

from data_platform.model.incident import Incident, IncidentState
from data_platform.model.lateness import LateCause, LatePartition
from data_platform.model.partition_key import PartitionKey
from data_platform.model.signal import SignalSeverity
from data_platform.policies import PlatformPolicy, Policies
from data_platform.portal.overview import Facts, overview_of
from data_platform.portal.today_view import BoardFilter, today_view

NOW = datetime(2026, 2, 15, 12, 0, tzinfo=UTC)
DAY = PartitionKey("2026-02-14")
RATES, RISK, OTHER = "ds://market/rates", "ds://risk/totals", "ds://risk/limits"


def late(dataset: str, cause: LateCause, *upstream: str) -> LatePartition:
    return LatePartition(
        dataset=dataset, partition=DAY, owner_team="risk", tier="TIER_1", due=NOW, late_since=NOW, watermark=None,
        cause=cause, reason="it is late", upstream=upstream,
    )  # fmt: skip


def incident(number: int, dataset: str, day: PartitionKey) -> Incident:
    return Incident(
        number=number, dataset=dataset, partition=day, signature="JOB_NOT_TRIGGERED", severity=SignalSeverity.CRITICAL,
        state=IncidentState.OPEN, title="it is late", owner_team="risk", tier="TIER_1", occurred_at=NOW, opened_at=NOW,
    )  # fmt: skip


def test_what_waits_leads_to_the_incident_of_the_first_dataset_that_is_missing() -> None:
    facts = Facts(
        at=NOW,
        policies=Policies((), (), PlatformPolicy()),
        certifications=(),
        late=(
            late(RATES, LateCause.JOB_NOT_TRIGGERED),
            late(RISK, LateCause.UPSTREAM_LATE, "ds://market/curves", RATES),
            late(OTHER, LateCause.UPSTREAM_LATE, "ds://market/none"),
        ),
        at_risk=(),
        due=(),
        held=(),
        incidents=(incident(4, RATES, DAY), incident(5, RATES, DAY.previous)),
    )

    board = today_view(overview_of(facts), BoardFilter(), is_as_of=False)

    assert {row.dataset: row.incident for row in board.late.rows} == {RATES: 4, RISK: 4, OTHER: None}
