"""``data-platform certified`` and ``history``: the version that consumers see or saw, and each change. No Spark."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.certified_group import show_group
from data_platform.cli.certified_waiver import certified_waivers, print_waivers
from data_platform.cli.group_waiting import documents, print_waiting_versions, waiting_versions
from data_platform.cli.guard import ERROR, AsJson, Cursor, DatasetName, Debug, opened, parse_partition
from data_platform.cli.quarantine_summary import released_rows
from data_platform.cli.recorded_dataset import certified_name, recorded_urn
from data_platform.cli.status import damage_of, exit_if_damaged, print_unchecked, time, unchecked_of, version, word
from data_platform.errors import UsageError
from data_platform.model.as_of import instant_of, read_as_of
from data_platform.model.certification import PointerEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.model.certification import Certification, PastCertification, PointerChange
    from data_platform.policies import Policies

COLOURS = {PointerEvent.CERTIFIED: "green", PointerEvent.HELD: "yellow", PointerEvent.MOVED: ""}


def certified(
    dataset: DatasetName = None,
    *,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="TIME", help="What consumers saw at a time with its zone, or at a day's end."),
    ] = None,
    group: Annotated[
        str | None, typer.Option("--group", "-g", metavar="NAME", help="All members of a publish group at one moment.")
    ] = None,
    partition: Annotated[
        str | None, typer.Option("--partition", "-p", metavar="DAY", help="With --group: exit code 3 if it lacks it.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show the version that consumers see, or saw, and its path. Exit code 1 if files of it are missing.

    A date means the end of that day in the dataset's time zone.

    Examples:

    data-platform certified flights

    data-platform certified flights --as-of 2013-01-31

    data-platform certified flights --as-of 2013-01-31T18:00:00-05:00

    data-platform certified --group order_day --partition 2013-01-31
    """
    with opened(as_json=as_json, debug=debug) as platform:
        _refuse_mixed(dataset, as_of, group, partition)
        if group is not None:
            show_group(platform, group, parse_partition(partition), as_json=as_json)
            return
        if as_of is not None and dataset is not None:
            _show_past(_past(platform, dataset, as_of), as_json=as_json)
            return
        _show_current(platform, dataset, as_json=as_json)


def _refuse_mixed(dataset: str | None, as_of: str | None, group: str | None, partition: str | None) -> None:
    """Raises: UsageError, if the options do not belong together."""
    if group is not None and (dataset or as_of):
        raise UsageError("--group shows all members as they are now: leave out the dataset and --as-of")
    if as_of is not None and dataset is None:
        raise UsageError("--as-of needs a dataset: data-platform certified DATASET --as-of TIME")
    if partition is not None and group is None:
        raise UsageError("--partition needs --group; data-platform why explains one day of a dataset")


def history(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A name, zone/name or ds://zone/name.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Lines to show.")] = 50,
    cursor: Cursor = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List each certification, hold and move of the version that consumers see, newest first.

    A version moves when gold is restored or rewritten: the new version has the same rows.

    Examples:

    data-platform history flights

    data-platform history ds://ops/flights --limit 10 --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        urn = recorded_urn(platform, dataset)
        page = platform.catalog.certifications.changes(urn, limit=limit, cursor=cursor)
        if as_json:
            screen.print_json(page)
            return
        columns = ("when (UTC)", "event", "version", "partition", "run", "why")
        rows = [_line(change) for change in page.items]
        screen.print_table(screen.out(), columns, rows, empty=f"no run of {urn} has ended yet")
        screen.print_cursor(page.cursor)


def _show_current(platform: Platform, dataset: str | None, *, as_json: bool) -> None:
    if dataset is not None:
        pointers = [platform.certified(platform.policies.dataset(dataset).urn)]
    else:
        pointers = [pointer for pointer in platform.catalog.certifications.all() if pointer.version is not None]
    waiting = waiting_versions(platform)
    rows = [
        {
            **_document(pointer),
            "released": released_rows(platform, pointer.dataset_urn),
            "enforcement": platform.policies.mode_of(pointer.dataset_urn),
            "waivers": certified_waivers(platform, pointer),
            "waiting": documents(waiting.get(pointer.dataset_urn, ())),
        }
        for pointer in pointers
    ]
    if as_json:
        screen.print_json(rows[0] if dataset is not None else rows)
    else:
        _print_certified(platform.policies, pointers)
        for sentence in (sentence for row in rows for sentence in row["released"]):
            screen.out().print(sentence, markup=False, soft_wrap=True)
        print_waivers({row["dataset_urn"]: row["waivers"] for row in rows})
        print_waiting_versions({one.dataset_urn: waiting.get(one.dataset_urn, ()) for one in pointers})
        print_unchecked({row["dataset_urn"]: row["unchecked"] for row in rows})
    exit_if_damaged({row["dataset_urn"]: row["damage"] for row in rows}, as_json=as_json)


def _line(change: PointerChange) -> Sequence[object]:
    return (
        time(change.at),
        screen.styled(change.event, COLOURS[change.event]),
        version(change.version),
        change.partition,
        change.run_id,
        change.reason or (f"publish group {change.group}, publication {change.publication}" if change.group else ""),
    )


def _document(pointer: Certification) -> dict[str, Any]:
    return {**asdict(pointer), "damage": damage_of(pointer), "unchecked": unchecked_of(pointer)}


def _past(platform: Platform, name: str, as_of: str) -> PastCertification:
    urn = recorded_urn(platform, name)
    try:
        moment = instant_of(
            read_as_of(as_of), now=platform.now(), zone=lambda: platform.policies.dataset(urn).policy.zone
        )
    except ValueError as error:
        raise UsageError(f"--as-of: {error}") from None
    return platform.catalog.certifications.at(urn, moment)


def _show_past(past: PastCertification, *, as_json: bool) -> None:
    """Raises: Exit with 1, if files of the version are gone."""
    document = _document(past)
    if as_json:
        screen.print_json(document)
    else:
        columns = ("dataset", "version", "status", "since (UTC)", "partition", "path")
        row = (past.dataset_urn, version(past.version), word(past.status), time(past.certified_at))
        screen.print_table(screen.out(), columns, [(*row, past.partition, past.path)])
        until = f"until {time(past.seen_until)}" if past.seen_until else "and still see it"
        line = f"consumers saw v{past.version} at {time(past.as_of)}, from {time(past.seen_from)} {until} (UTC)"
        screen.out().print(line, markup=False, soft_wrap=True)
        if past.judged_version != past.version:
            same = f"v{past.version} has the same rows as v{past.judged_version}, which the gates judged"
            screen.out().print(same, markup=False, soft_wrap=True)
        print_unchecked({past.dataset_urn: document["unchecked"]})
    if (damage := document["damage"]) is not None:
        if not as_json:
            line = f"error: v{past.version} of {past.dataset_urn} cannot be read any more: {damage}"
            screen.err().print(line, markup=False, soft_wrap=True)
        raise typer.Exit(ERROR)


def _print_certified(policies: Policies, pointers: Sequence[Certification]) -> None:
    rows = [
        (
            certified_name(policies, c.dataset_urn),
            version(c.version),
            word(c.status),
            time(c.certified_at),
            c.partition or "",
            policies.mode_of(c.dataset_urn) or "",
            c.path,
        )
        for c in pointers
    ]
    columns = ("view", "version", "status", "since (UTC)", "partition", "enforcement", "path")
    screen.print_table(screen.out(), columns, rows, empty="nothing is certified yet")
