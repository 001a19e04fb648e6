"""The part of the demo about a day that is late: the completion marker of one of its inputs never came."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from data_platform.installation import Platform
    from data_platform.model.incident import Incident

WEATHER, AIRPORT_HOUR = "ds://ops/weather", "ds://analytics/airport_hour"
COMPLETE = ("flights", "bookings", "carrier_daily")
"""What runs as on any day; without the weather, airport_hour does not."""
TITLE = "A completion marker that never came: Thursday, 3 January 2013"
MORNING_AFTER = datetime(2013, 1, 4, 13, 5, tzinfo=UTC)
"""08:05 in New York: five minutes ago the grace of airport_hour ended."""


def describe_late_day(console: Console) -> None:
    console.print(
        "What happened:    The Autosys job EXPORT_WEATHER was killed while it copied the day's weather. The file is\n"
        "                  there, its completion marker is not; no job reported an error.\n"
        "Expected result:  The weather is not read. At 08:05 in New York airport_hour is late too, and the watchdog\n"
        "                  opens one incident for both.\n",
        markup=False,
    )


def look_at_late_day(console: Console, platform: Platform) -> Incident | None:
    """The incident that a look at ``MORNING_AFTER`` opened for the weather; None if it opened none."""
    from data_platform.arrival.watcher import Watcher
    from data_platform.policies.external import ExternalAssets
    from data_platform.signals.look import look

    assets = ExternalAssets(platform.policies).by_urn.values()
    Watcher(platform.settings.landing, assets, platform.catalog, now=lambda: MORNING_AFTER).look(seconds=10)
    look(platform.policies, platform.catalog, MORNING_AFTER)
    found = [one for one in platform.catalog.incidents.active() if one.dataset == WEATHER]
    if not found:
        return None
    incident = found[0]
    for line in (*_lines(platform, incident), *_message(platform, incident), *_cause(platform, incident)):
        console.print(line, markup=False, soft_wrap=True)
    return incident


def _lines(platform: Platform, incident: Incident) -> list[str]:
    late = [one.finding for one in platform.catalog.signals.of_incident(incident.number)]
    late.sort(key=lambda one: (one.dataset != incident.dataset, one.dataset))
    others = len(platform.catalog.incidents.active()) - 1
    return [
        f"incident {incident.number}: {screen.visible(incident.title)}",
        f"  {incident.severity}, {incident.tier}, for {incident.owner_team}, since {incident.occurred_at:%H:%M} UTC",
        *(
            f"  late since {one.occurred_at:%H:%M} UTC: {one.dataset}: {one.signature}: {screen.visible(one.reason)}"
            for one in late
        ),
        *([f"  {number_of(others, 'other incident')}: data-platform incidents list"] if others else []),
    ]


def _message(platform: Platform, incident: Incident) -> Iterator[str]:
    """What the owners get through their channels; the demo has none but the log."""
    from data_platform.model.alert import LOG, Audience, Delivery
    from data_platform.signals.alert_text import incident_text

    for one in platform.catalog.alerts.unrouted():
        if one.incident == incident.number and one.audience is Audience.OWNER:
            text = incident_text([Delivery(number=0, notification=one, channel=LOG)], service_url=None)
            yield f"  the message to {one.owner}:"
            yield from (f"    {screen.visible(line)}" for line in text.body.splitlines() if line)


def _cause(platform: Platform, incident: Incident) -> Iterator[str]:
    from data_platform.cli.rca import root_cause_lines
    from data_platform.signals.root_cause.gather import explain_incident

    yield f"  the answer of data-platform rca {incident.number}:"
    result = explain_incident(platform.catalog, incident.number, now=MORNING_AFTER)
    yield from (f"    {screen.visible(line)}" for line in root_cause_lines(result))
