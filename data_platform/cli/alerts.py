"""``data-platform alerts``: sends messages about incidents, and shows who received what. No Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.cli.interruption import stop_event
from data_platform.errors import DataPlatformError, SourceUnavailableError, UsageError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.model.alert import Delivery
    from data_platform.signals.notify import Report

app = typer.Typer(help="Send messages about incidents, and show who received what.", no_args_is_help=True)
EVERY_SECONDS = 30
_COLUMNS = ("number", "incident", "change", "owner", "channel", "status", "at (UTC)", "why")
_COLOURS = {"SENT": "green", "FAILED": "red", "UNKNOWN": "red", "WAITING": "yellow", "SENDING": "yellow"}


@app.command()
def send(
    *,
    once: Annotated[bool, typer.Option("--once", help="Send once and end, as for cron.")] = False,
    again: Annotated[
        int | None,
        typer.Option(
            "--again", metavar="N", help="Send this one, UNKNOWN or FAILED, again, and end. It may arrive twice."
        ),
    ] = None,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Send what waits and may go now, every 30 seconds until Ctrl-C. `watch` and Dagster's sensor do this too.

    With --once the exit code is 1 if a channel refused a message or did not answer; it is tried again, and nothing is
    lost. The policies are those of the start.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        if again is not None:
            platform.catalog.alerts.send_again(again, by=actor(by), now=platform.now())
        is_once = once or again is not None
        if as_json and not is_once:
            raise UsageError("alerts send prints lines until it is stopped: use --json with --once")
        if not is_once:
            _follow(platform)
            return
        report = _send(platform)
        screen.print_json(report) if as_json else _print_report(report)
    if report.refused or report.unknown:
        raise typer.Exit(ERROR)


def _follow(platform: Platform) -> None:
    """An outage of the catalog is printed, and the next pass tries again."""
    stop = stop_event()
    screen.out().print(f"sends every {EVERY_SECONDS} seconds; Ctrl-C ends it", markup=False)
    while not stop.is_set():
        try:
            report = _send(platform)
        except DataPlatformError as error:
            screen.err().print(f"alerts were not sent: {error}", markup=False, soft_wrap=True, style="red")
        else:
            if report.sent or report.refused or report.unknown:
                _print_report(report)
        stop.wait(EVERY_SECONDS)
    screen.out().print("stopped", markup=False)


def _send(platform: Platform) -> Report:
    from data_platform.signals.notify import send_due

    return send_due(platform.catalog, platform.settings, platform.policies, platform.now())


def _print_report(report: Report) -> None:
    text = f"{number_of(report.sent, 'message')} sent, {report.refused} refused, {report.unknown} without answer"
    screen.out().print(f"{text}; {number_of(report.waiting, 'delivery', 'deliveries')} waiting", markup=False)


@app.command(name="list")
def list_alerts(
    *,
    incident: Annotated[int | None, typer.Option("--incident", metavar="N", help="Only of this incident.")] = None,
    maintenance: Annotated[
        int | None,
        typer.Option("--maintenance", metavar="N", help="Only what this maintenance window held or silenced."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="So many, newest first.")] = 50,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List what was sent to whom, what waits and why, what was silenced, and what failed; newest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        found = platform.catalog.alerts.newest(incident=incident, maintenance=maintenance, limit=limit)
        screen.print_json([_document(one) for one in found]) if as_json else _print(found)


@app.command(name="test")
def try_channel(
    channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="A channel of alerts in platform.yaml.")],
    *,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Send a test message to a channel. Exit code 1 if it did not arrive. It is not in `alerts list`."""
    with opened(as_json=as_json, debug=debug) as platform:
        error = _try(platform, channel)
        if error:
            raise SourceUnavailableError(f"the test message did not arrive: {error}")
        if as_json:
            screen.print_json({"channel": channel, "arrived": True})
        else:
            screen.out().print(f"{channel} accepted the test message", markup=False)


def _try(platform: Platform, channel: str) -> str:
    """Why the message did not arrive; empty if it did."""
    from data_platform.policies.problem import did_you_mean
    from data_platform.signals.alert_channel import Arrival, Envelope, send
    from data_platform.signals.alert_text import AlertText
    from data_platform.signals.alert_url import alert_urls, url_variable

    declared = [one.name for one in platform.policies.platform.alerts.channels]
    if channel not in declared:
        hint = did_you_mean(channel, declared) or f"; there are {', '.join(declared) or 'none'}"
        raise UsageError(f"{channel!r} is not a channel of alerts in platform.yaml{hint}")
    url = alert_urls(platform.settings).get(channel)
    if url is None:
        raise UsageError(f"the channel {channel} has no URL: set {url_variable(channel)}")
    text = AlertText(title="Test of data-platform", body=f"The channel {channel} receives alerts. No incident is open.")
    answer = send(url, Envelope(id="test", text=text))
    return "" if answer.arrival is Arrival.ACCEPTED else answer.error


def _document(one: Delivery) -> dict[str, Any]:
    about = one.notification
    return {
        "number": one.number,
        "incident": about.incident,
        "change": about.state,
        "round": about.round,
        "owner": about.owner,
        "audience": about.audience,
        "dataset": about.dataset,
        "tier": about.tier,
        "severity": about.severity,
        "channel": one.channel,
        "status": one.status,
        "held_by": one.held_by,
        "maintenance": one.maintenance,
        "attempts": one.attempts,
        "is_repeat": one.is_repeat,
        "created_at": about.created_at,
        "next_attempt_at": one.not_before if one.finished_at is None else None,
        "finished_at": one.finished_at,
        "error": one.error,
    }


def _print(found: Sequence[Delivery]) -> None:
    rows = [
        [
            one.number,
            one.notification.incident,
            one.notification.state,
            one.notification.owner,
            one.channel,
            screen.styled(one.status, _COLOURS.get(one.status.value, "")),
            f"{one.finished_at or one.notification.created_at:%Y-%m-%d %H:%M}",
            _why(one),
        ]
        for one in found
    ]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="no alert yet")


def _why(one: Delivery) -> str:
    window = f"maintenance window {one.maintenance}" if one.maintenance is not None else ""
    until = f" until {one.not_before:%H:%M}" if one.not_before is not None and one.finished_at is None else ""
    held = f"{one.held_by.lower().replace('_', ' ')}{until}" if one.held_by is not None else ""
    again = "sent again, without an answer to the first" if one.is_repeat and one.status == "SENT" else ""
    lost = f"send it again: alerts send --again {one.number}" if one.status in ("UNKNOWN", "FAILED") else ""
    waits = held if one.finished_at is None else ""
    return "; ".join(part for part in (window, waits, one.error or "", again, lost) if part)
