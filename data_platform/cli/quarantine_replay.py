"""``data-platform quarantine replay`` and ``diff``: quarantined rows judged again by today's policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import DONE, AsJson, Debug, Partition, opened, parse_partition
from data_platform.cli.quarantine_decision import Name, entry_name
from data_platform.errors import UsageError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.orchestration.launched import Launched
    from data_platform.stage.replay import Replay
    from data_platform.stage.replay_preview import Preview


def replay(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A table of `quarantine list`, or a dataset.")],
    *,
    partition: Partition = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Judge quarantined rows again by today's policy, and certify those that pass: each once, however often it runs.

    It runs the day again from what bronze has, with the releases and discards of people. If the day was delivered anew
    meanwhile, the newer delivery wins. Exit code 3 if a gate holds a day, or a publish group lacks it.

    Examples:

    data-platform quarantine replay NAME

    data-platform quarantine replay flights --partition 2013-01-03
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.stage.replay import plan

        planned = plan(platform, entry_name(name), parse_partition(partition))
        due = [one for one in planned if one.first is not None]
        if due:
            platform.begin_spark()  # while Dagster is imported
        done = [_launch(platform, one, as_json=as_json, debug=debug) for one in due]
        _print(platform, name, planned, dict(zip(map(_key, due), done, strict=True)), as_json=as_json)
        from data_platform.cli.run import worst

        raise typer.Exit(worst(done) if done else DONE)


def diff(name: Name, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """Show what today's policy says about the rows of an entry, and what was accepted meanwhile. Nothing is written."""
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.stage.replay_preview import preview

        entry = platform.catalog.quarantine.entry(entry_name(name))
        if entry is None:
            raise UsageError(f"there is no quarantine table {name}: see `data-platform quarantine list --all`")
        found = preview(platform, entry)
        if as_json:
            screen.print_json(found)
            return
        _print_preview(found)


def _key(planned: Replay) -> str:
    return f"{planned.dataset.urn} {planned.partition or ''}".rstrip()


def _launch(platform: Platform, planned: Replay, *, as_json: bool, debug: bool) -> Launched:
    from data_platform.cli.run import launch_shown, print_end, print_report
    from data_platform.orchestration.launch import launch

    level, datasets, first = "INFO" if debug else "CRITICAL", [planned.dataset], planned.first
    if as_json:
        return launch(platform, datasets, planned.partition, screen.print_message, first=first, log_level=level)
    console = screen.of_run()
    console.print(f"{_key(planned)}, from {first}", style="bold", markup=False)
    done = launch_shown(
        console,
        platform,
        datasets,
        planned.partition,
        lambda report: print_report(console, report),
        first=first,
        log_level=level,
    )
    print_end(console, datasets, done)
    return done


def _print(platform: Platform, name: str, planned: list[Replay], done: dict[str, Launched], *, as_json: bool) -> None:
    """Prints what became of the rows of each entry."""
    documents = [_document(platform, one, done.get(_key(one))) for one in planned]
    if as_json:
        screen.print_json(documents)
        return
    if not planned:
        screen.out().print(f"nothing of {name} is open in quarantine", markup=False)
    for one, document in zip(planned, documents, strict=True):
        if one.first is None:
            screen.out().print(one.reason, markup=False, soft_wrap=True)
            continue
        rows = document["rows"]
        if rows:
            line = f"{number_of(rows['read'], 'row')} of the delivery: {rows['accepted']} accepted"
            line += f", {rows['released']} released"
            line += f", {rows['discarded']} discarded, {rows['quarantined']} still in quarantine"
            screen.out().print(line, markup=False, soft_wrap=True)


def _document(platform: Platform, planned: Replay, done: Launched | None) -> dict[str, Any]:
    from data_platform.cli.run import document

    base: dict[str, Any] = {"dataset": planned.dataset.urn, "partition": planned.partition, "reason": planned.reason}
    base["entries"] = [entry.name for entry in planned.entries]
    if done is None:
        return {**base, "from": None, "rows": None}
    return {**base, "from": planned.first, "rows": _rows(platform, done), **document(done)}


def _rows(platform: Platform, done: Launched) -> dict[str, int] | None:
    """The rows of the delivery as silver counted them; they add up to what it read."""
    from data_platform.stage.replay import counts_of

    silver = next((report for report in done.reports if report.stage == "silver"), None)
    return None if silver is None else counts_of(platform, silver)


def _print_preview(found: Preview) -> None:
    console, entry = screen.out(), found.entry
    rows = number_of(entry.rows, "row")
    console.print(f"{entry.full_name}: {rows} of {entry.dataset_urn} {entry.partition or ''}", markup=False)
    if found.reason:
        console.print(found.reason, markup=False, soft_wrap=True)
        return
    console.print(f"{found.would_pass} would pass today's policy, {found.would_not} would not")
    if found.still_broken:
        screen.print_table(console, ("why", "rows"), list(found.still_broken.items()))
    if found.accepted_meanwhile is not None:
        console.print(f"{found.accepted_meanwhile} have a key that is accepted by now")
        if found.differing:
            screen.print_table(console, ("column", "rows that differ"), list(found.differing.items()))
