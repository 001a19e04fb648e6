"""``data-platform legacy markers``: the watched markers, the deliveries, and what a delivery still waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded

if TYPE_CHECKING:
    from data_platform.model.arrival import MarkerState

Waiting = Annotated[bool, typer.Option("--waiting", help="Only incomplete deliveries.")]


def markers(
    dataset: Annotated[str | None, typer.Argument(metavar="DATASET", help="Only this dataset, by its URN.")] = None,
    *,
    waiting: Waiting = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List completion markers as the sensor last saw them, newest day first: delivered, or what they wait for.

    Examples:

    data-platform legacy markers --waiting
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.catalog import open_catalog
        from data_platform.settings import read_settings

        with open_catalog(read_settings().catalog_url) as catalog:
            states = [state for state in catalog.arrivals.markers(dataset) if state.waits_for or not waiting]
        states.sort(key=lambda state: (state.partition or "", state.urn), reverse=True)
        if as_json:
            screen.print_json(screen.plain(states))
            return
        if not states:
            message = "no delivery is waiting" if waiting else "no marker was seen so far"
            screen.err().print(message)
            return
        columns = ("dataset", "day", "marker", "state", "deliveries", "since")
        screen.print_table(screen.out(), columns, [_row(state) for state in states])


def _row(state: MarkerState) -> tuple[object, ...]:
    if state.waits_for:
        progress: object = screen.styled(f"waits for {state.waits_for}", "yellow")
    else:
        progress = screen.styled("delivered", "green")
    since = f"{state.changed_at:%Y-%m-%d %H:%M:%S}"
    return state.urn, state.partition or "", state.marker, progress, state.deliveries, since
