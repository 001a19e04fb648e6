"""Prints lineage from the catalog for people: as records, a tree or a flowchart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.cli.status import time
from data_platform.model.lineage import EdgeRole, NodeType
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.dataset_page import DatasetPage
    from data_platform.model.lineage_graph import ColumnImpact, Cycle, Edge, ImpactPage, LineageGraph, LookAlike
    from data_platform.model.process_page import ProcessPage, ProcessRun
    from data_platform.model.schema_impact import SchemaImpact


def mermaid_of(graph: LineageGraph) -> str:
    """A flowchart from left to right; datasets are round, processes square."""
    nodes = {(n.type, n.id): (f"n{number}", n) for number, n in enumerate((graph.start, *graph.nodes))}
    lines = ["flowchart LR"]
    for key, node in nodes.values():
        text = node.name.replace('"', "#quot;")
        lines.append(f'    {key}(["{text}"])' if node.type is NodeType.DATASET else f'    {key}["{text}"]')
    ends = [((e.source_type, e.source_id), (e.target_type, e.target_id)) for e in graph.edges]
    lines += [f"    {nodes[source][0]} --> {nodes[target][0]}" for source, target in ends]
    return "\n".join(lines)


def print_run(run: ProcessRun) -> None:
    values = {
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
    uses = [(use.role.lower(), use.reference, use.version) for use in run.datasets]
    screen.print_table(screen.out(), ("what", "found"), [(name, value) for name, value in values.items() if value])
    if uses:
        screen.out().print()
        screen.print_table(screen.out(), ("", "dataset", "version"), uses)


def print_dataset(page: DatasetPage) -> None:
    card, latest, pointer = page.dataset, page.latest, page.certification
    rows: list[tuple[str, object]] = [
        ("dataset", card.reference),
        ("status", f"dropped {time(page.dropped_at)} (UTC)" if page.dropped_at else card.status),
        ("owner", " ".join(part for part in (card.owner_team, card.owner_email) if part)),
        ("description", card.description),
        ("tags", ", ".join(card.tags)),
        ("partitions", card.partitioning),
        ("latest version", latest and f"{latest.tag}, {time(latest.produced_at)}, {_count(latest.row_count)}"),
        ("consumers see", pointer and f"{pointer.status}, version {pointer.version}"),
        ("checks", ", ".join(f"{number} {result}" for result, number in sorted(page.checks.items()))),
        ("other names", ", ".join(f"{other.dataset} ({other.kind})" for other in page.other_names)),
        ("neighbours", f"{page.upstream} upstream, {page.downstream} downstream"),
    ]
    console = screen.out()
    screen.print_table(console, ("what", "found"), [row for row in rows if row[1]])
    if page.columns:
        console.print()
        columns = [(c.name, c.type, "" if c.nullable else "not null", c.description) for c in page.columns]
        screen.print_table(console, ("column", "type", "", "description"), columns)
    print_notes((), page.look_alikes)


def print_process(page: ProcessPage) -> None:
    card = page.process
    rows: list[tuple[str, object]] = [
        ("process", card.key),
        ("technology", card.technology),
        ("owner", " ".join(part for part in (card.team, card.owner_email) if part)),
        ("description", card.description),
        ("started by", card.trigger_mode),
        ("waits for", page.facets.get("autosys_job", {}).get("condition")),
        ("part of", _few(page.parents)),
        ("consists of", _few(page.children)),
        ("reads", _few(page.inputs)),
        ("writes", _few(page.outputs)),
        ("retired", card.retired_at and time(card.retired_at)),
        ("last seen", card.seen and f"scan {card.seen[0].last_scan}, {time(card.seen[0].last_at)} (UTC)"),
        ("seen in scans", ", ".join(f"{s.first_scan} to {s.last_scan}" for s in reversed(card.seen))),
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
    """Prints upstream above and downstream below. A node that repeats is shown as "NAME …", without its neighbours."""
    from rich.text import Text
    from rich.tree import Tree

    console = screen.out()
    ascii_only = not console.is_terminal
    names = {(node.type, node.id): node.name for node in (graph.start, *graph.nodes)}
    start = (graph.start.type, graph.start.id)
    for title, ahead in (("upstream", False), ("downstream", True)):
        neighbours = _neighbours(graph.edges, ahead=ahead)
        if start not in neighbours:
            continue
        tree, shown = Tree(Text(f"{names[start]} {title}", "bold"), hide_root=False), {start}
        waiting = [(tree, start)]
        while waiting:
            branch, key = waiting.pop()
            for other in sorted(neighbours.get(key, ()), key=lambda one: (names[one], one)):
                again = other in shown
                below = branch.add(Text(f"{names[other]} …" if again else names[other]))
                if not again:
                    shown.add(other)
                    waiting.append((below, other))
        console.print(tree, soft_wrap=ascii_only)
    if graph.cut:
        screen.err().print("the graph is too large and was cut: use a smaller --depth", markup=False)
    print_notes(graph.cycles, graph.look_alikes)


def print_impact(page: ImpactPage) -> None:
    lines = [
        (str(hit.depth), hit.node.type.lower(), hit.node.name, hit.node.owner_team, " → ".join(hit.path))
        for hit in page.hits.items
    ]
    print_hits(lines, ("depth", "kind", "name", "owner", "path"), page.total)
    print_notes(page.cycles, page.look_alikes)
    if page.hits.cursor:
        screen.err().print(f"more with --cursor {page.hits.cursor}", markup=False)


def print_columns(impact: ColumnImpact, limit: int) -> None:
    rows = [(str(h.depth), f"{h.dataset}.{h.column}", h.process, " → ".join(h.path)) for h in impact.hits[:limit]]
    print_hits(rows, ("depth", "column", "by process", "path"), len(impact.hits))
    print_notes(impact.cycles, impact.look_alikes)


def print_notes(cycles: Sequence[Cycle], look_alikes: Sequence[LookAlike]) -> None:
    """Prints cycles and similar names; both mean that the result above may be incomplete."""
    console = screen.out()
    for cycle in cycles:
        console.print(f"\ncycle of {cycle.total}: {_few(cycle.nodes)}", markup=False, soft_wrap=True)
    if look_alikes:
        console.print("\nsimilar names, which are other datasets and are not followed:")
        rows = [(alike.of, alike.dataset, ", ".join(alike.differs_by)) for alike in look_alikes]
        screen.print_table(console, ("dataset", "looks like", "differs by"), rows)


def _neighbours(edges: Sequence[Edge], *, ahead: bool) -> dict[tuple[NodeType, int], list[tuple[NodeType, int]]]:
    """Maps each node to its next nodes; a symlink counts in both directions."""
    neighbours: dict[tuple[NodeType, int], list[tuple[NodeType, int]]] = {}
    for edge in edges:
        ends = [(edge.source_type, edge.source_id), (edge.target_type, edge.target_id)]
        both = [ends, ends[::-1]] if edge.role == EdgeRole.SYMLINK else [ends if ahead else ends[::-1]]
        for source, target in both:
            neighbours.setdefault(source, []).append(target)
    return neighbours


def print_hits(rows: Sequence[tuple[object, ...]], columns: tuple[str, ...], total: int) -> None:
    if not rows:
        screen.out().print("the catalog has no dependency in this direction")
        return
    screen.print_table(screen.out(), columns, rows)
    screen.err().print(f"{len(rows)} of {total}", markup=False)


def _few(names: Sequence[str], most: int = 8) -> str:
    """The first names; --json has all of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _count(rows: int | None) -> str:
    return "rows not reported" if rows is None else f"{rows:,} rows"


def print_victims(impact: SchemaImpact) -> None:
    """The datasets that a change of columns breaks, and readers of which nobody reported the columns."""
    for title, total, victims in (
        ("breaks", impact.total, impact.broken),
        ("may break, since nobody reported which columns they read", impact.unclear_total, impact.unclear),
    ):
        if not total:
            continue
        screen.out().print(f"\n{title}: {number_of(total, 'dataset')} downstream", markup=False)
        rows = [(v.dataset, ", ".join(v.columns), ", ".join(v.because), v.owner_team, v.tier, v.depth) for v in victims]
        columns = ("dataset", "columns", "because of", "owner", "tier", "distance")
        screen.print_table(screen.out(), columns, rows)
        if total > len(victims):
            screen.out().print(f"and {total - len(victims)} more", markup=False)
