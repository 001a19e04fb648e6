"""What the catalog answers about lineage, as people read it: records, a tree, a flowchart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.cli.overview import time
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.catalog import DatasetPage, LineageGraph, ProcessPage, ProcessRun


def mermaid_of(graph: LineageGraph) -> str:
    """A flowchart from left to right; datasets are round, processes square."""
    nodes = {node.name: (f"n{number}", node) for number, node in enumerate((graph.start, *graph.nodes))}
    lines = ["flowchart LR"]
    for key, node in nodes.values():
        text = node.name.replace('"', "#quot;")
        lines.append(f'    {key}(["{text}"])' if node.type is NodeType.DATASET else f'    {key}["{text}"]')
    lines += [f"    {nodes[edge.source][0]} --> {nodes[edge.target][0]}" for edge in graph.edges]
    return "\n".join(lines)


def print_run(run: ProcessRun) -> None:
    told = {
        "run": run.run_uuid,
        "process": run.process_key,
        "state": run.status,
        "start (UTC)": time(run.start),
        "end (UTC)": time(run.end),
        "part of": run.parent_run_uuid,
        "failed parts": run.failed_children or "",
        "also used by": ", ".join(run.conflicts),
        "log": run.log_location,
        "error": run.error_message,
    }
    uses = [(use.role.lower(), use.full_name, use.version) for use in run.datasets]
    screen.print_table(screen.out(), ("what", "found"), [(what, word) for what, word in told.items() if word])
    if uses:
        screen.out().print()
        screen.print_table(screen.out(), ("", "dataset", "version"), uses)


def print_dataset(page: DatasetPage) -> None:
    card, latest, pointer = page.dataset, page.latest, page.certification
    rows: list[tuple[str, object]] = [
        ("dataset", card.full_name),
        ("status", card.status),
        ("owner", " ".join(part for part in (card.owner_team, card.owner_email) if part)),
        ("description", card.description),
        ("tags", ", ".join(card.tags)),
        ("partitions", card.partitioning),
        ("latest version", latest and f"{latest.tag}, {time(latest.produced_at)}, {_count(latest.row_count)}"),
        ("consumers see", pointer and f"{pointer.status}, version {pointer.version}"),
        ("checks", ", ".join(f"{number} {word}" for word, number in sorted(page.checks.items()))),
        ("neighbours", f"{page.upstream} upstream, {page.downstream} downstream"),
    ]
    console = screen.out()
    screen.print_table(console, ("what", "found"), [row for row in rows if row[1]])
    if page.columns:
        console.print()
        columns = [(c.name, c.type, "" if c.nullable else "not null", c.description) for c in page.columns]
        screen.print_table(console, ("column", "type", "", "description"), columns)


def print_process(page: ProcessPage) -> None:
    card = page.process
    rows: list[tuple[str, object]] = [
        ("process", card.key),
        ("technology", card.technology),
        ("owner", " ".join(part for part in (card.team, card.owner_email) if part)),
        ("description", card.description),
        ("started by", card.trigger_mode),
        ("part of", _few(page.parents)),
        ("consists of", _few(page.children)),
        ("reads", _few(page.inputs)),
        ("writes", _few(page.outputs)),
        ("retired", card.retired_at and time(card.retired_at)),
    ]
    console = screen.out()
    screen.print_table(console, ("what", "found"), [row for row in rows if row[1]])
    if page.runs:
        console.print()
        screen.print_table(console, ("run", "state", "start (UTC)", "seconds", "error"), [_run(r) for r in page.runs])


def _run(run: ProcessRun) -> tuple[object, ...]:
    colour = {"COMPLETED": "green", "FAILED": "red", "ABORTED": "red", "RUNNING": "yellow"}.get(run.status, "")
    seconds = "" if run.seconds is None else f"{run.seconds:.1f}"
    error = (run.error_message or "").splitlines()
    return run.run_uuid, screen.styled(run.status, colour), time(run.start), seconds, error[0][:120] if error else ""


def print_graph(graph: LineageGraph) -> None:
    """Upstream above, downstream below, each node once: one that was shown is named again without its own."""
    from rich.text import Text
    from rich.tree import Tree

    console = screen.out()
    ascii_only = not console.is_terminal
    for title, ahead in (("upstream", False), ("downstream", True)):
        near: dict[str, list[str]] = {}
        for edge in graph.edges:
            source, target = (edge.source, edge.target) if ahead else (edge.target, edge.source)
            near.setdefault(source, []).append(target)
        if graph.start.name not in near:
            continue
        tree, shown = Tree(Text(f"{graph.start.name} {title}", "bold"), hide_root=False), {graph.start.name}
        waiting = [(tree, graph.start.name)]
        while waiting:
            branch, name = waiting.pop()
            for other in sorted(near.get(name, ())):
                again = other in shown
                below = branch.add(Text(f"{other} …" if again else other))
                if not again:
                    shown.add(other)
                    waiting.append((below, other))
        console.print(tree, soft_wrap=ascii_only)
    if graph.cut:
        screen.err().print("there is more: ask with a smaller --depth", markup=False)


def print_hits(rows: Sequence[tuple[object, ...]], columns: tuple[str, ...], total: int) -> None:
    if not rows:
        screen.out().print("nothing depends on it, as far as the catalog knows")
        return
    screen.print_table(screen.out(), columns, rows)
    screen.err().print(f"{len(rows)} of {total}", markup=False)


def _few(names: Sequence[str], most: int = 8) -> str:
    """All of them are in --json."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _count(rows: int | None) -> str:
    return "rows not told" if rows is None else f"{rows:,} rows"
