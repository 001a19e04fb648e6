"""``data-platform catalog show``, ``lineage``, ``impact`` and ``diff``: what the catalog records, and dependencies.

A name is a dataset's URN or full name (``ds://zone/name``, ``s3://lake/orders``), a declared table's name, a process
key (``AUTOSYS/BOX/JOB``), or a reference (``pair:…``), which names one dataset where two share a full name. With
``--namespace`` it is exactly the dataset's name in that namespace. None of them starts Spark.
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
    print_victims,
)
from data_platform.cli.status import time
from data_platform.errors import NotFoundError, PolicyError, UsageError
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from data_platform.installation import Platform

Name = Annotated[str, typer.Argument(metavar="NAME", help="A URN, a full name, a table name, or a process key.")]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", metavar="NAMESPACE", help="The dataset's namespace; NAME is then its name there."),
]
Stages = Annotated[bool, typer.Option("--stages", help="Show stages and their jobs instead of their dataset.")]
Depth = Annotated[
    int | None, typer.Option("--depth", metavar="N", help="Maximum distance in edges; unlimited by default.")
]
_RUN = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

Upstream = Annotated[bool, typer.Option("--upstream", help="Show what it depends on, not what depends on it.")]


def show(
    name: Name,
    *,
    namespace: Namespace = None,
    archived: Annotated[bool, typer.Option("--archived", help="Its archived runs, from Parquet files.")] = False,
    since: Annotated[str, typer.Option(metavar="DAY", help="With --archived: runs from this day on.")] = "1970-01-01",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show a dataset, process or run: owner, latest version, columns, checks, runs."""
    with opened(as_json=as_json, debug=debug) as platform:
        name = reference_of(name, namespace)
        if archived:
            _show_archived(platform, name, _day(since), as_json=as_json)
            return
        if _RUN.fullmatch(name):
            run = platform.catalog.lineage.run(name.lower())
            screen.print_json(run) if as_json else print_run(run)
            return
        kind, reference = resolve(platform, name)
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
    direction: Annotated[str, typer.Option(metavar="DIRECTION", help="upstream, downstream or both.")] = "both",
    depth: Annotated[
        int, typer.Option("--depth", metavar="N", help="Maximum distance in edges; stages do not count.")
    ] = 4,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart, for documents.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show its upstream and downstream lineage as a tree."""
    with opened(as_json=as_json, debug=debug) as platform:
        kind, reference = resolve(platform, reference_of(name, namespace))
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
    column: Annotated[str | None, typer.Option("--column", "-c", metavar="COLUMN", help="Only this column.")] = None,
    stages: Stages = False,
    upstream: Upstream = False,
    depth: Depth = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Maximum number of lines.")] = 100,
    cursor: Annotated[str | None, typer.Option(help="Continue after the last page.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List everything that depends on it, nearest first, each with its lineage path.

    Examples:

    data-platform catalog impact ds://ops/flights

    data-platform catalog impact ds://ops/flights --column dep_delay

    data-platform catalog impact carrier_daily --upstream
    """
    direction = "upstream" if upstream else "downstream"
    with opened(as_json=as_json, debug=debug) as platform:
        kind, reference = resolve(platform, reference_of(name, namespace))
        if column is not None:
            if kind is not NodeType.DATASET:
                raise UsageError(f"{reference} is a process and has no columns: name a dataset")
            columns = platform.catalog.lineage.column_impact(reference, column, direction=direction, depth=depth)
            screen.print_json(columns) if as_json else print_columns(columns, limit)
            return
        page = platform.catalog.lineage.impact(
            reference, kind=kind, direction=direction, depth=depth, stages=stages, limit=limit, cursor=cursor
        )
        screen.print_json(page) if as_json else print_impact(page)


def diff(
    name: Name,
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="Tag of the earlier version.")],
    after: Annotated[
        str | None, typer.Argument(metavar="[AFTER]", help="Tag of the later one; the newest by default.")
    ] = None,
    *,
    namespace: Namespace = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show how the columns changed from one version to another, and the datasets downstream that this breaks."""
    with opened(as_json=as_json, debug=debug) as platform:
        kind, reference = resolve(platform, reference_of(name, namespace))
        if kind is not NodeType.DATASET:
            raise UsageError(f"{reference} is a process and has no versions: name a dataset")
        changes = platform.catalog.lineage.schema_diff(reference, before, after)
        if as_json:
            screen.print_json(changes)
            return
        if not changes.changes:
            screen.out().print(f"no column changed from {changes.before} to {changes.after}", markup=False)
            return
        rows = [(change.column, change.kind.lower(), change.before, change.after) for change in changes.changes]
        screen.print_table(screen.out(), ("column", "change", changes.before, changes.after), rows)
        print_victims(changes.impact)


def reference_of(name: str, namespace: str | None) -> str:
    """The reference of the dataset ``name`` in ``namespace``; ``name`` itself without a namespace."""
    from data_platform.model.lineage import Name as Pair
    from data_platform.openlineage.text import fitting

    return name if namespace is None else fitting(Pair(namespace, name)).reference


def resolve(platform: Platform, name: str) -> tuple[NodeType, str]:
    """Finds the dataset or process that ``name`` refers to. Returns its type and its reference in the catalog.

    Raises:
        NotFoundError: The catalog has no such dataset or process.
    """
    stored = platform.catalog.lineage
    for reference in dict.fromkeys((name, _declared(platform, name))):
        if reference is None:
            continue
        try:
            return NodeType.DATASET, stored.dataset(reference).reference
        except NotFoundError:
            pass
    try:
        return NodeType.PROCESS, stored.process(name).key
    except NotFoundError:
        raise NotFoundError(
            f"the catalog has no dataset or process {name!r}: search for it with data-platform catalog search"
        ) from None


def _show_archived(platform: Platform, name: str, first: date, *, as_json: bool) -> None:
    if _RUN.fullmatch(name):
        row = platform.catalog.registry.archived_run(name.lower())
        if row is None:
            raise NotFoundError(f"the archive has no run {name}: try without --archived")
        rows = [row]
    else:
        kind, reference = resolve(platform, name)
        rows = platform.catalog.registry.archived_runs(
            first=first,
            last=platform.now().date(),
            dataset=reference if kind is NodeType.DATASET else None,
            process=reference if kind is NodeType.PROCESS else None,
        )
    if as_json:
        screen.print_json(rows)
        return
    lines = [(row["run_uuid"], row["status"], time(row["start_ts"]), time(row["end_ts"])) for row in rows]
    columns = ("run", "state", "start (UTC)", "end (UTC)")
    screen.print_table(screen.out(), columns, lines, empty=f"the archive has no runs of {name}")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--since {text!r} is not a day: expected one such as 2026-01-31") from None


def _declared(platform: Platform, name: str) -> str | None:
    """The URN of a table that the policies declare; None if there is none, or no policies."""
    try:
        return platform.policies.dataset(name).urn
    except (UsageError, PolicyError):
        return None
