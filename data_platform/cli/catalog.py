"""``data-platform catalog``: what there is, who made it, and what depends on what. None of it opens Spark."""

from __future__ import annotations

import typer

from data_platform.cli import lineage, screen
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.errors import SourceUnavailableError, UsageError

app = typer.Typer(help="Datasets, processes, runs, and what depends on what.", no_args_is_help=True)

app.command()(lineage.show)
app.command(name="lineage")(lineage.lineage)
app.command()(lineage.impact)
app.command()(lineage.diff)


@app.command()
def emit(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """Send the events that another OpenLineage service has not taken yet (DATA_PLATFORM_OPENLINEAGE_URL)."""
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.pipeline.telling import pass_on

        url = platform.settings.openlineage_url
        if url is None:
            raise UsageError("no other service is named: set DATA_PLATFORM_OPENLINEAGE_URL to where it takes events")
        taken = pass_on(platform)
        left = platform.catalog.count_waiting_events()
        if as_json:
            screen.print_json({"sent": taken, "waiting": left})
            raise typer.Exit(ERROR if left else 0)
        screen.out().print(f"{taken} sent, {left} waiting", markup=False)
        if left:
            raise SourceUnavailableError(f"{url} did not take {left} events; try again when it answers")
