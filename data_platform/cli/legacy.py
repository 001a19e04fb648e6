"""``data-platform legacy …``: reads the JIL files of the legacy scheduler. Only --apply opens the catalog.

``run`` and ``forward``, for jobs that report their own runs, are in ``legacy_run``; ``process`` and ``dataset`` in
``legacy_register``; ``markers`` in ``markers``; ``compare``, for what jobs wrote, in ``legacy_compare``;
``spark-listener`` in ``spark_listener``.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import (
    legacy_compare,
    legacy_declare,
    legacy_register,
    legacy_run,
    markers,
    screen,
    spark_listener,
)
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.cli.legacy_apply import apply_scan, changes, summary
from data_platform.errors import UsageError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from data_platform.cli.legacy_declare import Declared
    from data_platform.legacy.jil.text import Source
    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.legacy import LegacyProcess, LegacyScan
    from data_platform.model.legacy_change import AppliedScan
    from data_platform.model.legacy_coverage import Coverage

app = typer.Typer(help="Jobs of the legacy scheduler.", no_args_is_help=True)
app.command()(legacy_run.run)
app.command()(legacy_run.forward)
app.command("spark-listener")(spark_listener.spark_listener)
app.command()(legacy_register.process)
app.command()(legacy_register.dataset)
app.command()(markers.markers)
app.command(epilog=legacy_compare.EXAMPLES)(legacy_compare.compare)
KINDS = {"CMD": ("command", "commands"), "BOX": ("box", "boxes"), "FW": ("file watcher", "file watchers")}

MappingFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Mapping files: which path is which dataset. [default: legacy in the policies]"
    ),
]
Apply = Annotated[bool, typer.Option("--apply", help="Store the scan, and show what changed since the last one.")]
RetireMany = Annotated[
    bool, typer.Option("--retire-many", help="With --apply: allow most registered jobs to be retired.")
]
Declare = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write watched files and jobs to a mapping file, for Dagster.")
]


@app.command()
def scan(
    files: Annotated[list[Path], typer.Argument(metavar="FILES…", help="All JIL files of one scheduler, in order.")],
    *,
    mapping: MappingFolder = None,
    apply: Apply = False,
    retire_many: RetireMany = False,
    declare: Declare = None,
    tree: Annotated[bool, typer.Option("--tree", help="Show the boxes with their jobs instead of a table.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Read JIL: jobs, boxes, dependencies, and everything that was not understood, with its file and line.

    Nothing is stored without --apply, which needs all files of the scheduler: a job in none of them is retired.
    Passwords are removed from what is shown and stored.

    Examples:

    data-platform legacy scan estate/*.jil

    data-platform legacy scan estate/*.jil --tree

    data-platform legacy scan estate/*.jil --json > estate.json

    data-platform legacy scan estate/*.jil --apply --declare policies/legacy/estate.yaml
    """
    with guarded(as_json=as_json, debug=debug):
        if retire_many and not apply:
            raise UsageError("--retire-many is an option of --apply: give both, or neither")
        if declare is not None:
            legacy_declare.check(declare)
        scanned = _scanned(files, legacy_declare.without(_mappings(mapping), declare))
        applied = apply_scan(scanned, retire_many=retire_many) if apply else None
        declared = legacy_declare.declare(scanned, declare) if declare is not None else None
        if as_json:
            _print_json(scanned, applied, declared)
            return
        _print(screen.out(), scanned, applied, as_tree=tree)
        if declared is not None:
            _print_declared(declared, declare)


def _scanned(files: Sequence[Path], mappings: dict[str, LegacyMapping]) -> LegacyScan:
    from data_platform.legacy.jil.scan import scan as scan_sources

    return scan_sources(_sources(files), mappings, today=datetime.now(UTC).date())


def _print_json(scanned: LegacyScan, applied: AppliedScan | None, declared: Declared | None) -> None:
    more = {"applied": screen.plain(applied) if applied else None, "declared": declared and declared._asdict()}
    screen.print_json(document(scanned) | {name: value for name, value in more.items() if value is not None})


def _print_declared(declared: Declared, file: Path | None) -> None:
    files_named = number_of(declared.watch_files, "watched file")
    line = f"declared: {files_named} and {number_of(declared.jobs, 'job')} in {file}"
    screen.out().print(line, markup=False, soft_wrap=True)


def document(scanned: LegacyScan) -> dict[str, Any]:
    """The scan as JSON, with the coverage report first, before thousands of jobs."""
    plain: dict[str, Any] = screen.plain(scanned)
    counted = {"statements": dict(scanned.coverage.statements), "gaps": len(scanned.coverage.gaps)}
    report = {**plain.pop("coverage"), **counted}
    return {"coverage": report, "boxes": screen.plain(scanned.boxes), **plain}


def _sources(files: Sequence[Path]) -> list[Source]:
    """Reads the files; a file that is named twice is read once.

    Raises:
        UsageError: Some files cannot be read; the message names all of them.
    """
    from data_platform.legacy.jil.text import Source

    sources, problems = [], []
    once: dict[Path, Path] = {}
    for path in files:
        once.setdefault(path.resolve(), path)
    for path in once.values():
        try:
            sources.append(Source(str(path), path.read_bytes()))
        except IsADirectoryError:
            problems.append(f"{path} is a folder; name its files, such as {path}/*.jil")
        except OSError as error:
            problems.append(f"{path} cannot be read: {error.strerror}")
    if problems:
        raise UsageError("; ".join(problems))
    return sources


def _mappings(folder: Path | None) -> dict[str, LegacyMapping]:
    from data_platform.policies import load_mappings
    from data_platform.settings import read_settings

    if folder is None:
        folder = read_settings().policies / "legacy"
        if not folder.is_dir():
            return {}
    return load_mappings(folder)


def _print(console: Console, scanned: LegacyScan, applied: AppliedScan | None, *, as_tree: bool) -> None:
    if applied is not None and applied.stored:
        screen.print_table(console, ("what", "process", "details"), list(changes(applied.difference)))
    elif applied is None and as_tree:
        from data_platform.legacy.diagram import tree

        for line in tree(scanned):
            console.print(screen.visible(line), markup=False, soft_wrap=True)
    elif applied is None and scanned.processes:
        columns = ("process", "kind", "owner", "machine", "starts", "waits for")
        screen.print_table(console, columns, [_row(process) for process in scanned.processes])
    if scanned.coverage.findings:
        console.print()
        rows = [(f"{f.file}:{f.line}" if f.line else f.file, _concern(f.concern.value, is_gap=f.concern.is_gap),
                 f.subject, f.text) for f in scanned.coverage.findings]  # fmt: skip
        screen.print_table(console, ("where", "about", "subject", "finding"), rows)
    console.print()
    for line in _summary(scanned):
        console.print(line, markup=False, soft_wrap=True)
    if applied is not None:
        console.print(summary(applied), markup=False, soft_wrap=True)


def _row(process: LegacyProcess) -> tuple[object, ...]:
    machines = ", ".join(process.machines)
    starts = process.schedule.starts if process.schedule else ""
    return process.key, process.kind, process.owner, machines, starts, process.condition


def _concern(name: str, *, is_gap: bool) -> object:
    return screen.styled(name, "yellow" if is_gap else "")


def _summary(scanned: LegacyScan) -> Iterator[str]:
    yield f"{number_of(len(scanned.processes), 'job')}: {_kinds(scanned)}"
    external = sum(edge.external for edge in scanned.edges)
    dangling = sum(edge.dangling for edge in scanned.edges)
    waits = number_of(len(scanned.edges), "dependency", "dependencies")
    yield f"{waits}: {external} on other instances, {dangling} on jobs that no file has"
    mapped = sum(dataset.mapped for dataset in scanned.datasets)
    datasets = number_of(len(scanned.datasets), "dataset")
    yield f"{datasets}: {mapped} named by mapping files, the rest by their paths"
    yield from _understood(scanned.coverage)


def _kinds(scanned: LegacyScan) -> str:
    counts = Counter(process.kind if process.kind in KINDS else "other" for process in scanned.processes)
    parts = [number_of(counts[kind], *words) for kind, words in KINDS.items() if counts[kind]]
    return ", ".join([*parts, *([f"{counts['other']} of other types"] if counts["other"] else [])]) or "none"


def _understood(coverage: Coverage) -> Iterator[str]:
    statements = sum(count for _, count in coverage.statements)
    files = number_of(len(coverage.files), "file")
    yield f"{number_of(statements, 'statement')} in {number_of(coverage.lines, 'line')} of {files}"
    attributes = f"{coverage.read} attributes were read, {coverage.kept} kept as they are, {coverage.unknown} unknown"
    yield f"{attributes}; {number_of(len(coverage.gaps), 'thing')} not understood"
