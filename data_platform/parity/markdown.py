"""Renders the report as a page of Markdown, for a ticket or a sign-off."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.parity.report import ColumnParity, Duplicates, ParityReport, RowParity, Sample

COLUMNS = (
    "column", "legacy", "new", "different", "within tolerance", "NULL in legacy", "NULL in new", "unreadable",
    "max difference", "mean difference", "largest relative",
)  # fmt: skip
"""The headings of the column table, in the order of ``column_cells``."""


def markdown(report: ParityReport) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ParityReport) -> Iterator[str]:
    yield f"# {report.verdict}: {report.new.urn}{f' {report.partition}' if report.partition else ''}"
    yield f"\n{_text(report.sentence)}\n"
    yield from _table(("", ""), list(about(report)))
    yield "\n## Rows\n"
    yield from _table(("rows and keys", "count"), list(row_counts(report.rows)))
    yield "\n## Columns\n"
    yield from _table(COLUMNS, [column_cells(column) for column in report.columns])
    if report.samples:
        yield "\n## Samples\n"
        yield from _table(("key", "found", "values: legacy → new"), [_sample(sample) for sample in report.samples])


def about(report: ParityReport) -> Iterator[tuple[str, str]]:
    """Yields what was compared, and how, as pairs of label and text."""
    legacy, new = report.legacy, report.new
    files = f", {legacy.files} files" if legacy.files is not None else ""
    version = f", version {legacy.version}" if legacy.version is not None else ""
    yield "legacy", f"{legacy.path} ({legacy.format}{files}{version})"
    certified = f", certified {new.certified_at:%Y-%m-%d %H:%M:%S} UTC" if new.certified_at else ""
    yield "new", f"{new.urn} v{new.version}{certified}"
    if report.partition:
        yield "partition", report.partition
    yield "keys", ", ".join(report.keys)
    rules = [name if value is True else f"{name}={value}" for name, value in report.rules.items()]
    yield "rules", ", ".join(rules) or "exact"
    for name, text in (
        ("renamed", ", ".join(f"{old} → {ours}" for old, ours in report.renamed.items())),
        ("only in legacy", ", ".join(report.only_in_legacy)),
        ("only in new", ", ".join(report.only_in_new)),
        ("not comparable", ", ".join(f"{c.name} ({c.legacy_type}, {c.new_type})" for c in report.incomparable)),
        ("ignored", ", ".join(report.ignored)),
        ("personal, never shown", ", ".join(column.name for column in report.columns if column.personal)),
    ):
        if text:
            yield name, text
    yield "compared at", f"{report.compared_at:%Y-%m-%d %H:%M:%S} UTC"


def row_counts(rows: RowParity) -> Iterator[tuple[str, str]]:
    """Yields the counts: first those that are always shown, then those that are not zero."""
    yield "rows in legacy", f"{rows.legacy}"
    yield "rows in new", f"{rows.new}"
    yield "keys equal", f"{rows.equal}"
    yield "keys different", f"{rows.different}"
    yield "keys only in legacy", f"{rows.only_in_legacy}"
    yield "keys only in new", f"{rows.only_in_new}"
    for name, count in (
        ("keys within tolerance", f"{rows.within_tolerance or ''}"),
        ("keys duplicated", f"{rows.duplicated or ''}"),
        ("… in legacy", _duplicates(rows.duplicated_in_legacy)),
        ("… in new", _duplicates(rows.duplicated_in_new)),
        ("legacy rows without a readable key", f"{rows.unreadable_key or ''}"),
        ("legacy records that cannot be read", f"{rows.malformed or ''}"),
    ):
        if count:
            yield name, count


def column_cells(column: ColumnParity) -> tuple[str, ...]:
    """Returns the cells of one column; zeros and unknown values are empty, so that the others stand out."""
    counts = (column.within_tolerance, column.null_in_legacy, column.null_in_new, column.unreadable)
    sizes = (column.max_difference, column.mean_difference, column.max_relative_difference)
    return (
        column.name,
        column.legacy_type.upper(),
        column.new_type.upper(),
        f"{column.different}",
        *(f"{count or ''}" for count in counts),
        *("" if size is None else f"{size:.6g}" for size in sizes),
    )


def sample_values(sample: Sample) -> str:
    return ", ".join(f"{name}: {_null(old)} → {_null(new)}" for name, (old, new) in sample.values.items())


def sample_key(sample: Sample) -> str:
    return ", ".join(f"{name}={_null(value)}" for name, value in sample.key.items())


def _sample(sample: Sample) -> tuple[str, str, str]:
    return sample_key(sample), sample.found, sample_values(sample)


def _duplicates(duplicates: Duplicates) -> str:
    return f"{duplicates.keys} keys in {duplicates.rows} rows" if duplicates.keys else ""


def _null(value: str | None) -> str:
    return "NULL" if value is None else value


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(map(_text, row))} |"


def _text(value: str) -> str:
    """Escapes ``value`` so that Markdown shows it unchanged on one line of a table."""
    shown = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in value)
    for sign, spelt in (("\\", "\\\\"), ("|", "\\|"), ("`", "\\`"), ("*", "\\*"), ("<", "&lt;")):
        shown = shown.replace(sign, spelt)
    return shown
