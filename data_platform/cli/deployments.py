"""``data-platform deployments …``: which code was deployed, and when. Root causes are looked for among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.freshness import instant_of
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.model.deployment import Deployment

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    help="Record what was deployed, so that a failure after it leads to it; a CI job calls `add`.",
    no_args_is_help=True,
)
_COLUMNS = ("deployed at (UTC)", "target", "reference", "by", "address")


@app.command()
def add(
    deploy_ref: Annotated[str, typer.Argument(metavar="REF", help="What was deployed: a Git SHA, a release.")],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="A process such as AUTOSYS/NIGHT/LOAD, the start of such keys, or ds://zone/name."
        ),
    ],
    *,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When, with its zone; now by default.")] = None,
    url: Annotated[str | None, typer.Option(help="The address of the deployment, such as a CI job.")] = None,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Record a deployment. The first report of a reference and target counts; repeating it changes nothing.

    Example:

    data-platform deployments add 4f1c9e2 AUTOSYS/NIGHT/LOAD_RATES --url https://ci.example.com/job/17
    """
    with opened(as_json=as_json, debug=debug) as platform:
        now, who = platform.now(), actor(by)
        moment = now if at is None else instant_of(at)
        wanted = Deployment(deploy_ref=deploy_ref, target=target, at=moment, by=who.name, url=url)
        recorded, is_new = platform.catalog.deployments.add(wanted, by=who, now=now)
        if as_json:
            screen.print_json(recorded)
            return
        verb = "recorded" if is_new else "was recorded before:"
        line = f"{verb} {recorded.deploy_ref} of {recorded.target} at {recorded.at:%Y-%m-%d %H:%M} UTC"
        screen.out().print(line, markup=False, soft_wrap=True)


@app.command("list")
def list_(
    target: Annotated[str | None, typer.Argument(metavar="[TARGET]", help="Only of this target.")] = None,
    *,
    limit: Annotated[int, typer.Option(help="How many, 1 to 1000.")] = 100,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List deployments, newest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        found = platform.catalog.deployments.find(target, limit=limit)
        screen.print_json(found) if as_json else _print(found)


def _print(found: Sequence[Deployment]) -> None:
    rows = [[f"{one.at:%Y-%m-%d %H:%M}", one.target, one.deploy_ref, one.by, one.url or ""] for one in found]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="no deployment is recorded")
