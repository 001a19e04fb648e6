"""``data-platform maintenance``: announced work, whose alerts wait until its end."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.freshness import instant_of
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.errors import UsageError
from data_platform.model.maintenance_window import EVERYTHING, LONGEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.maintenance_window import MaintenanceWindow

app = typer.Typer(help="Announce work, so that its alerts wait until it is over.", no_args_is_help=True)
_COLUMNS = ("number", "for", "from (UTC)", "to (UTC)", "state", "silenced", "others", "author", "reason")
_TEAM = "team:"


@app.command()
def add(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="A dataset, team:NAME, or all.")],
    *,
    reason: Annotated[str, typer.Option("--reason", help="The work; stored with the window.")],
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="With its zone; now by default.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="TIME", help="With its zone; or use --for.")] = None,
    duration: Annotated[str | None, typer.Option("--for", metavar="TIME", help="Such as 30m, 2h or 1h30m.")] = None,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Announce work. Until its end nobody is alerted of incidents with their root there.

    Then only incidents that opened and ended meanwhile stay silent.

    Examples:

    data-platform maintenance add flights --for 2h --reason "new disks"

    data-platform maintenance add team:shop --from 2013-01-05T22:00:00-05:00 --for 6h --reason "the move"
    """
    with opened(as_json=as_json, debug=debug) as platform:
        now = platform.now()
        starts_at = now if start is None else instant_of(start)
        window = platform.catalog.maintenance.add(
            _subject(platform, what),
            starts_at=starts_at,
            ends_at=_end(starts_at, to, duration),
            reason=reason,
            by=actor(by),
            now=now,
        )
        _print(platform, [window], as_json=as_json, one=True)


@app.command(name="list")
def list_windows(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """List the windows of the last 31 days and those to come, with how many alerts each silenced."""
    with opened(as_json=as_json, debug=debug) as platform:
        _print(platform, platform.catalog.maintenance.since(platform.now() - LONGEST), as_json=as_json)


@app.command()
def end(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="The window's number in `maintenance list`.")],
    *,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """End a window now. What it held is sent by the next look or by `alerts send`."""
    with opened(as_json=as_json, debug=debug) as platform:
        window = platform.catalog.maintenance.end(number, by=actor(by), now=platform.now())
        _print(platform, [window], as_json=as_json, one=True)


def _subject(platform: Platform, what: str) -> str:
    """Raises: UsageError, if no policy has the dataset or the team."""
    from data_platform.policies.problem import did_you_mean

    if what == "all":
        return EVERYTHING
    if not what.startswith(_TEAM):
        return platform.policies.dataset(what).urn
    team, teams = what.removeprefix(_TEAM), sorted({one.policy.owner_team for one in platform.policies.datasets})
    if team not in teams:
        raise UsageError(f"{team!r} owns no dataset{did_you_mean(team, teams)}")
    return team


def _end(starts_at: datetime, to: str | None, duration: str | None) -> datetime:
    from data_platform.model.freshness import parse_duration

    if (to is None) == (duration is None):
        raise UsageError("give the end of the work with --to, or its length with --for")
    if to is not None:
        return instant_of(to)
    try:
        return starts_at + (parse_duration(duration) if duration else timedelta())
    except (ValueError, OverflowError) as error:
        raise UsageError(str(error)) from None


def _print(platform: Platform, windows: Sequence[MaintenanceWindow], *, as_json: bool, one: bool = False) -> None:
    counts, now = platform.catalog.alerts.covered(window.number for window in windows), platform.now()
    documents = [_document(window, counts.get(window.number, {}), now) for window in windows]
    if as_json:
        screen.print_json(documents[0] if one else documents)
        return
    rows = [
        [
            shown["number"],
            shown["subject"],
            f"{shown['starts_at']:%Y-%m-%d %H:%M}",
            f"{shown['ended_at'] or shown['ends_at']:%Y-%m-%d %H:%M}",
            shown["state"],
            shown["deliveries"].get("SILENCED", 0),
            sum(count for status, count in shown["deliveries"].items() if status != "SILENCED"),
            shown["author"],
            shown["reason"],
        ]
        for shown in documents
    ]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="no maintenance window")


def _document(window: MaintenanceWindow, deliveries: Mapping[str, int], now: datetime) -> dict[str, Any]:
    is_over = window.ended_at is not None or window.ends_at <= now
    state = "ACTIVE" if window.is_active(now) else "ENDED" if is_over else "PLANNED"
    return {**vars(window), "state": state, "deliveries": dict(deliveries)}
