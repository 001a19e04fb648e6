"""Prints text for people, or one JSON document for programs.

In a pipe there are no colours, and a row of a table is one line, however long, so that ``grep`` and ``awk`` get whole
rows. On a terminal, a table too narrow for its longest names is printed as records, one line per cell.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TextIO

from data_platform.model.plain_json import plain as plain  # commands use it by this name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

GAP = 2


def out() -> Console:
    return _console(sys.stdout)


def err() -> Console:
    return _console(sys.stderr)


def of_run(stream: TextIO | None = None) -> Console:
    """The console for a run's output. If the reader of the pipe goes away, printing stops and the run continues."""
    from data_platform.cli.pipe_safe_console import LastingConsole

    return _console(stream or sys.stdout, LastingConsole)


def nowhere() -> Console:
    """A console that prints nothing, for text output when JSON was requested."""
    from rich.console import Console

    return Console(quiet=True)


def print_message(step: str, details: dict[str, Any]) -> None:  # noqa: ARG001 - a listener's signature
    """Prints what a run waits for and what it has freed to standard error, since JSON goes to standard output."""
    if details.get("message"):
        of_run(sys.stderr).print(str(details["message"]), markup=False, soft_wrap=True)


def announce(text: str) -> None:
    """Prints a line on a terminal at once, before slow imports. Prints nothing in a pipe or a log."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def on(stream: TextIO) -> Console:
    return _console(stream)


def _console(stream: TextIO, kind: type[Console] | None = None) -> Console:
    from rich.console import Console

    terminal = stream.isatty()
    return (kind or Console)(
        file=stream,
        force_terminal=None if terminal else False,
        soft_wrap=not terminal,
        highlight=False,
        emoji=False,  # rich would replace part of PII:EMAIL:note by an envelope
    )


def styled(text: object, style: str) -> Text:
    from rich.text import Text

    return Text(str(text), style)


def visible(value: object) -> str:
    """``value`` in one line, with control characters escaped: delivered data can hold terminal sequences."""
    text = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def print_table(console: Console, columns: Sequence[str], rows: Sequence[Sequence[object]], *, empty: str = "") -> None:
    """Prints a table, or the line ``empty`` in place of one without rows.

    A cell is plain text or ``styled`` text; None is an empty cell.
    """
    if empty and not rows:
        console.print(empty, markup=False)
        return
    cells = [[_cell(value) for value in row] for row in rows]
    if not console.is_terminal:
        _print_lines(console, columns, cells)
    elif _narrowest(columns, cells) > console.width:
        _print_records(console, columns, cells)
    else:
        console.print(_table(columns, cells))


def print_json(value: Any) -> None:
    """Prints one JSON document to standard output."""
    sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_cursor(cursor: str | None) -> None:
    """Prints how to get the next page, if there is one."""
    if cursor is not None:
        err().print(f"there is more: --cursor {cursor}", markup=False, soft_wrap=True)


def _cell(value: object) -> Text:
    from rich.text import Text

    return value if isinstance(value, Text) else Text("" if value is None else visible(value))


def _narrowest(columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> int:
    """The smallest width at which no word is cut."""
    from rich.text import Text

    longest = (
        max(word.cell_len for text in (name, *(row[place].plain for row in cells)) for word in _words(Text(text)))
        for place, name in enumerate(columns)
    )
    return sum(longest) + GAP * (len(columns) - 1)


def _words(text: Text) -> list[Text]:
    return list(text.split(" ", allow_blank=True)) or [text]


def _table(columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold", expand=False)
    for place, name in enumerate(columns):
        one_word = all(" " not in row[place].plain for row in cells)
        table.add_column(name, overflow="fold", no_wrap=one_word)
    for row in cells:
        table.add_row(*row)
    return table


def _print_lines(console: Console, columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> None:
    from rich.cells import cell_len, set_cell_size

    lines = [list(columns), *([cell.plain for cell in row] for row in cells)]
    widths = [max(cell_len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        padded = (set_cell_size(text, width) for text, width in zip(line, widths, strict=True))
        console.print((" " * GAP).join(padded).rstrip(), markup=False)


def _print_records(console: Console, columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> None:
    from rich.text import Text

    width = max(len(name) for name in columns) + GAP
    for number, row in enumerate(cells):
        if number:
            console.print()
        for name, cell in zip(columns, row, strict=True):
            if cell.plain:
                console.print(Text.assemble((f"{name:<{width}}", "bold"), cell), soft_wrap=True)
