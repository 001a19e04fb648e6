"""``data-platform legacy process`` and ``legacy dataset``: one line in a script, for shells that call no Python."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.errors import SourceUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

Names = Annotated[list[str] | None, typer.Option(metavar="URN", help="A dataset, such as ds://zone/name; repeatable.")]
RunId = Annotated[str | None, typer.Option(metavar="ID", help="The run's id; by default from Autosys' variables.")]


def process(
    name: Annotated[str, typer.Argument(metavar="KEY", help="The process, such as AUTOSYS/BOX/JOB.")],
    status: Annotated[str, typer.Argument(help="started, running, completed, failed or aborted.")],
    *,
    input: Names = None,  # noqa: A002 - the option's name
    output: Names = None,
    partition: Annotated[str | None, typer.Option(metavar="DAY", help="The day that the run processes.")] = None,
    error: Annotated[str | None, typer.Option(metavar="TEXT", help="Why it failed; secrets are removed.")] = None,
    run_id: RunId = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Report to the catalog that a legacy process started, completed or failed.

    An event that the service cannot accept now is kept on disk (DATA_PLATFORM_SPOOL) with exit code 0, since it is not
    lost. Only an invalid event, or one that cannot be kept, is an error.

    Examples:

    data-platform legacy process AUTOSYS/NIGHT/LOAD completed --output ds://legacy/positions
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.legacy.client import register_process

        register = partial(register_process, name, status, run_id=run_id, inputs=input or (), outputs=output or ())
        _report(name, run_id, partial(register, partition=partition, error=error), as_json=as_json)


def dataset(
    name: Annotated[str, typer.Argument(metavar="URN", help="The dataset, such as ds://zone/name.")],
    version: Annotated[str, typer.Argument(help="The version's tag, such as v7 or a day.")],
    status: Annotated[str, typer.Argument(help="completed, or another state of the version.")] = "completed",
    *,
    partition: Annotated[str | None, typer.Option(metavar="DAY", help="The day of its data.")] = None,
    rows: Annotated[int | None, typer.Option(min=0)] = None,
    size: Annotated[int | None, typer.Option(min=0, metavar="BYTES")] = None,
    path: Annotated[str | None, typer.Option(help="Path of the data.")] = None,
    process: Annotated[str | None, typer.Option(metavar="KEY", help="The process that wrote it.")] = None,
    run_id: RunId = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Report a new version of a dataset to the catalog; its Dagster asset is then materialized.

    Examples:

    data-platform legacy dataset ds://legacy/positions v7 --partition 2025-06-01 --rows 1200
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.legacy.client import register_dataset

        register = partial(register_dataset, name, version, status, rows=rows, size=size, path=path)
        register = partial(register, partition=partition, process=process, run_id=run_id)
        _report(name, run_id, register, as_json=as_json)


def _report(name: str, run: str | None, register: Callable[..., str | None], *, as_json: bool) -> None:
    """Sends the event. ``run`` is the id from the command line, and is printed for an event that was not sent."""
    problem = ""
    try:
        run = register(strict=True)
    except SourceUnavailableError as error:
        problem = str(error)
    if as_json:
        screen.print_json({"name": name, "run_id": run, "sent": not problem, "problem": problem or None})
        return
    what = f"{name} (run {run})" if run else name
    console = screen.err() if problem else screen.out()
    console.print(f"{what}: kept for later: {problem}" if problem else f"{what}: sent", markup=False, soft_wrap=True)
