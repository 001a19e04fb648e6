"""Times to detect, acknowledge and resolve, and how often people said that the platform was wrong."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from data_platform.model.incident import Incident, IncidentState, Resolution
from data_platform.model.kpi import IncidentTimes, Share, Times
from data_platform.model.signal import SignalSeverity

NOW = datetime(2026, 2, 15, tzinfo=UTC)


def minutes(count: float) -> datetime:
    return NOW + timedelta(minutes=count)


def incident(state: IncidentState = IncidentState.OPEN, **changes: Any) -> Incident:
    values: dict[str, Any] = {
        "number": 1, "dataset": "ds://ops/a", "partition": None, "signature": "JOB_FAILED", "title": "",
        "severity": SignalSeverity.CRITICAL, "owner_team": "ops", "tier": "TIER_1", "occurred_at": NOW,
        "opened_at": minutes(1),
    }  # fmt: skip
    return Incident(state=state, **{**values, **changes})


def ended(resolution: Resolution, after: float, **changes: Any) -> Incident:
    return incident(IncidentState.RESOLVED, resolution=resolution, resolved_at=minutes(1 + after), **changes)


def test_times_are_medians_and_95th_percentiles() -> None:
    incidents = [ended(Resolution.RECOVERED, after, acknowledged_at=minutes(3)) for after in range(1, 101)]

    times = IncidentTimes.of(incidents)

    assert (times.incidents, times.active) == (100, 0)
    assert times.detect == Times(count=100, median_seconds=60, p95_seconds=60)
    assert times.acknowledge.median_seconds == 120
    assert (times.resolve.median_seconds, times.resolve.p95_seconds) == (50.5 * 60, 96 * 60)


def test_what_people_expected_or_called_a_false_alarm_is_a_false_positive() -> None:
    resolutions = [Resolution.RECOVERED, Resolution.EXPECTED, Resolution.FALSE_ALARM, Resolution.ACCEPTED]

    times = IncidentTimes.of([incident(), *(ended(one, 5) for one in resolutions)])

    assert (times.incidents, times.active) == (5, 1)
    assert (times.false_positives, times.false_positives.ratio) == (Share(part=2, whole=4), 0.5)


def test_an_incident_that_was_merged_is_not_counted() -> None:
    merged = incident(IncidentState.MERGED, merged_into=2)

    assert IncidentTimes.of([merged]).incidents == 0


@pytest.mark.parametrize("seconds", [pytest.param([], id="none"), pytest.param([-5.0], id="a clock that is behind")])
def test_there_is_no_negative_time_and_none_without_incidents(seconds: list[float]) -> None:
    found = Times.of(seconds)

    assert found.median_seconds == (0.0 if seconds else None)
