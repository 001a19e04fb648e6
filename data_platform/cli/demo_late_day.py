"""The part of the demo about a day whose flights never came: nobody runs anything, and the platform notices."""

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

FLIGHTS = "ds://ops/flights"
MORNING_AFTER = datetime(2013, 1, 4, 11, 45, tzinfo=UTC)
"""06:45 in New York: the flights of 3 January are late, and what is made of them is not yet."""
TITLE = "A day that never came: Thursday, 3 January 2013"


def play_late_day(console: Console, platform: Platform) -> Incident | None:
    """The incident that a look at ``MORNING_AFTER`` opened for the flights; None if it opened none."""
    from data_platform.signals.look import look

    console.print(
        "What happened:    The flights of the day were not delivered, and no job reported an error.\n"
        "Expected result:  At 06:45 in New York the watchdog opens one incident, before two other datasets are late.\n",
        markup=False,
    )
    look(platform.policies, platform.catalog, MORNING_AFTER)
    found = [one for one in platform.catalog.incidents.active() if one.dataset == FLIGHTS]
    if not found:
        return None
    incident = found[0]
    for line in (*_lines(platform, incident), *_message(platform, incident), *_cause(platform, incident)):
        console.print(line, markup=False, soft_wrap=True)
    return incident


def _lines(platform: Platform, incident: Incident) -> list[str]:
    causes = [one.finding for one in platform.catalog.signals.of_incident(incident.number)]
    root = next(one for one in causes if one.dataset == incident.dataset)
    affected = incident.blast_radius.affected
    others = len(platform.catalog.incidents.active()) - 1
    return [
        f"incident {incident.number}: {screen.visible(incident.title)}",
        f"  {incident.severity}, {incident.tier}, for {incident.owner_team}, since {incident.occurred_at:%H:%M} UTC",
        f"  cause: {root.signature}: {screen.visible(root.reason)}",
        *(f"  soon late: {one.dataset}, at {one.deadline:%H:%M} UTC" for one in affected if one.deadline is not None),
        f"  {number_of(others, 'other incident')}: data-platform incidents list" if others else "",
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
