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

Names = Annotated[list[str] | None, typer.Option(metavar="URN", help="Such as ds://zone/name; any number.")]
RunId = Annotated[str | None, typer.Option(metavar="ID", help="The run; found by itself in a job of Autosys.")]


def process(
    name: Annotated[str, typer.Argument(metavar="KEY", help="Such as AUTOSYS/BOX/JOB.")],
    status: Annotated[str, typer.Argument(help="started, running, completed, failed or aborted.")],
    *,
    input: Names = None,  # noqa: A002 - the option's name
    output: Names = None,
    partition: Annotated[str | None, typer.Option(metavar="DAY", help="The day that the run is of.")] = None,
    error: Annotated[str | None, typer.Option(metavar="TEXT", help="Why it failed; secrets are taken out.")] = None,
    run_id: RunId = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Tell the catalog that a legacy process started, completed or failed.

    An event that the service does not take now waits on the disk (DATA_PLATFORM_SPOOL): exit code 0, since it is not
    lost. Only what is wrong, or kept nowhere, is an error.

    Examples:

    data-platform legacy process AUTOSYS/NIGHT/LOAD completed --output ds://legacy/positions
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.legacy.client import register_process

        told = partial(register_process, name, status, run_id=run_id, inputs=input or (), outputs=output or ())
        _tell(name, run_id, partial(told, partition=partition, error=error), as_json=as_json)


def dataset(
    name: Annotated[str, typer.Argument(metavar="URN", help="Such as ds://zone/name.")],
    version: Annotated[str, typer.Argument(help="What it is called by; a day is one too.")],
    status: Annotated[str, typer.Argument(help="completed, or what else became of it.")] = "completed",
    *,
    partition: Annotated[str | None, typer.Option(metavar="DAY", help="The day that it is of.")] = None,
    rows: Annotated[int | None, typer.Option(min=0)] = None,
    size: Annotated[int | None, typer.Option(min=0, metavar="BYTES")] = None,
    path: Annotated[str | None, typer.Option(help="Where it lies.")] = None,
    process: Annotated[str | None, typer.Option(metavar="KEY", help="What made it.")] = None,
    run_id: RunId = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Tell the catalog that a version of a dataset is there; its asset is materialized then.

    Examples:

    data-platform legacy dataset ds://legacy/positions v7 --partition 2025-06-01 --rows 1200
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.legacy.client import register_dataset

        told = partial(register_dataset, name, version, status, rows=rows, size=size, path=path)
        told = partial(told, partition=partition, process=process, run_id=run_id)
        _tell(name, run_id, told, as_json=as_json)


def _tell(name: str, run: str | None, told: Callable[..., str | None], *, as_json: bool) -> None:
    """``run`` is the id that was given; of an event that waits nobody knows a better one."""
    waits = ""
    try:
        run = told(strict=True)
    except SourceUnavailableError as away:
        waits = str(away)
    if as_json:
        screen.print_json({"name": name, "run_id": run, "sent": not waits, "problem": waits or None})
        return
    what = f"{name} (run {run})" if run else name
    console = screen.err() if waits else screen.out()
    console.print(f"{what}: kept for later: {waits}" if waits else f"{what}: told", markup=False, soft_wrap=True)
