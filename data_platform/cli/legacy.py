"""``data-platform legacy …``: what the legacy scheduler's own files say. The catalog is opened only to apply it.

``run`` and ``forward``, of jobs that tell of themselves, are in ``telling``, ``process`` and ``dataset`` in
``registering``, ``markers`` in its own; ``compare``, of what jobs wrote, is in ``comparing``.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import legacy_compare, legacy_declare, legacy_register, legacy_run, markers, screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.cli.legacy_apply import changes, keep, told
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from data_platform.legacy.jil.text import Source
    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.legacy import Coverage, LegacyProcess, LegacyScan
    from data_platform.model.legacy_change import AppliedScan

app = typer.Typer(help="Jobs of the legacy scheduler.", no_args_is_help=True)
app.command()(legacy_run.run)
app.command()(legacy_run.forward)
app.command()(legacy_register.process)
app.command()(legacy_register.dataset)
app.command()(markers.markers)
app.command()(legacy_compare.compare)
KINDS = {"CMD": ("command", "commands"), "BOX": ("box", "boxes"), "FW": ("file watcher", "file watchers")}


@app.command()
def scan(
    files: Annotated[list[Path], typer.Argument(metavar="FILES…", help="All JIL files of one scheduler, in order.")],
    *,
    mapping: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Files that say what is which dataset. [default: legacy in the policies]"),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Store it, and show what is new since the last time.")] = False,
    retire_many: Annotated[
        bool, typer.Option("--retire-many", help="With --apply: most known jobs may be missing.")
    ] = False,
    declare: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write files and jobs as a mapping file, for Dagster.")
    ] = None,
    tree: Annotated[bool, typer.Option("--tree", help="Show the boxes with their jobs instead of a table.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Read JIL: jobs, boxes, what waits for what, and every word that was not understood, with its file and line.

    Nothing is stored without --apply, which needs all files of the scheduler: a job in none of them is retired.
    Passwords are taken out of what is shown and stored.

    Examples:

    data-platform legacy scan estate/*.jil

    data-platform legacy scan estate/*.jil --tree

    data-platform legacy scan estate/*.jil --json > estate.json

    data-platform legacy scan estate/*.jil --apply --declare policies/legacy/estate.yaml
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.legacy.jil.scan import scan as scan_sources

        if retire_many and not apply:
            raise UsageError("--retire-many says something of --apply; give both, or neither")
        if declare is not None:
            legacy_declare.check(declare)
        mappings = legacy_declare.without(_mappings(mapping), declare)
        found = scan_sources(_sources(files), mappings, today=datetime.now(UTC).date())
        applied = keep(found, retire_many=retire_many) if apply else None
        declared = legacy_declare.declare(found, declare) if declare is not None else None
        if as_json:
            more = {"applied": screen.plain(applied) if applied else None, "declared": declared and declared._asdict()}
            screen.print_json(document(found) | {name: value for name, value in more.items() if value is not None})
            return
        _print(screen.out(), found, applied, as_tree=tree)
        if declared is not None:
            files_named = _number(declared.watch_files, "watched file", "watched files")
            told_of = f"declared: {files_named} and {_number(declared.jobs, 'job', 'jobs')} in {declare}"
            screen.out().print(told_of, markup=False, soft_wrap=True)


def document(found: LegacyScan) -> dict[str, Any]:
    """The scan as JSON's own kinds; its report first, so that a reader meets it before ten thousand jobs."""
    plain: dict[str, Any] = screen.plain(found)
    counted = {"statements": dict(found.coverage.statements), "gaps": len(found.coverage.gaps)}
    report = {**plain.pop("coverage"), **counted}
    return {"coverage": report, "boxes": screen.plain(found.boxes), **plain}


def _sources(files: Sequence[Path]) -> list[Source]:
    """A file that is named twice is read once.

    Raises:
        UsageError: Files that cannot be read, all of them.
    """
    from data_platform.legacy.jil.text import Source

    found, problems = [], []
    once: dict[Path, Path] = {}
    for path in files:
        once.setdefault(path.resolve(), path)
    for path in once.values():
        try:
            found.append(Source(str(path), path.read_bytes()))
        except IsADirectoryError:
            problems.append(f"{path} is a folder; name its files, such as {path}/*.jil")
        except OSError as error:
            problems.append(f"{path} cannot be read: {error.strerror}")
    if problems:
        raise UsageError("; ".join(problems))
    return found


def _mappings(folder: Path | None) -> dict[str, LegacyMapping]:
    from data_platform.policies import load_mappings
    from data_platform.settings import read_settings

    if folder is None:
        folder = read_settings().policies / "legacy"
        if not folder.is_dir():
            return {}
    return load_mappings(folder)


def _print(console: Console, found: LegacyScan, applied: AppliedScan | None, *, as_tree: bool) -> None:
    if applied is not None and applied.stored:
        screen.print_table(console, ("what", "process", "details"), list(changes(applied.difference)))
    elif applied is None and as_tree:
        from data_platform.legacy.diagram import tree

        for line in tree(found):
            console.print(screen.visible(line), markup=False, soft_wrap=True)
    elif applied is None and found.processes:
        columns = ("process", "kind", "owner", "machine", "starts", "waits for")
        screen.print_table(console, columns, [_row(process) for process in found.processes])
    if found.coverage.findings:
        console.print()
        rows = [(f"{f.file}:{f.line}" if f.line else f.file, _concern(f.concern.value, is_gap=f.concern.is_gap),
                 f.subject, f.text) for f in found.coverage.findings]  # fmt: skip
        screen.print_table(console, ("where", "about", "subject", "finding"), rows)
    console.print()
    for line in _summary(found):
        console.print(line, markup=False, soft_wrap=True)
    if applied is not None:
        console.print(told(applied), markup=False, soft_wrap=True)


def _row(process: LegacyProcess) -> tuple[object, ...]:
    machines = ", ".join(process.machines)
    starts = process.schedule.starts if process.schedule else ""
    return process.key, process.kind, process.owner, machines, starts, process.condition


def _concern(word: str, *, is_gap: bool) -> object:
    return screen.styled(word, "yellow" if is_gap else "")


def _summary(found: LegacyScan) -> Iterator[str]:
    yield f"{_number(len(found.processes), 'job', 'jobs')}: {_kinds(found)}"
    external = sum(edge.external for edge in found.edges)
    dangling = sum(edge.dangling for edge in found.edges)
    waits = _number(len(found.edges), "dependency", "dependencies")
    yield f"{waits}: {external} on other instances, {dangling} on jobs that no file has"
    mapped = sum(dataset.mapped for dataset in found.datasets)
    datasets = _number(len(found.datasets), "dataset", "datasets")
    yield f"{datasets}: {mapped} named by mapping files, the rest by their paths"
    yield from _understood(found.coverage)


def _kinds(found: LegacyScan) -> str:
    counts = Counter(process.kind if process.kind in KINDS else "other" for process in found.processes)
    parts = [_number(counts[kind], *words) for kind, words in KINDS.items() if counts[kind]]
    return ", ".join([*parts, *([f"{counts['other']} of other types"] if counts["other"] else [])]) or "none"


def _understood(coverage: Coverage) -> Iterator[str]:
    statements = sum(count for _, count in coverage.statements)
    files = _number(len(coverage.files), "file", "files")
    yield f"{_number(statements, 'statement', 'statements')} in {_number(coverage.lines, 'line', 'lines')} of {files}"
    told = f"{coverage.read} attributes were read, {coverage.kept} are kept as they are, {coverage.unknown} not known"
    yield f"{told}; {_number(len(coverage.gaps), 'thing', 'things')} not understood"


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
