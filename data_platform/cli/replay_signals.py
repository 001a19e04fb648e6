"""``data-platform signals replay``: which alerts would have fired in the past. No Spark, and no Dagster process."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.model.replay import Replay

_COLUMNS = ("fired at (UTC)", "alert", "dataset", "day", "there at (UTC)", "reason", "owner")


def replay(
    *,
    days: Annotated[int, typer.Option("--days", min=1, max=3660, help="So many days before today.")] = 90,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="SVG", help="Draw the alerts by day.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show which days would have been reported as late, and which row counts as unusual, by the policies of today.

    A day that was certified too late was late then, whatever is there now. Deadlines before the first run of a dataset
    do not count.

    Examples:

    data-platform signals replay --days 90

    data-platform signals replay --days 30 --plot alerts.svg --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.replay import replay as replayed

        result = replayed(platform.policies, platform.catalog, platform.now(), days)
        if plot is not None:
            _draw(result, plot)
        if as_json:
            sums = {"late": result.late, "volume": result.volume, "by_dataset": result.by_dataset}
            screen.print_json({**asdict(result), **sums})
        else:
            _print(result)


def _draw(result: Replay, file: Path) -> None:
    from data_platform.cli.plot_file import write_plot
    from data_platform.cli.replay_plot import svg_of

    write_plot(svg_of(result), file)


def _print(result: Replay) -> None:
    rows = [
        [
            f"{one.fired_at:%Y-%m-%d %H:%M}",
            one.kind,
            one.dataset,
            one.partition,
            f"{one.ended_at:%Y-%m-%d %H:%M}" if one.ended_at else "",
            one.reason,
            one.owner_team,
        ]
        for one in result.alerts
    ]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="no alert would have fired")
    days = number_of(len(result.days), "day")
    late, volume = number_of(result.late, "late partition"), number_of(result.volume, "unusual row count")
    screen.out().print(f"{late} and {volume} of {number_of(result.datasets, 'dataset')} in {days}")
