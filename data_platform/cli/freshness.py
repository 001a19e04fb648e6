"""``data-platform signals freshness``: which partitions are late, and why. No Spark, and no Dagster process."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import HELD, AsJson, Debug, opened
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from data_platform.model.lateness import LatePartition

AsOfTime = Annotated[
    str | None, typer.Option("--at", metavar="TIME", help="Judge as of this time, with its zone; now by default.")
]
COLOURS = {"CRITICAL": "red", "WARNING": "yellow"}
_COLUMNS = ("dataset", "day", "late since (UTC)", "cause", "reason", "owner")


def freshness(
    *,
    at: AsOfTime = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List the days that are late, since when, and why. Exit code 3 if there is one.

    A day is late when it was not certified by the deadline and grace of slo.freshness. The last ten days are examined.
    What is there is judged as the catalog has it now, whatever --at says.

    Examples:

    data-platform signals freshness

    data-platform signals freshness --at 2013-01-02T08:00:00-05:00 --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.lateness import find_late

        now = platform.now() if at is None else instant_of(at)
        late = find_late(platform.policies, platform.catalog, now)
        screen.print_json([_document(one) for one in late]) if as_json else _print(late)
    if late:
        raise typer.Exit(HELD)


def instant_of(text: str) -> datetime:
    """Raises: UsageError, if the text is no time, or has no zone."""
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UsageError(f"{text!r} is no time with its zone: expected one such as 2013-01-02T08:00:00-05:00")
    return moment


def _document(late: LatePartition) -> dict[str, Any]:
    return {**asdict(late), "severity": late.severity}


def _print(late: Sequence[LatePartition]) -> None:
    rows = [
        [
            one.dataset,
            one.partition or "",
            f"{one.late_since:%Y-%m-%d %H:%M}",
            screen.styled(one.cause.value, COLOURS[one.severity]),
            one.reason,
            one.owner_team,
        ]
        for one in late
    ]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="nothing is late")
