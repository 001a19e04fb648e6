"""``data-platform legacy compare``: a legacy job's output against the certified version that is to replace it."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.file import write_whole
from data_platform.cli.guard import DONE, HELD, AsJson, Debug, opened
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from data_platform.parity.output import OutputPlace
    from data_platform.parity.report import ParityReport
    from data_platform.parity.rule import Rules

MOST_SAMPLES = 100
Words = list[str] | None


def compare(
    *,
    legacy: Annotated[str, typer.Option(metavar="PATH", help="A file or folder that the legacy job wrote.")],
    new: Annotated[str, typer.Option(metavar="URN", help="Our dataset; its certified version is compared.")],
    keys: Annotated[
        Words, typer.Option(metavar="COLUMN,…", help="What names a row; else what the contract says is unique.")
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl, parquet or delta; else by what lies there.")
    ] = None,
    delimiter: Annotated[str, typer.Option(metavar="SIGN", help="Of CSV.")] = ",",
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of CSV.")] = "utf-8",
    partition: Annotated[
        str | None, typer.Option("--partition", "-p", metavar="DAY", help="Both sides of this day alone.")
    ] = None,
    map_: Annotated[Words, typer.Option("--map", metavar="LEGACY=NEW,…", help="Columns called otherwise.")] = None,
    ignore: Annotated[Words, typer.Option(metavar="COLUMN,…", help="Columns that are not compared.")] = None,
    tolerance: Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Of numbers, absolute.")] = None,
    relative: Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Of numbers, a share such as 1e-9.")] = None,
    seconds: Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Of timestamps.")] = None,
    trim: Annotated[bool, typer.Option("--trim", help="Without white space around texts.")] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="Texts in whatever case.")] = False,
    empty_is_null: Annotated[bool, typer.Option("--empty-is-null", help="An empty text is a NULL.")] = False,
    allow: Annotated[str, typer.Option(metavar="PERCENT", help="Of keys that may differ, such as 0.1%.")] = "0%",
    samples: Annotated[
        int, typer.Option(min=0, max=MOST_SAMPLES, help="Differing keys to show, with their values.")
    ] = 0,
    report: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write parity.md and parity.json there.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Compare a legacy job's output with the certified version of our dataset, row by row and column by column.

    Exit codes: 0 parity, or no more differences than --allow says; 3 differences; 2 wrong use; 1 an error.
    Personal columns are never shown. Options with … may be given more than once.

    Examples:

    data-platform legacy compare --legacy /data/out/orders.csv --new ds://sales/orders --keys id

    data-platform legacy compare --legacy out/ --new ds://sales/orders -p 2025-01-06 --tolerance amount=0.01 --trim

    data-platform legacy compare --legacy out/ --new ds://sales/orders --keys id --samples 5 --report parity/
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.parity.report import document
        from data_platform.parity.rule import split_words
        from data_platform.parity.run import ParityRequest
        from data_platform.parity.run import compare as compare_sides

        request = ParityRequest(
            output=_place(legacy, format_, delimiter=delimiter, encoding=encoding),
            dataset=new,
            keys=tuple(split_words(keys or ())),
            partition=partition,
            renamed=_renamed(split_words(map_ or ())),
            ignored=tuple(split_words(ignore or ())),
            rules=_rules(
                tolerance, relative, seconds, allow, trim=trim, ignore_case=ignore_case, empty_is_null=empty_is_null
            ),
            samples=samples,
        )
        if report is not None:
            _make_folder(report)
        console = screen.nowhere() if as_json else screen.out()
        with _progress(console, shown=not as_json) as on_step:
            found = compare_sides(platform, request, on_step)
        told = document(found) | {"exit_code": DONE if found.verdict.passed else HELD}
        if report is not None:
            _write(report, found, told)
        if as_json:
            screen.print_json(told)
        else:
            _print(console, found, report)
        raise typer.Exit(told["exit_code"])


def _place(path: str, named: str | None, *, delimiter: str, encoding: str) -> OutputPlace:
    from data_platform.parity.output import OutputFormat, OutputPlace, guess_format

    try:
        kind = OutputFormat(named.lower()) if named else guess_format(path)
    except ValueError:
        raise UsageError(f"--format {named} is not known; expected {', '.join(OutputFormat)}") from None
    sign = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    return OutputPlace(path=path, format=kind, delimiter=sign, encoding=encoding)


def _renamed(words: Sequence[str]) -> dict[str, str]:
    found = {}
    for word in words:
        old, equals, ours = (part.strip() for part in word.partition("="))
        if not (old and equals and ours):
            raise UsageError(f"--map {word}: expected legacy_name=new_name")
        if old in found:
            raise UsageError(f"--map {word}: {old} is mapped twice")
        found[old] = ours
    return found


def _rules(tolerance: Words, relative: Words, seconds: Words, allow: str, **texts: bool) -> Rules:
    from data_platform.parity.rule import Rules, Tolerance, parse_share

    return Rules(
        tolerance=Tolerance.parse("--tolerance", tolerance or ()),
        relative=Tolerance.parse("--relative", relative or ()),
        seconds=Tolerance.parse("--seconds", seconds or ()),
        allowed=parse_share("--allow", allow),
        **texts,
    )


@contextmanager
def _progress(console: Console, *, shown: bool) -> Iterator[Callable[[str], None]]:
    """What is being done, on a terminal and only while it lasts."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    off = not (shown and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=off) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda step: progress.update(task, description=step)


def _make_folder(folder: Path) -> None:
    """Before the work, so that a night's comparison does not end in a folder that cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--report {folder} cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--report {folder} cannot be written to: name another folder")


def _write(folder: Path, report: ParityReport, told: dict[str, Any]) -> None:
    from data_platform.parity.markdown import markdown

    write_whole(folder / "parity.md", markdown(report))
    write_whole(folder / "parity.json", json.dumps(screen.plain(told), indent=2, ensure_ascii=False) + "\n")


def _print(console: Console, report: ParityReport, folder: Path | None) -> None:
    from data_platform.parity import markdown as told

    screen.print_table(console, ("what", "compared"), list(told.about(report)))
    console.print()
    screen.print_table(console, ("rows and keys", "count"), list(told.row_counts(report.rows)))
    apart = [column for column in report.columns if column.different or column.within_tolerance]
    if apart:
        console.print()
        screen.print_table(console, told.COLUMNS, [told.column_cells(column) for column in apart])
    if report.samples:
        console.print()
        rows = [(told.sample_key(s), s.found, told.sample_values(s)) for s in report.samples]
        screen.print_table(console, ("key", "found", "values: legacy → new"), rows)
    console.print()
    console.print(f"{len(report.columns) - len(apart)} of {len(report.columns)} columns are equal", markup=False)
    if folder is not None:
        console.print(f"the report is in {folder}", markup=False, soft_wrap=True)
    line = screen.styled(f"{report.verdict}", "green" if report.verdict.passed else "red")
    console.print(line.append(f": {report.sentence}", style="default"), soft_wrap=True)
