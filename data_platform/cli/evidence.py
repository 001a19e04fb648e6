"""``data-platform evidence …``: what each gate said of each batch, as it was recorded."""

from __future__ import annotations

from typing import Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, DatasetName, Debug, Partition, opened
from data_platform.cli.overview import time
from data_platform.model.dataset import Stage  # noqa: TC001 - typer reads it at run time
from data_platform.model.verdict import Gate  # noqa: TC001 - typer reads it at run time

app = typer.Typer(help="What each gate said of each batch.", no_args_is_help=True)


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    run_id: Annotated[str | None, typer.Option("--run", help="Of one run.")] = None,
    gate: Annotated[Gate | None, typer.Option(help="Of one gate.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only what did not pass.")] = False,
    partition: Partition = None,
    stage: Annotated[Stage | None, typer.Option(help="Of one stage.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Lines to show.")] = 50,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """What the gates said, the newest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        result = "FAIL" if failed else None
        found = platform.catalog.evidence(
            urn,
            run_id=run_id,
            gate=gate.value if gate else None,
            result=result,
            partition=partition,
            stage=stage.value if stage else None,
            limit=limit,
        )
        if as_json:
            screen.print_json([item.payload() for item in found])
            return
        if not found:
            screen.out().print("there is no such evidence")
            return
        rows = [
            (time(e.timestamp), e.dataset_urn, e.stage, e.partition, e.gate, e.result, e.failure_signature)
            for e in found
        ]
        columns = ("when (UTC)", "dataset", "stage", "partition", "gate", "result", "signature")
        screen.print_table(screen.out(), columns, rows)
