"""``data-platform catalog emit``: sends what another OpenLineage service has not taken yet."""

from __future__ import annotations

import typer

from data_platform.cli import screen
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.errors import SourceUnavailableError, UsageError


def emit(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """Send the events that another OpenLineage service has not taken yet (DATA_PLATFORM_OPENLINEAGE_URL)."""
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.stage.event_emitter import pass_on

        url = platform.settings.openlineage_url
        if url is None:
            raise UsageError("no other service is named: set DATA_PLATFORM_OPENLINEAGE_URL to where it takes events")
        taken = pass_on(platform)
        left = platform.catalog.events.count_waiting()
        if as_json:
            screen.print_json({"sent": taken, "waiting": left})
            raise typer.Exit(ERROR if left else 0)
        screen.out().print(f"{taken} sent, {left} waiting", markup=False)
        if left:
            raise SourceUnavailableError(f"{url} did not take {left} events; try again when it answers")
