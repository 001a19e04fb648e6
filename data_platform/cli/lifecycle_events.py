"""``data-platform signals events``: starts, ends and writes of jobs, whoever reported them. No Spark."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Cursor, DatasetName, Debug, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.lifecycle import LifecycleEvent

_COLUMNS = ("time (UTC)", "event", "job", "run", "fields")


def events(
    dataset: DatasetName = None,
    *,
    limit: Annotated[int, typer.Option(help="The most events.")] = 100,
    cursor: Cursor = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List starts, ends and writes of jobs, newest first: of all, or of the jobs and runs that write a dataset.

    They are derived from the OpenLineage events of the platform's own runs, of wrapped jobs and of all other producers.

    Examples:

    data-platform signals events

    data-platform signals events flights --limit 20 --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.recorded_dataset import recorded_urn

        urn = recorded_urn(platform, dataset) if dataset else None
        page = platform.catalog.events.lifecycle(urn, cursor=cursor, limit=limit)
        if as_json:
            screen.print_json(page)
            return
        _print(page.items)
        screen.print_cursor(page.cursor)


def _is_shown(name: str, value: object) -> bool:
    """A stack trace has many lines; JSON has it."""
    return value is not None and name != "stack_trace"


def _print(found: Sequence[LifecycleEvent]) -> None:
    rows = [
        [
            f"{one.time:%Y-%m-%d %H:%M:%S}",
            one.event.value,
            one.job or "",
            one.run_id or "",
            ", ".join(f"{name} {value}" for name, value in asdict(one.record).items() if _is_shown(name, value)),
        ]
        for one in found
    ]
    screen.print_table(screen.out(), _COLUMNS, rows, empty="no event was reported")
