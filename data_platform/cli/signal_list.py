"""``data-platform signals list``: what the platform noticed by itself. No Spark."""

from __future__ import annotations

from typing import Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Cursor, DatasetName, Debug, opened


def list_signals(
    dataset: DatasetName = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Those that have ended too.")] = False,
    limit: Annotated[int, typer.Option(help="The most signals.")] = 100,
    cursor: Cursor = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List what the last look noticed: what is late, held or failed, each with the number of its incident in --json.

    Examples:

    data-platform signals list

    data-platform signals list flights --all --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.incident_text import print_signals
        from data_platform.cli.recorded_dataset import recorded_urn

        urn = recorded_urn(platform, dataset) if dataset else None
        page = platform.catalog.signals.find(urn, active_only=not every, limit=limit, cursor=cursor)
        if as_json:
            screen.print_json(page)
            return
        print_signals(page.items)
        screen.print_cursor(page.cursor)
