"""``data-platform catalog show``, ``lineage``, ``impact`` and ``diff``: what is known, and what depends on what.

A name is a dataset's URN or full name (``ds://zone/name``, ``s3://lake/orders``), a declared table's name, a process
key (``AUTOSYS/BOX/JOB``), or a reference (``pair:…``), which names one dataset where two share a full name. With
``--namespace`` it is exactly the dataset's name in that namespace. None of them opens Spark.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.cli.lineage_text import (
    mermaid_of,
    print_columns,
    print_dataset,
    print_graph,
    print_impact,
    print_process,
    print_run,
)
from data_platform.cli.status import time
from data_platform.errors import NotFoundError, PolicyError, UsageError
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from data_platform.installation import Platform

Name = Annotated[str, typer.Argument(metavar="NAME", help="A URN, a full name, a table, or a process key.")]
Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAMESPACE", help="Of the dataset; NAME is then its name in it.")
]
Stages = Annotated[bool, typer.Option("--stages", help="Stages and their jobs one by one, not as their dataset.")]
Depth = Annotated[int | None, typer.Option("--depth", metavar="N", help="Edges at most; all there are if left out.")]
_RUN = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

Upstream = Annotated[bool, typer.Option("--upstream", help="What it depends on, instead of what depends on it.")]


def show(
    name: Name,
    *,
    namespace: Namespace = None,
    archived: Annotated[bool, typer.Option("--archived", help="Its runs that were moved to Parquet files.")] = False,
    since: Annotated[str, typer.Option(metavar="DAY", help="With --archived: runs from this day on.")] = "1970-01-01",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """All that is known of a dataset, process or run: owner, latest version, columns, checks, runs."""
    with opened(as_json=as_json, debug=debug) as platform:
        name = named(name, namespace)
        if archived:
            _show_archived(platform, name, _day(since), as_json=as_json)
            return
        if _RUN.fullmatch(name):
            run = platform.catalog.lineage.run(name.lower())
            screen.print_json(run) if as_json else print_run(run)
            return
        kind, reference = found(platform, name)
        if kind is NodeType.DATASET:
            page = platform.catalog.lineage.dataset_page(reference)
            screen.print_json(page) if as_json else print_dataset(page)
        else:
            process = platform.catalog.lineage.process_page(reference)
            screen.print_json(process) if as_json else print_process(process)


def lineage(
    name: Name,
    *,
    namespace: Namespace = None,
    direction: Annotated[str, typer.Option(metavar="WAY", help="upstream, downstream or both.")] = "both",
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="Edges at most; stages cost none.")] = 4,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="As a Mermaid flowchart, for documents.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """What is around it, as a tree."""
    with opened(as_json=as_json, debug=debug) as platform:
        kind, reference = found(platform, named(name, namespace))
        graph = platform.catalog.lineage.graph(reference, kind=kind, direction=direction, depth=depth)
        if as_json:
            screen.print_json(graph)
        elif mermaid:
            screen.out().print(mermaid_of(graph), markup=False, soft_wrap=True)
        else:
            print_graph(graph)


def impact(
    name: Name,
    *,
    namespace: Namespace = None,
    column: Annotated[str | None, typer.Option("--column", "-c", metavar="COLUMN", help="Of this column only.")] = None,
    stages: Stages = False,
    upstream: Upstream = False,
    depth: Depth = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Lines at most.")] = 100,
    cursor: Annotated[str | None, typer.Option(help="Go on where the last page ended.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Everything that depends on it, nearest first, each with the way that explains it.

    Examples:

    data-platform catalog impact ds://ops/flights

    data-platform catalog impact ds://ops/flights --column dep_delay

    data-platform catalog impact carrier_daily --upstream
    """
    direction = "upstream" if upstream else "downstream"
    with opened(as_json=as_json, debug=debug) as platform:
        kind, reference = found(platform, named(name, namespace))
        if column is not None:
            if kind is not NodeType.DATASET:
                raise UsageError(f"{reference} is a process, and has no columns: name a dataset")
            columns = platform.catalog.lineage.column_impact(reference, column, direction=direction, depth=depth)
            screen.print_json(columns) if as_json else print_columns(columns, limit)
            return
        page = platform.catalog.lineage.impact(
            reference, kind=kind, direction=direction, depth=depth, stages=stages, limit=limit, cursor=cursor
        )
        screen.print_json(page) if as_json else print_impact(page)


def diff(
    name: Name,
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A version's tag.")],
    after: Annotated[str | None, typer.Argument(metavar="[AFTER]", help="Another; the newest if left out.")] = None,
    *,
    namespace: Namespace = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """What became of the columns from one version to another."""
    with opened(as_json=as_json, debug=debug) as platform:
        kind, reference = found(platform, named(name, namespace))
        if kind is not NodeType.DATASET:
            raise UsageError(f"{reference} is a process, and has no versions: name a dataset")
        changes = platform.catalog.lineage.schema_diff(reference, before, after)
        if as_json:
            screen.print_json(changes)
            return
        if not changes.changes:
            screen.out().print(f"no column changed from {changes.before} to {changes.after}", markup=False)
            return
        rows = [(change.column, change.kind.lower(), change.before, change.after) for change in changes.changes]
        screen.print_table(screen.out(), ("column", "change", changes.before, changes.after), rows)


def named(name: str, namespace: str | None) -> str:
    """The reference of exactly this pair, or what was given if there is no namespace."""
    from data_platform.model.lineage import Name as Pair
    from data_platform.openlineage.text import fitting

    return name if namespace is None else fitting(Pair(namespace, name)).reference


def found(platform: Platform, name: str) -> tuple[NodeType, str]:
    """What ``name`` names: a dataset or a process, and the name that the catalog knows it by.

    Raises:
        NotFoundError: The catalog has neither.
    """
    known = platform.catalog.lineage
    for reference in dict.fromkeys((name, _declared(platform, name))):
        if reference is None:
            continue
        try:
            return NodeType.DATASET, known.dataset(reference).reference
        except NotFoundError:
            pass
    try:
        return NodeType.PROCESS, known.process(name).key
    except NotFoundError:
        raise NotFoundError(
            f"no dataset or process {name!r} is in the catalog: look for it with data-platform catalog search"
        ) from None


def _show_archived(platform: Platform, name: str, first: date, *, as_json: bool) -> None:
    if _RUN.fullmatch(name):
        row = platform.catalog.registry.archived_run(name.lower())
        if row is None:
            raise NotFoundError(f"no run {name} is in the archive: show it without --archived")
        rows = [row]
    else:
        kind, reference = found(platform, name)
        rows = platform.catalog.registry.archived_runs(
            first=first,
            last=platform.now().date(),
            dataset=reference if kind is NodeType.DATASET else None,
            process=reference if kind is NodeType.PROCESS else None,
        )
    if as_json:
        screen.print_json(rows)
        return
    if not rows:
        screen.out().print(f"nothing of {name} is in the archive", markup=False)
        return
    lines = [(row["run_uuid"], row["status"], time(row["start_ts"]), time(row["end_ts"])) for row in rows]
    screen.print_table(screen.out(), ("run", "state", "start (UTC)", "end (UTC)"), lines)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--since {text!r} is not a day: expected such as 2026-01-31") from None


def _declared(platform: Platform, name: str) -> str | None:
    """The URN of a table that policies declare; without policies there is none."""
    try:
        return platform.policies.dataset(name).urn
    except (UsageError, PolicyError):
        return None
