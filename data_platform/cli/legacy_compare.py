"""``data-platform legacy compare``: compares a legacy job's output with the certified version that will replace it."""

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
        Words,
        typer.Option(metavar="COLUMN,…", help="Columns that identify a row; by default the contract's unique columns."),
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl, parquet or delta; detected by default.")
    ] = None,
    delimiter: Annotated[str, typer.Option(metavar="CHARACTER", help="Of a CSV file.")] = ",",
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of a CSV file.")] = "utf-8",
    partition: Annotated[
        str | None, typer.Option("--partition", "-p", metavar="DAY", help="Compare only this day on both sides.")
    ] = None,
    map_: Annotated[Words, typer.Option("--map", metavar="LEGACY=NEW,…", help="Columns with another name.")] = None,
    ignore: Annotated[Words, typer.Option(metavar="COLUMN,…", help="Columns not to compare.")] = None,
    tolerance: Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Absolute, for numbers.")] = None,
    relative: Annotated[
        Words, typer.Option(metavar="[COLUMN=]N,…", help="Relative, for numbers, such as 1e-9.")
    ] = None,
    seconds: Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Tolerance for timestamps.")] = None,
    trim: Annotated[bool, typer.Option("--trim", help="Ignore white space around strings.")] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="Ignore case in strings.")] = False,
    empty_is_null: Annotated[bool, typer.Option("--empty-is-null", help="Treat an empty string as NULL.")] = False,
    allow: Annotated[str, typer.Option(metavar="PERCENT", help="Share of keys that may differ, such as 0.1%.")] = "0%",
    samples: Annotated[
        int, typer.Option(min=0, max=MOST_SAMPLES, help="How many differing keys to show, with values.")
    ] = 0,
    report: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write parity.md and parity.json there.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Compare a legacy job's output with the certified version of our dataset, row by row and column by column.

    Exit codes: 0 parity, or no more differences than --allow; 3 differences; 2 wrong use; 1 an error.
    Values of personal columns are never shown. Options with … may be given more than once.

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
            parity = compare_sides(platform, request, on_step)
        values = document(parity) | {"exit_code": DONE if parity.verdict.passed else HELD}
        if report is not None:
            _write(report, parity, values)
        if as_json:
            screen.print_json(values)
        else:
            _print(console, parity, report)
        raise typer.Exit(values["exit_code"])


def _place(path: str, named: str | None, *, delimiter: str, encoding: str) -> OutputPlace:
    from data_platform.parity.output import OutputFormat, OutputPlace, guess_format

    try:
        kind = OutputFormat(named.lower()) if named else guess_format(path)
    except ValueError:
        raise UsageError(f"--format {named} is not supported: expected {', '.join(OutputFormat)}") from None
    sign = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    return OutputPlace(path=path, format=kind, delimiter=sign, encoding=encoding)


def _renamed(pairs: Sequence[str]) -> dict[str, str]:
    renamed = {}
    for pair in pairs:
        old, equals, ours = (part.strip() for part in pair.partition("="))
        if not (old and equals and ours):
            raise UsageError(f"--map {pair}: expected legacy_name=new_name")
        if old in renamed:
            raise UsageError(f"--map {pair}: {old} is mapped twice")
        renamed[old] = ours
    return renamed


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
    """Shows the current step on a terminal while the comparison runs."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    off = not (shown and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=off) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda step: progress.update(task, description=step)


def _make_folder(folder: Path) -> None:
    """Checks the folder before the work, so that a long comparison does not fail at the end."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--report {folder} cannot be created: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"--report {folder} cannot be written to: name another folder")


def _write(folder: Path, report: ParityReport, values: dict[str, Any]) -> None:
    from data_platform.parity.markdown import markdown

    write_whole(folder / "parity.md", markdown(report))
    write_whole(folder / "parity.json", json.dumps(screen.plain(values), indent=2, ensure_ascii=False) + "\n")


def _print(console: Console, report: ParityReport, folder: Path | None) -> None:
    from data_platform.parity import markdown

    screen.print_table(console, ("what", "compared"), list(markdown.about(report)))
    console.print()
    screen.print_table(console, ("rows and keys", "count"), list(markdown.row_counts(report.rows)))
    different = [column for column in report.columns if column.different or column.within_tolerance]
    if different:
        console.print()
        screen.print_table(console, markdown.COLUMNS, [markdown.column_cells(column) for column in different])
    if report.samples:
        console.print()
        rows = [(markdown.sample_key(s), s.found, markdown.sample_values(s)) for s in report.samples]
        screen.print_table(console, ("key", "found", "values: legacy → new"), rows)
    console.print()
    console.print(f"{len(report.columns) - len(different)} of {len(report.columns)} columns are equal", markup=False)
    if folder is not None:
        console.print(f"the report is in {folder}", markup=False, soft_wrap=True)
    line = screen.styled(f"{report.verdict}", "green" if report.verdict.passed else "red")
    console.print(line.append(f": {report.sentence}", style="default"), soft_wrap=True)
