"""``data-platform catalog move``: copies the catalog and Dagster's runs and events to another database."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.cli.progress_bar import counting

Target = Annotated[
    str, typer.Option("--to", metavar="URL", help="An empty database: postgresql://user:password@host/name.")
]


def move(*, to: Target, as_json: AsJson = False, debug: Debug = False) -> None:
    """Copy the catalog and Dagster's runs to an empty database, and compare the row counts. The old one is unchanged.

    An interrupted copy leaves nothing behind: run the command again. Then set DATA_PLATFORM_CATALOG_URL.

    Examples:

    data-platform catalog move --to postgresql://platform:PASSWORD@127.0.0.1/platform
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.catalog.move import move_catalog
        from data_platform.orchestration.move import move_dagster
        from data_platform.settings import read_settings

        source = read_settings()
        with counting(as_json=as_json) as progress:
            moved = move_catalog(source.catalog_url, to, progress)
            dagster = move_dagster(source, replace(source, catalog_url=to), progress)
        console = screen.out()
        counts = {"catalog": moved.rows, "moved_before": moved.before, "dagster": dagster}
        if as_json:
            screen.print_json(counts)
            return
        rows = sum(moved.rows.values())
        console.print(f"{rows} rows of the catalog were copied{' by an earlier call' if moved.before else ''}")
        copied = f"{sum(dagster.values())} rows of Dagster were copied" if dagster else "Dagster has no rows to copy"
        console.print(copied)
        console.print(
            "set DATA_PLATFORM_CATALOG_URL to the new address for every process of the platform", markup=False
        )
