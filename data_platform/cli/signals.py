"""``data-platform signals``: what the platform notices by itself. No Spark."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.at_risk import at_risk
from data_platform.cli.freshness import freshness
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.cli.health import health
from data_platform.cli.lifecycle_events import events
from data_platform.cli.replay_signals import replay
from data_platform.cli.signal_list import list_signals
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.gates.volume.backtest import Backtest
    from data_platform.installation import Platform
    from data_platform.model.policy import Volume
    from data_platform.model.volume import DeliveredRows

app = typer.Typer(help="What is late, at risk or unusual, and how healthy datasets are.", no_args_is_help=True)
app.command()(freshness)
app.command("at-risk")(at_risk)
app.command()(events)
app.command()(replay)
app.command()(health)
app.command("list")(list_signals)


@app.command()
def backtest(
    dataset: Annotated[
        str | None, typer.Argument(metavar="[DATASET]", help="A name, zone/name or ds://zone/name; or use --file.")
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="CSV", help="Row counts by day: a day and a number in each line."),
    ] = None,
    calendar: Annotated[
        str | None,
        typer.Option("--calendar", metavar="CODE", help="Holidays: US, DE-BY, XNYS; by default the policy's."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="SVG", help="Draw the row counts with what was usual.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show which row counts of the past would have been reported, and which drops would have been missed.

    Each delivery is judged by those before it. A threshold is the smallest deviation that is reported, in per cent of
    the expected rows. A recall is the share of days on which a delivery without 30, 40 or 50 % of its rows is noticed.

    Examples:

    data-platform signals backtest flights

    data-platform signals backtest flights --calendar US --plot flights.svg

    data-platform signals backtest --file counts.csv --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        if (dataset is None) == (file is None):
            raise UsageError("name a dataset, or a file with --file, and not both")
        result = _backtest(platform, dataset, file, calendar)
        if plot is not None:
            _draw(result, plot)
        screen.print_json(_document(result)) if as_json else _print(result)


def _backtest(platform: Platform, dataset: str | None, file: Path | None, calendar: str | None) -> Backtest:
    """Raises: UsageError, if the calendar is unknown."""
    from data_platform.signals.row_count_backtest import backtest_deliveries

    deliveries, volume = _series(platform, dataset, file)
    try:
        return backtest_deliveries(deliveries, volume, calendar=calendar)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _series(platform: Platform, dataset: str | None, file: Path | None) -> tuple[Sequence[DeliveredRows], Volume]:
    from data_platform.cli.recorded_dataset import recorded_urn
    from data_platform.cli.row_count_file import read_row_counts
    from data_platform.errors import PolicyError
    from data_platform.model.policy import Volume
    from data_platform.signals.row_count_backtest import MOST_DELIVERIES

    if file is not None:
        return read_row_counts(file), Volume()
    assert dataset is not None, "the command checks it"  # noqa: S101
    urn = recorded_urn(platform, dataset)
    try:
        volume = platform.policies.dataset(urn).policy.slo.volume or Volume()
    except (UsageError, PolicyError):  # its policy was removed or has errors; its history is still there
        volume = Volume()
    return platform.catalog.runs.accepted_rows(urn, limit=MOST_DELIVERIES), volume


def _draw(result: Backtest, file: Path) -> None:
    from data_platform.cli.backtest_plot import svg_of
    from data_platform.cli.plot_file import write_plot

    write_plot(svg_of(result), file)


def _document(result: Backtest) -> dict[str, Any]:
    document = asdict(result)
    del document["steps"], document["floor"]
    return {**document, "monitorable": result.monitorable, "suggested_pct": result.suggested_pct}


def _print(result: Backtest) -> None:
    from data_platform.cli.backtest_text import print_backtest

    print_backtest(result)
