"""``data-platform legacy compare``: compares a legacy job's output with the certified version that will replace it.

``parity_option`` declares its options.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import TYPE_CHECKING, Any

import typer

from data_platform.cli import parity_option as option
from data_platform.cli import screen
from data_platform.cli.file import write_whole
from data_platform.cli.guard import DONE, HELD, AsJson, Debug, opened
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from data_platform.installation import Platform
    from data_platform.parity.report import ParityReport
    from data_platform.parity.run import ParityRequest

EXAMPLES = """Examples:

data-platform legacy compare --legacy /data/out/orders.csv --new ds://sales/orders --keys id

data-platform legacy compare --legacy out/ --new ds://sales/orders -p 2025-01-06 --tolerance amount=0.01 --trim

data-platform legacy compare --legacy out/ --new ds://sales/orders --keys id --samples 5 --report parity/
"""


def compare(
    *,
    legacy: option.Legacy,
    new: option.New,
    keys: option.Keys = None,
    format_: option.Format = None,
    delimiter: option.Delimiter = ",",
    encoding: option.Encoding = "utf-8",
    partition: option.Partition = None,
    map_: option.Map = None,
    ignore: option.Ignore = None,
    tolerance: option.AbsoluteTolerance = None,
    relative: option.RelativeTolerance = None,
    seconds: option.TimeTolerance = None,
    trim: option.Trim = False,
    ignore_case: option.IgnoreCase = False,
    empty_is_null: option.EmptyIsNull = False,
    allow: option.Allow = "0%",
    samples: option.Samples = 0,
    report: option.Report = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Compare a legacy job's output with the certified version of our dataset, row by row and column by column.

    Exit codes: 0 parity, or no more differences than --allow; 3 differences; 2 wrong use; 1 an error.
    Values of personal columns are never shown. Options with … may be given more than once.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        output = option.output_place(legacy, format_, delimiter=delimiter, encoding=encoding)
        rules = option.comparison_rules(
            tolerance, relative, seconds, allow, trim=trim, ignore_case=ignore_case, empty_is_null=empty_is_null
        )
        request = option.parity_request(output, new, keys, partition, map_, ignore, rules, samples)
        parity = _compared(platform, request, report, as_json=as_json)
        raise typer.Exit(DONE if parity.verdict.passed else HELD)


def _compared(platform: Platform, request: ParityRequest, folder: Path | None, *, as_json: bool) -> ParityReport:
    """Compares both sides, prints the report, and writes it to ``folder``."""
    from data_platform.parity.report import document
    from data_platform.parity.run import compare as compare_sides

    if folder is not None:
        _make_folder(folder)
    console = screen.nowhere() if as_json else screen.out()
    with _progress(console, shown=not as_json) as on_step:
        parity = compare_sides(platform, request, on_step)
    values = document(parity) | {"exit_code": DONE if parity.verdict.passed else HELD}
    if folder is not None:
        _write(folder, parity, values)
    if as_json:
        screen.print_json(values)
    else:
        _print(console, parity, folder)
    return parity


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
