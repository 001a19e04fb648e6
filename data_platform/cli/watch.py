"""``data-platform watch``: looks at what is late, held or failed, until it is stopped. No Spark, no Dagster process."""

from __future__ import annotations

import re
import socket
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.cli.interruption import stop_event
from data_platform.errors import DataPlatformError, UsageError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.signals.watch import LookReport

_EVERY = re.compile(r"(\d{1,6})(s|m|h)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def watch(
    *,
    every: Annotated[str, typer.Option("--every", metavar="TIME", help="Between two looks: 30s, 5m, 1h.")] = "30s",
    once: Annotated[bool, typer.Option("--once", help="Look once and end, as for cron.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Look at what is late, held or failed, open one incident for each root cause, and send its alerts; until Ctrl-C.

    Dagster's sensor `watchdog` does the same. Both may run at once, on several machines: nothing is reported twice.
    An outage of the catalog is reported, and the next look tries again. `incidents list` shows who watches.

    Examples:

    data-platform watch

    data-platform watch --once --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.watch import Watch

        if as_json and not once:
            raise UsageError("watch prints lines until it is stopped: use --json with --once")
        watching = Watch(platform.settings, f"watch on {socket.gethostname()}", _interval(every), platform.now)
        try:
            if once:
                report = watching.look()
                watching.send()
                _look_once(report, as_json=as_json)
            else:
                stop = stop_event()
                screen.out().print(f"looks every {every}; Ctrl-C ends it", markup=False)
                watching.follow(stop, _print)
                screen.out().print("stopped", markup=False)
        finally:
            watching.close()


def _interval(text: str) -> timedelta:
    """Raises: UsageError, if ``text`` is no time of a second or more."""
    match = _EVERY.fullmatch(text.strip())
    seconds = int(match[1]) * _SECONDS[match[2]] if match else 0
    if not seconds:
        raise UsageError(f"--every {text!r} is no time between two looks: expected such as 30s, 5m or 1h")
    return timedelta(seconds=seconds)


def _look_once(report: LookReport, *, as_json: bool) -> None:
    """Raises: DataPlatformError, if the look failed."""
    if report.problem:
        raise DataPlatformError(f"the look failed: {report.problem}")
    if as_json:
        screen.print_json(report)
        return
    _print(report)
    screen.out().print(f"{number_of(report.active, 'incident')} active", markup=False)


def _print(report: LookReport) -> None:
    for event in report.changes:
        text = screen.visible(event.text)
        line = f"{report.at:%Y-%m-%d %H:%M:%S} UTC incident {event.incident} {event.what}: {text}"
        screen.out().print(line, markup=False, soft_wrap=True)
    if report.problem:
        line = f"{report.at:%Y-%m-%d %H:%M:%S} UTC look failed: {report.problem}"
        screen.err().print(line, markup=False, soft_wrap=True, style="red")
