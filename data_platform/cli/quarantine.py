"""``data-platform quarantine list`` and ``show``: what is quarantined and why, without Spark."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import quarantine_decision, quarantine_replay, screen
from data_platform.cli.catalog import read_age
from data_platform.cli.guard import AsJson, DatasetName, Debug, Partition, opened, parse_partition
from data_platform.errors import TableNotFoundError, UsageError
from data_platform.model.number_text import number_of
from data_platform.model.quarantine_card import REASONS_SHOWN, age_text, card_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.quarantine_card import QuarantineCard
    from data_platform.model.quarantine_decision import QuarantineAction
    from data_platform.policies import Policies

app = typer.Typer(help="Rows and batches that a gate quarantined.", no_args_is_help=True)
app.command()(quarantine_decision.assign)
app.command()(quarantine_decision.discard)
app.command()(quarantine_decision.release)
app.command()(quarantine_replay.diff)
app.command()(quarantine_replay.replay)


OlderThan = Annotated[
    str | None, typer.Option("--older-than", metavar="AGE", help="Only entries that are older, such as 7d or 2w.")
]


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    partition: Partition = None,
    older_than: OlderThan = None,
    closed: Annotated[bool, typer.Option("--all", help="Include entries that are closed.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List what is in quarantine, newest first: why, since when, who owns it, and what to do.

    An entry that has been open for more than 7 days is stale.

    Examples:

    data-platform quarantine list

    data-platform quarantine list flights --partition 2013-01-03

    data-platform quarantine list --older-than 7d --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        age = read_age(older_than) if older_than is not None else None
        urn = platform.policies.dataset(dataset).urn if dataset else None
        stored = platform.catalog.quarantine.entries(urn, include_closed=closed)
        wanted, now = parse_partition(partition), platform.now()
        entries = [
            entry
            for entry in stored
            if wanted in (None, entry.partition) and (age is None or now - entry.created_at > age)
        ]
        cards = [card_of(entry, _team(platform.policies, entry), now) for entry in entries]
        if as_json:
            screen.print_json([document_of(card) for card in cards])
            return
        _print_cards(cards)


def document_of(card: QuarantineCard) -> dict[str, Any]:
    """The entry as JSON, with what the card adds."""
    added = {"open_rows": card.entry.open_rows, "owner": card.owner, "age_hours": card.age_hours, "stale": card.stale}
    return {**asdict(card.entry), **added, "suggestions": card.suggestions}


def _team(policies: Policies, entry: QuarantineEntry) -> str:
    """The team of the dataset; empty if no policy declares it any more."""
    found = policies.find(entry.dataset_urn)
    return found.policy.owner_team if found else ""


def _print_cards(cards: Sequence[QuarantineCard]) -> None:
    rows = [
        (
            card.entry.full_name,
            card.entry.dataset_urn,
            card.entry.stage,
            card.entry.partition,
            card.entry.level,
            f"{card.entry.open_rows} of {card.entry.rows}",
            card.owner,
            screen.styled(f"{age_text(card.age_hours)} stale", "red") if card.stale else age_text(card.age_hours),
            card.entry.status,
            why(card.entry),
            "; ".join(card.suggestions),
        )
        for card in cards
    ]
    columns = (
        "table", "dataset", "stage", "partition", "level", "open rows", "owner", "age", "status", "why", "what to do"
    )  # fmt: skip
    screen.print_table(screen.out(), columns, rows, empty="nothing is in quarantine")


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
        entry = platform.catalog.quarantine.entry(quarantine_decision.entry_name(name))
        wanted = parse_partition(partition)
        if entry is not None and wanted in (None, entry.partition):
            rows, actions = _rows(entry, limit), platform.catalog.quarantine.actions(entry.name)
            if as_json:
                screen.print_json({"entry": entry, "rows": rows, "actions": actions})
                return
            _print(screen.out(), entry, rows)
            print_actions(screen.out(), actions)
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
        f"{entry.full_name}: {number_of(entry.rows, 'row')} of {of}, quarantined at {entry.stage} by {entry.run_id}",
        markup=False,
    )
    if entry.resolved_rows or entry.discarded_rows or entry.released_rows:
        counts = f"{entry.open_rows} open, {entry.resolved_rows} delivered again, {entry.discarded_rows} discarded"
        console.print(f"{counts}, {entry.released_rows} released", markup=False)
    console.print()
    screen.print_table(console, ("why", "rows"), list(entry.signatures.items()))
    for row in rows:
        console.print()
        for column, value in row.items():
            if value is not None and value != []:
                console.print(f"  {column}: {screen.visible(value)}", markup=False)
    if len(rows) < entry.rows:
        console.print(f"\n{len(rows)} of {entry.rows} rows are shown: --limit shows more", markup=False)


def print_actions(console: Console, actions: Sequence[QuarantineAction]) -> None:
    """Prints who did what with the entry."""
    if actions:
        console.print()
        rows = [(f"{a.at:%Y-%m-%d %H:%M}", a.actor, a.action, a.reason or a.detail.get("to", "")) for a in actions]
        screen.print_table(console, ("at (UTC)", "by", "action", "reason"), rows)
