"""The commands. Each opens the platform, does one thing, and prints the result."""

from __future__ import annotations

from typing import Annotated

import typer

from data_platform.cli import (
    alerts,
    backup,
    catalog,
    certified,
    contract,
    deployments,
    evidence,
    faultlab,
    incidents,
    legacy,
    maintenance,
    pii,
    policy,
    quarantine,
    screen,
    signals,
    status,
    token,
    waiver,
)
from data_platform.cli.dev import dev
from data_platform.cli.guard import WRONG_USE, AsJson, Commands, DatasetName, Debug, guarded, opened
from data_platform.cli.init import init
from data_platform.cli.kpi import kpi
from data_platform.cli.lint import lint
from data_platform.cli.mcp import mcp
from data_platform.cli.onboard import onboard
from data_platform.cli.prepare import prepare
from data_platform.cli.rca import rca
from data_platform.cli.serve import serve
from data_platform.cli.up import up
from data_platform.cli.validate import validate
from data_platform.cli.watch import watch
from data_platform.cli.why import why

app = typer.Typer(
    name="data-platform",
    cls=Commands,
    help="Governed datasets: run them, see which version consumers get, and why a batch was held.\n\n"
    "Exit codes: 0 done and certified, 3 held by a gate or waiting for a publish group, 2 wrong use or policy, "
    "1 error.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Selection = Annotated[
    list[str],
    typer.Option(
        "--select", "-s", metavar="SELECTION", help="flights, ds://zone/name, zone:ops, tag:daily, * for all, +flights"
    ),
]
Days = Annotated[
    str | None,
    typer.Option("--partition", "-p", metavar="DAYS", help="One day, or a range such as 2013-01-01..2013-01-31."),
]


def print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        from importlib.metadata import version

        typer.echo(f"data-platform {version('data-platform')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself, not of a command."""


app.command()(validate)
app.command()(lint)


@app.command()
def run(
    *,
    select: Selection,
    partition: Days = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Run every stage of the selected datasets for one day or a range of days, and certify what passes.

    +NAME also runs the datasets that NAME reads, before it. --select may be given more than once. The days of a range
    run in order; a held day does not stop the next one.

    Examples:

    data-platform run --select flights --partition 2013-01-01

    data-platform run --select +carrier_daily --partition 2013-01-01 --json

    data-platform run --select zone:ops --select tag:daily --partition 2013-01-01

    data-platform run --select flights --partition 2013-01-01..2013-01-31

    data-platform run --select airlines,airports,planes
    """
    if not as_json:
        screen.announce("loading Dagster and Spark, which takes some seconds")
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.run import run_selected

        raise typer.Exit(run_selected(platform, select, partition, as_json=as_json, debug=debug))


@app.command()
def reconcile(dataset: DatasetName = None, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """Roll back what a dead run wrote without a verdict, and keep the certified version readable at any age.

    The next run of a dataset does this too.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.repair import reconcile_selected

        reconcile_selected(platform, dataset, as_json=as_json)


@app.command()
def rekey(
    dataset: Annotated[str, typer.Argument(metavar="DATASET")], *, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Accept a new tokenization key after the old one was lost. Then run all days of the dataset again."""
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.repair import rekey_dataset

        rekey_dataset(platform, dataset, as_json=as_json)


@app.command()
def restore(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A table, zone/name or ds://zone/name.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Restore; without it, only list what would be discarded.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Restore gold to the last version before writes that no gate judged, such as another tool's write.

    Consumers are not affected: they read the certified version before and after. Exit code 2 if --yes is missing.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.repair import restore_dataset

        raise typer.Exit(0 if restore_dataset(platform, dataset, confirmed=yes, as_json=as_json) else WRONG_USE)


@app.command()
def demo(
    *,
    home: Annotated[
        str, typer.Option(metavar="FOLDER", help="For the demo's data; an earlier demo in it is deleted first.")
    ] = ".demo",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Run real flights through every stage: two good days, four bad ones, and one that waits for its weather."""
    with guarded(as_json=as_json, debug=debug):
        from pathlib import Path

        from data_platform.cli.demo import demonstrate
        from data_platform.settings import read_settings

        raise typer.Exit(demonstrate(read_settings(), Path(home).absolute(), as_json=as_json))


app.command()(init)
app.command()(onboard)
app.command()(prepare)
app.command()(status.status)
app.command()(watch)
app.command()(kpi)
app.command()(certified.certified)
app.command()(certified.history)
app.command()(why)
app.command()(rca)
app.command()(serve)
app.command()(mcp)
app.command()(dev)
app.command()(up)
app.add_typer(backup.app, name="backup")
app.add_typer(catalog.app, name="catalog")
app.add_typer(contract.app, name="contract")
app.add_typer(policy.app, name="policy")
app.add_typer(quarantine.app, name="quarantine")
app.add_typer(evidence.app, name="evidence")
app.add_typer(signals.app, name="signals")
app.add_typer(alerts.app, name="alerts")
app.add_typer(incidents.app, name="incidents")
app.add_typer(maintenance.app, name="maintenance")
app.add_typer(pii.app, name="pii")
app.add_typer(token.app, name="token")
app.add_typer(waiver.app, name="waiver")
app.add_typer(deployments.app, name="deployments")
app.add_typer(legacy.app, name="legacy")
app.add_typer(faultlab.app, name="faultlab")
