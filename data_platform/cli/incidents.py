"""``data-platform incidents …``: what is wrong, who works on it, and how it ended. No Spark."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, Comment, actor
from data_platform.cli.guard import AsJson, Cursor, DatasetName, Debug, opened
from data_platform.cli.incident_text import print_history, print_incident, print_incidents, print_watchers
from data_platform.cli.rca import print_root_cause
from data_platform.model.incident import IncidentState, Resolution

if TYPE_CHECKING:
    from data_platform.installation import Platform

app = typer.Typer(help="Incidents: one for each root cause of what is late, held or failed.", no_args_is_help=True)
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The incident's number in `incidents list`.")]
ACTIVE = (IncidentState.OPEN, IncidentState.ACKNOWLEDGED)


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Those that have ended too.")] = False,
    limit: Annotated[int, typer.Option(help="The most incidents.")] = 100,
    cursor: Cursor = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List open and acknowledged incidents, newest first, and who watches.

    Examples:

    data-platform incidents list

    data-platform incidents list flights --all --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.recorded_dataset import recorded_urn

        urn = recorded_urn(platform, dataset) if dataset else None
        page = platform.catalog.incidents.find(urn, states=() if every else ACTIVE, limit=limit, cursor=cursor)
        watchers = platform.catalog.incidents.watchers()
        if as_json:
            screen.print_json({"incidents": page.items, "cursor": page.cursor, "watchers": watchers})
            return
        print_incidents(page.items)
        screen.print_cursor(page.cursor)
        print_watchers(watchers, platform.now())


@app.command()
def show(number: Number, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """Show one incident: its root cause, its signals, whom it affects downstream, and what happened to it."""
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.root_cause.gather import explain_incident

        incident = platform.catalog.incidents.get(number)
        signals = platform.catalog.signals.of_incident(number)
        events = platform.catalog.incidents.history(number)
        found = explain_incident(platform.catalog, number, now=platform.now())
        if as_json:
            root_cause = {"summary": found.summary, "cause": found.cause, "remedy": found.remedy}
            screen.print_json({**asdict(incident), "root_cause": root_cause, "signals": signals, "history": events})
        else:
            print_incident(incident, signals, events)
            print_root_cause(found)


@app.command()
def history(number: Number, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """List every change of an incident, oldest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        platform.catalog.incidents.get(number)
        events = platform.catalog.incidents.history(number)
        screen.print_json(events) if as_json else print_history(events)


@app.command()
def acknowledge(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Tell the others that you work on an incident."""
    with opened(as_json=as_json, debug=debug) as platform:
        changed = platform.catalog.incidents.acknowledge(number, by=actor(by), comment=comment, now=platform.now())
        _print_changed(changed, as_json=as_json)


@app.command()
def resolve(
    number: Number,
    *,
    reason: Annotated[Resolution, typer.Option(help="FIXED, EXPECTED (the data are right), FALSE_ALARM or ACCEPTED.")],
    comment: Comment = "",
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """End an incident. One whose cause is gone ends by itself; the next look does that.

    After EXPECTED, FALSE_ALARM or ACCEPTED the same finding opens no incident again. A row count that is EXPECTED
    counts as usual for the next deliveries. FIXED is refused while something of the incident is still found.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        if reason is Resolution.FIXED:
            _look(platform)
        changed = platform.catalog.incidents.resolve(number, reason, by=actor(by), comment=comment, now=platform.now())
        _print_changed(changed, as_json=as_json)


def _look(platform: Platform) -> None:
    """What was just fixed is not found any more."""
    from data_platform.signals.look import look

    look(platform.policies, platform.catalog, platform.now())


def _print_changed(incident: Any, *, as_json: bool) -> None:
    if as_json:
        screen.print_json(incident)
        return
    ended = f", {incident.resolution}" if incident.resolution else ""
    screen.out().print(f"incident {incident.number} is {incident.state}{ended}", markup=False)
