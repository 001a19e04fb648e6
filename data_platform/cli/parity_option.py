"""The options of ``data-platform legacy compare``, and the request that they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.parity.output import OutputPlace
    from data_platform.parity.rule import Rules
    from data_platform.parity.run import ParityRequest

MOST_SAMPLES = 100
Words = list[str] | None

Legacy = Annotated[str, typer.Option(metavar="PATH", help="A file or folder that the legacy job wrote.")]
New = Annotated[str, typer.Option(metavar="URN", help="Our dataset; its certified version is compared.")]
Keys = Annotated[
    Words,
    typer.Option(metavar="COLUMN,…", help="Columns that identify a row; by default the contract's unique columns."),
]
Format = Annotated[str | None, typer.Option("--format", help="csv, jsonl, parquet or delta; detected by default.")]
Delimiter = Annotated[str, typer.Option(metavar="CHARACTER", help="Of a CSV file.")]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Of a CSV file.")]
Partition = Annotated[
    str | None, typer.Option("--partition", "-p", metavar="DAY", help="Compare only this day on both sides.")
]
Map = Annotated[Words, typer.Option("--map", metavar="LEGACY=NEW,…", help="Columns with another name.")]
Ignore = Annotated[Words, typer.Option(metavar="COLUMN,…", help="Columns not to compare.")]
AbsoluteTolerance = Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Absolute, for numbers.")]
RelativeTolerance = Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Relative, for numbers, such as 1e-9.")]
TimeTolerance = Annotated[Words, typer.Option(metavar="[COLUMN=]N,…", help="Tolerance for timestamps.")]
Trim = Annotated[bool, typer.Option("--trim", help="Ignore white space around strings.")]
IgnoreCase = Annotated[bool, typer.Option("--ignore-case", help="Ignore case in strings.")]
EmptyIsNull = Annotated[bool, typer.Option("--empty-is-null", help="Treat an empty string as NULL.")]
Allow = Annotated[str, typer.Option(metavar="PERCENT", help="Share of keys that may differ, such as 0.1%.")]
Samples = Annotated[int, typer.Option(min=0, max=MOST_SAMPLES, help="How many differing keys to show, with values.")]
Report = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write parity.md and parity.json there.")]


def parity_request(
    output: OutputPlace,
    dataset: str,
    keys: Words,
    partition: str | None,
    renamed: Words,
    ignored: Words,
    rules: Rules,
    samples: int,
) -> ParityRequest:
    """Raises: UsageError, if ``renamed`` are not pairs such as ``legacy_name=new_name``."""
    from data_platform.parity.rule import split_words
    from data_platform.parity.run import ParityRequest

    return ParityRequest(
        output=output,
        dataset=dataset,
        keys=tuple(split_words(keys or ())),
        partition=partition,
        renamed=_renamed(split_words(renamed or ())),
        ignored=tuple(split_words(ignored or ())),
        rules=rules,
        samples=samples,
    )


def output_place(path: str, named: str | None, *, delimiter: str, encoding: str) -> OutputPlace:
    """Raises: UsageError, if the format is not supported, or cannot be detected."""
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


def comparison_rules(tolerance: Words, relative: Words, seconds: Words, allow: str, **texts: bool) -> Rules:
    """Raises: UsageError, if a tolerance is not a number, or ``allow`` not a percentage."""
    from data_platform.parity.rule import Rules, Tolerance, parse_share

    return Rules(
        tolerance=Tolerance.parse("--tolerance", tolerance or ()),
        relative=Tolerance.parse("--relative", relative or ()),
        seconds=Tolerance.parse("--seconds", seconds or ()),
        allowed=parse_share("--allow", allow),
        **texts,
    )
