"""``data-platform signals at-risk``: which days will be late, and what they wait for. No Spark, and no Dagster."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from data_platform.cli import screen
from data_platform.cli.freshness import AsOfTime, instant_of
from data_platform.cli.guard import HELD, AsJson, Debug, opened

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from data_platform.model.at_risk import AtRisk, PathStep

_COLUMNS = ("dataset", "day", "late since (UTC)", "expected (UTC)", "too late by", "path", "owner")


def at_risk(
    *,
    at: AsOfTime = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List the days that will be late: what must still run takes longer than the time that is left. Exit code 3 if any.

    Run times are the 95th percentiles of the last 60 runs of each stage and job. Deadlines of the next 24 hours count.
    What is there and what runs is judged as the catalog has it now, whatever --at says.

    Examples:

    data-platform signals at-risk

    data-platform signals at-risk --at 2013-01-02T05:45:00-05:00 --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.at_risk import find_at_risk

        now = platform.now() if at is None else instant_of(at)
        found = find_at_risk(platform.policies, platform.catalog, now)
        screen.print_json([_document(one) for one in found]) if as_json else _print(found)
    if found:
        raise typer.Exit(HELD)


def _document(found: AtRisk) -> dict[str, Any]:
    path = [_step(step) for step in found.path]
    return {**asdict(found), "path": path, "slack_seconds": found.slack.total_seconds(), "upstream": found.upstream}


def _step(step: PathStep) -> dict[str, Any]:
    document = asdict(step)
    remaining = document.pop("remaining")
    return {**document, "remaining_seconds": remaining.total_seconds()}


def _print(found: Sequence[AtRisk]) -> None:
    rows = [
        [
            one.dataset,
            one.partition,
            f"{one.late_since:%Y-%m-%d %H:%M}",
            f"{one.expected_at:%Y-%m-%d %H:%M}",
            screen.styled(_minutes(-one.slack), "yellow"),
            ", ".join(f"{step.dataset} ({step.state}, {_minutes(step.remaining)})" for step in one.path),
            one.owner_team,
        ]
        for one in found
    ]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="nothing is at risk")


def _minutes(duration: timedelta) -> str:
    return f"{duration.total_seconds() / 60:.0f} min"
