"""How long the runs of a process took, day by day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.partition_key import PartitionKey
from data_platform.portal.chart import Chart, Series

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.process_page import ProcessRun


def duration_chart(runs: Iterable[ProcessRun]) -> Chart:
    """The longest run that began on each day, in UTC; a run without a start or an end counts on no day."""
    longest: dict[PartitionKey, float] = {}
    for run in runs:
        if run.start is not None and run.seconds is not None:
            day = PartitionKey.containing(run.start, "UTC")
            longest[day] = max(longest.get(day, 0.0), round(run.seconds, 1))
    days = tuple(sorted(longest))
    series = (Series(label="seconds", numbers=tuple(longest[day] for day in days)),) if days else ()
    return Chart(name="duration", title="Longest run of each day, in seconds", unit="seconds", days=days, series=series)
