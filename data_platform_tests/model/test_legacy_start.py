"""The last and the next start of a legacy job by its schedule, as far as its JIL says so."""

from datetime import datetime
from typing import Any

import pytest

from data_platform.model.legacy import LegacySchedule
from data_platform.model.legacy_start import last_start, next_start

NIGHT = {"start_times": ("05:00",), "time_zone": "America/New_York"}


@pytest.mark.parametrize(
    ("changes", "before", "start"),
    [
        pytest.param({}, "2025-06-11T16:00:00Z", "2025-06-11T09:00:00Z", id="each day"),
        pytest.param({"days": ("all",)}, "2025-06-11T09:00:00Z", "2025-06-10T09:00:00Z", id="not before it started"),
        pytest.param({"days": ("mo", "fr")}, "2025-06-11T16:00:00Z", "2025-06-09T09:00:00Z", id="on Monday"),
        pytest.param({"days": ("th",)}, "2025-06-11T16:00:00Z", "2025-06-05T09:00:00Z", id="a week ago"),
        pytest.param(
            {"start_times": ("02:30",)}, "2025-03-09T16:00:00Z", "2025-03-09T07:00:00Z", id="as clocks go forward"
        ),
        pytest.param({"start_times": ("05:00", "23:00")}, "2025-06-11T04:00:00Z", "2025-06-11T03:00:00Z", id="two"),
        pytest.param({"start_times": ("25:00", "05:00")}, "2025-06-11T16:00:00Z", "2025-06-11T09:00:00Z", id="no time"),
        pytest.param({"start_times": ("soon",)}, "2025-06-11T16:00:00Z", None, id="only text"),
        pytest.param({"active": False}, "2025-06-11T16:00:00Z", None, id="switched off"),
        pytest.param({"run_calendar": "bank"}, "2025-06-11T16:00:00Z", None, id="a calendar"),
        pytest.param({"time_zone": None}, "2025-06-11T16:00:00Z", None, id="the zone of the server"),
        pytest.param({"time_zone": "Mars"}, "2025-06-11T16:00:00Z", None, id="no zone"),
        pytest.param({"start_times": (), "start_minutes": (5,)}, "2025-06-11T16:00:00Z", None, id="each hour"),
    ],
)
def test_the_last_start(changes: dict[str, Any], before: str, start: str | None) -> None:
    schedule = LegacySchedule(**{"active": True, **NIGHT, **changes})

    assert last_start(schedule, datetime.fromisoformat(before)) == (datetime.fromisoformat(start) if start else None)


@pytest.mark.parametrize(
    ("changes", "after", "start"),
    [
        pytest.param({}, "2025-06-11T09:00:00Z", "2025-06-12T09:00:00Z", id="not the one that starts now"),
        pytest.param({"days": ("mo", "fr")}, "2025-06-11T16:00:00Z", "2025-06-13T09:00:00Z", id="on Friday"),
        pytest.param({"days": ("we",)}, "2025-06-11T16:00:00Z", "2025-06-18T09:00:00Z", id="in a week"),
        pytest.param({"active": False}, "2025-06-11T16:00:00Z", None, id="switched off"),
        pytest.param({"exclude_calendar": "bank"}, "2025-06-11T16:00:00Z", None, id="a calendar"),
    ],
)
def test_the_next_start(changes: dict[str, Any], after: str, start: str | None) -> None:
    schedule = LegacySchedule(**{"active": True, **NIGHT, **changes})

    assert next_start(schedule, datetime.fromisoformat(after)) == (datetime.fromisoformat(start) if start else None)
