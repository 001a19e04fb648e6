"""``data-platform quarantine …``: what is set aside and why. Read from the catalog and with deltalake, not Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, DatasetName, Debug, Partition, opened
from data_platform.errors import TableNotFoundError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from data_platform.installation import Platform
    from data_platform.model.quarantine import QuarantineEntry

app = typer.Typer(help="Rows and batches that a gate set aside.", no_args_is_help=True)
REASONS_SHOWN = 3


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    partition: Partition = None,
    closed: Annotated[bool, typer.Option("--all", help="Also what was resolved or superseded.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """What is set aside, and why; the newest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        listed = platform.catalog.quarantine.entries(urn, include_closed=closed)
        found = [entry for entry in listed if partition in (None, entry.partition)]
        if as_json:
            screen.print_json(found)
            return
        if not found:
            screen.out().print("nothing is in quarantine")
            return
        rows = [
            (e.full_name, e.stage, e.partition, e.level, f"{e.rows - e.resolved_rows} of {e.rows}", e.status, why(e))
            for e in found
        ]
        columns = ("table", "stage", "partition", "level", "open rows", "status", "why")
        screen.print_table(screen.out(), columns, rows)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A table of `quarantine list`, or a dataset.")],
    *,
    partition: Partition = None,
    closed: Annotated[bool, typer.Option("--all", help="Of a dataset: also what was resolved or superseded.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows of a table to show.")] = 10,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """The rows of one quarantine table, or of all open ones of a dataset. Personal values were taken out before.

    Examples:

    data-platform quarantine show orders_20250107_run_bbbbbbbbbbbb

    data-platform quarantine show ds://sales/orders --partition 2025-01-06
    """
    with opened(as_json=as_json, debug=debug) as platform:
        entry = platform.catalog.quarantine.entry(name.removeprefix("quarantine."))
        if entry is not None and partition in (None, entry.partition):
            rows = _rows(entry, limit)
            screen.print_json({"entry": entry, "rows": rows}) if as_json else _print(screen.out(), entry, rows)
            return
        tables = [(entry, _rows(entry, limit)) for entry in _of_dataset(platform, name, partition, closed=closed)]
        if as_json:
            screen.print_json({"tables": [{"entry": entry, "rows": rows} for entry, rows in tables]})
            return
        for place, (entry, rows) in enumerate(tables):
            if place:
                screen.out().print()
            _print(screen.out(), entry, rows)


def _of_dataset(platform: Platform, name: str, partition: str | None, *, closed: bool) -> list[QuarantineEntry]:
    """Raises: UsageError, if ``name`` is neither a table nor a dataset, or nothing is in quarantine."""
    try:
        urn = platform.policies.dataset(name).urn
    except UsageError as error:
        table = f"there is no quarantine table {name}: see `data-platform quarantine list --all`"
        raise UsageError(f"{table}; and {error}") from None
    found = platform.catalog.quarantine.entries(urn, include_closed=closed)
    entries = [entry for entry in found if partition in (None, entry.partition)]
    if not entries:
        day = f" of {partition}" if partition else ""
        rest = "" if closed else ": --all also shows what was resolved or superseded"
        raise UsageError(f"nothing{day} of {urn} is in quarantine{rest}")
    return entries


def why(entry: QuarantineEntry) -> str:
    """The reasons of most rows."""
    reasons = list(entry.signatures)
    return ", ".join(reasons[:REASONS_SHOWN]) + (" …" if len(reasons) > REASONS_SHOWN else "")


def _rows(entry: QuarantineEntry, limit: int) -> list[dict[str, Any]]:
    from data_platform.lake.presence import first_rows

    found = first_rows(entry.path, limit)
    if found is None:
        raise TableNotFoundError(
            f"the catalog knows {entry.full_name}, but there is no Delta table at {entry.path}: "
            "it was removed or moved by hand; run the dataset again to set its rows aside anew"
        )
    return found


def _print(console: Console, entry: QuarantineEntry, rows: list[dict[str, Any]]) -> None:
    of = " ".join(part for part in (entry.dataset_urn, entry.partition) if part)
    console.print(
        f"{entry.full_name}: {entry.rows} rows of {of}, set aside at {entry.stage} by {entry.run_id}", markup=False
    )
    console.print()
    screen.print_table(console, ("why", "rows"), list(entry.signatures.items()))
    for row in rows:
        console.print()
        for column, value in row.items():
            if value is not None and value != []:
                console.print(f"  {column}: {screen.visible(value)}", markup=False)
    if len(rows) < entry.rows:
        console.print(f"\n{len(rows)} of {entry.rows} rows are shown: --limit shows more", markup=False)
