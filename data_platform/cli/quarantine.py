"""``data-platform quarantine …``: what is quarantined and why, from the catalog and Delta tables, without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, DatasetName, Debug, Partition, opened, parse_partition
from data_platform.errors import TableNotFoundError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry

app = typer.Typer(help="Rows and batches that a gate quarantined.", no_args_is_help=True)
REASONS_SHOWN = 3


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    partition: Partition = None,
    closed: Annotated[bool, typer.Option("--all", help="Include resolved and superseded entries.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List what is in quarantine and why, newest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        stored = platform.catalog.quarantine.entries(urn, include_closed=closed)
        wanted = parse_partition(partition)
        entries = [entry for entry in stored if wanted in (None, entry.partition)]
        if as_json:
            screen.print_json(entries)
            return
        if not entries:
            screen.out().print("nothing is in quarantine")
            return
        rows = [
            (e.full_name, e.stage, e.partition, e.level, f"{e.rows - e.resolved_rows} of {e.rows}", e.status, why(e))
            for e in entries
        ]
        columns = ("table", "stage", "partition", "level", "open rows", "status", "why")
        screen.print_table(screen.out(), columns, rows)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A table of `quarantine list`, or a dataset.")],
    *,
    partition: Partition = None,
    closed: Annotated[bool, typer.Option("--all", help="For a dataset: include resolved and superseded.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows of a table to show.")] = 10,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show the rows of one quarantine table, or of all open ones of a dataset. Personal values were removed before.

    Examples:

    data-platform quarantine show orders_20250107_run_bbbbbbbbbbbb

    data-platform quarantine show ds://sales/orders --partition 2025-01-06
    """
    with opened(as_json=as_json, debug=debug) as platform:
        entry, wanted = platform.catalog.quarantine.entry(name.removeprefix("quarantine.")), parse_partition(partition)
        if entry is not None and wanted in (None, entry.partition):
            rows = _rows(entry, limit)
            screen.print_json({"entry": entry, "rows": rows}) if as_json else _print(screen.out(), entry, rows)
            return
        tables = [(entry, _rows(entry, limit)) for entry in _of_dataset(platform, name, wanted, closed=closed)]
        if as_json:
            screen.print_json({"tables": [{"entry": entry, "rows": rows} for entry, rows in tables]})
            return
        for place, (entry, rows) in enumerate(tables):
            if place:
                screen.out().print()
            _print(screen.out(), entry, rows)


def _of_dataset(
    platform: Platform, name: str, partition: PartitionKey | None, *, closed: bool
) -> list[QuarantineEntry]:
    """Raises: UsageError, if ``name`` is neither a table nor a dataset, or nothing is in quarantine."""
    try:
        urn = platform.policies.dataset(name).urn
    except UsageError as error:
        table = f"there is no quarantine table {name}: see `data-platform quarantine list --all`"
        raise UsageError(f"{table}; and {error}") from None
    stored = platform.catalog.quarantine.entries(urn, include_closed=closed)
    entries = [entry for entry in stored if partition in (None, entry.partition)]
    if not entries:
        which = f" of {partition}" if partition else ""
        rest = "" if closed else ": --all also shows what was resolved or superseded"
        raise UsageError(f"nothing{which} of {urn} is in quarantine{rest}")
    return entries


def why(entry: QuarantineEntry) -> str:
    """The most frequent reasons."""
    reasons = list(entry.signatures)
    return ", ".join(reasons[:REASONS_SHOWN]) + (" …" if len(reasons) > REASONS_SHOWN else "")


def _rows(entry: QuarantineEntry, limit: int) -> list[dict[str, Any]]:
    from data_platform.lake.presence import first_rows

    rows = first_rows(entry.path, limit)
    if rows is None:
        raise TableNotFoundError(
            f"the catalog lists {entry.full_name}, but there is no Delta table at {entry.path}: "
            "it was removed or moved by hand; run the dataset again to quarantine its rows again"
        )
    return rows


def _print(console: Console, entry: QuarantineEntry, rows: list[dict[str, Any]]) -> None:
    of = " ".join(part for part in (entry.dataset_urn, entry.partition) if part)
    console.print(
        f"{entry.full_name}: {entry.rows} rows of {of}, quarantined at {entry.stage} by {entry.run_id}", markup=False
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
