"""``data-platform pii keys``, ``rotate`` and ``retire``: the versions of the key of tokens. No key is ever shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.cli.pii_detokenize import detokenize
from data_platform.errors import UsageError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.stage.key_rotation import Outdated

app = typer.Typer(help="Tokens of personal values: their key, and their values for stewards.", no_args_is_help=True)
app.command()(detokenize)
Reason = Annotated[str, typer.Option("--reason", help="Why; stored in the audit log.")]
MOST_COMMANDS = 3
"""How many commands the text of a plan shows for a dataset; ``--json`` has all of them."""


@app.command()
def keys(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """List the versions of the key: their ids, where they are, and how many partitions have tokens of each.

    A version with the state MISSING made tokens that exist, and its file is not there.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        rows = _keys(platform)
        if as_json:
            screen.print_json(rows)
            return
        cells = [
            (f"v{row['version']}", row["key_id"] or "", row["state"], str(row["partitions"]), row["file"])
            for row in rows
        ]
        columns = ("version", "id", "state", "partitions", "file")
        screen.print_table(screen.out(), columns, cells, empty="there is no key yet: the first run makes one")


def _keys(platform: Platform) -> list[dict[str, Any]]:
    ring = platform.settings.pii_keys
    present = ring.versions()
    used = {(use.version, use.key_id, use.dataset_urn, use.partition) for use in platform.catalog.runs.token_uses()}
    partitions = Counter((version, key_id) for version, key_id, _, _ in used)
    states = {(key.number, key.id): "CURRENT" if key == present[-1] else "OLD" for key in present}
    known = {**{key: "MISSING" for key in partitions if key not in states}, **states}
    rows = [
        {"version": number, "key_id": key_id, "state": state, "partitions": partitions[number, key_id],
         "file": str(ring.path(number))}
        for (number, key_id), state in known.items()
    ]  # fmt: skip
    rows += [
        {"version": number, "key_id": None, "state": "RETIRED", "partitions": 0, "file": str(ring.retired_path(number))}
        for number in ring.retired()
    ]
    return sorted(rows, key=lambda row: (row["version"], row["state"]))


@app.command()
def rotate(
    *,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; stored in the audit log.")] = None,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Only list what has tokens of an older version, and the runs that replace them."),
    ] = False,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Make a new version of the key, with which every later run makes its tokens.

    Until a partition is run again it keeps tokens of the old version, which never match those of the new one in a
    join. So plan the time for it: all days of all datasets with tokens.

    Examples:

    data-platform pii rotate --plan

    data-platform pii rotate --reason "yearly rotation"
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.stage import key_rotation

        if plan:
            _print_plan(key_rotation.outdated(platform), as_json=as_json)
            return
        if not (reason or "").strip():
            raise UsageError("a rotation needs a reason: give --reason, or --plan to list what is left to do")
        made = key_rotation.rotate(platform, reason or "", actor(by))
        waiting = key_rotation.outdated(platform)
        if as_json:
            screen.print_json({"version": made.number, "key_id": made.id, "outdated": waiting})
            return
        file = platform.settings.pii_keys.path(made.number)
        line = f"runs make tokens with v{made.number} of the key from now on: back up {file}"
        screen.out().print(line, markup=False, soft_wrap=True)
        _print_plan(waiting, as_json=False)


def _print_plan(waiting: tuple[Outdated, ...], *, as_json: bool) -> None:
    if as_json:
        screen.print_json(waiting)
        return
    if not waiting:
        screen.out().print("no partition has tokens of an older version", markup=False)
    for item in waiting:
        days = number_of(len(item.partitions), "partition")
        has = "has" if len(item.partitions) == 1 else "have"
        advice = "" if item.commands else ", and no policy declares the dataset: its tables keep them"
        line = f"{item.dataset}: {days} {has} tokens of v{item.version}{advice}"
        screen.out().print(line, markup=False, soft_wrap=True)
        for command in item.commands[:MOST_COMMANDS]:
            screen.out().print(f"  {command}", markup=False, soft_wrap=True)
        if (more := len(item.commands) - MOST_COMMANDS) > 0:
            screen.out().print(f"  and {number_of(more, 'more command')}: use --json", markup=False, soft_wrap=True)


@app.command()
def retire(
    version: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="Its number in `pii keys`, such as 1.")],
    *,
    reason: Reason,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Set a version aside that no partition has tokens of. Its file is renamed, not deleted.

    Tokens of this version that are elsewhere, such as in quarantine or in a copy, can then be opened no more.

    Examples:

    data-platform pii retire 1 --reason "all days have tokens of v2"
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.stage.key_rotation import retire as retire_version

        if not reason.strip():
            raise UsageError("--reason is empty: give the reason")
        to = retire_version(platform, version, reason, actor(by))
        if as_json:
            screen.print_json({"version": version, "state": "RETIRED", "file": str(to)})
            return
        screen.out().print(f"v{version} is retired: its file is {to} now", markup=False, soft_wrap=True)
