"""``data-platform legacy run`` and ``legacy forward``: report the runs of legacy jobs to the catalog's service."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import ERROR, AsJson, Debug, guarded
from data_platform.legacy.inherited import inherited_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

Datasets = Annotated[
    list[str] | None, typer.Option(metavar="URN", help="A dataset, such as ds://zone/name; repeatable.")
]
Heartbeat = Annotated[
    float | None,
    typer.Option(
        min=0, metavar="SECONDS", help="Time between heartbeats; 0 for none. [default: 60]", show_default=False
    ),
]
Tail = Annotated[
    int | None,
    typer.Option(min=0, max=50, metavar="LINES", help="Last lines of standard error to keep on failure. [default: 50]"),
]


def run(
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND…", help="The command, as it is called without this wrapper.")
    ],
    *,
    process: Annotated[str, typer.Option(metavar="KEY", help="The process, such as AUTOSYS/BOX/JOB.")],
    input: Datasets = None,  # noqa: A002 - the option's name
    output: Datasets = None,
    partition: Annotated[str | None, typer.Option(metavar="DAY", help="The day that the run processes.")] = None,
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="The run's id; by default from Autosys' variables, or new.")
    ] = None,
    heartbeat: Heartbeat = None,
    tail: Tail = None,
    spark: Annotated[
        bool, typer.Option("--spark", help="Let Spark report what it reads and writes, through OpenLineage's listener.")
    ] = False,
) -> None:
    """Run a command and report its run to the catalog. Input, output, signals and exit code are the command's own.

    `python -P -m data_platform.legacy.wrapper` takes the same options and starts faster.

    Examples:

    data-platform legacy run --process AUTOSYS/BOX/JOB --output ds://sales/orders --partition 2025-01-01 -- ./load.sh

    data-platform legacy run --process AUTOSYS/BOX/JOB --spark -- spark-submit load.py
    """
    named: dict[str, Sequence[object] | None]
    named = {"--process": [process], "--input": input, "--output": output, "--run-id": [run_id]}
    named |= {"--partition": [partition], "--heartbeat": [heartbeat], "--tail": [tail]}
    given = [f"{name}={value}" for name, values in named.items() for value in values or () if value is not None]
    given += ["--spark"] if spark else []
    # replaces this process, which has imported more than a long-running job should keep in memory
    wrapper = [sys.executable, "-P", "-m", "data_platform.legacy.wrapper"]
    os.execve(sys.executable, [*wrapper, *given, "--", *command], inherited_environment())  # noqa: S606


def forward(
    *,
    seconds: Annotated[float, typer.Option(min=1, help="Stop after this many seconds.")] = 600,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Send the events that wait in the spool to DATA_PLATFORM_URL, oldest first. Exit code 1 if some still wait.

    Events that the service rejected as invalid are in the spool's folder `refused`, each with the response. Move one
    back into the spool to send it again.
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.errors import SourceUnavailableError
        from data_platform.legacy.client import service_of
        from data_platform.legacy.forward import forward_within

        service = service_of()
        result = forward_within(service, seconds, hurry=False)
        waiting = len(service.spool.waiting())
        if as_json:
            document = {"sent": result.sent, "refused": result.refused, "waiting": waiting, "problem": result.problem}
            screen.print_json(document)
            raise typer.Exit(ERROR if result.problem else 0)
        for name, why in result.refused.items():
            screen.err().print(f"refused for good: {name}: {why}", markup=False, soft_wrap=True)
        counts = f"{result.sent} sent, {len(result.refused)} refused, {waiting} waiting in {service.spool.folder}"
        screen.out().print(counts, markup=False, soft_wrap=True)
        if result.problem:
            raise SourceUnavailableError(result.problem)
