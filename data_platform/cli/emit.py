"""``data-platform catalog emit``: sends the events that the OpenLineage endpoint has not accepted yet."""

from __future__ import annotations

import typer

from data_platform.cli import screen
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.errors import SourceUnavailableError, UsageError


def emit(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """Send the events that the OpenLineage endpoint (DATA_PLATFORM_OPENLINEAGE_URL) has not accepted yet."""
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.stage.event_emitter import pass_on

        url = platform.settings.openlineage_url
        if url is None:
            raise UsageError("no OpenLineage endpoint is configured: set DATA_PLATFORM_OPENLINEAGE_URL")
        sent = pass_on(platform)
        left = platform.catalog.events.count_waiting()
        if as_json:
            screen.print_json({"sent": sent, "waiting": left})
            raise typer.Exit(ERROR if left else 0)
        screen.out().print(f"{sent} sent, {left} waiting", markup=False)
        if left:
            raise SourceUnavailableError(f"{url} did not accept {left} events; try again when it is available")
