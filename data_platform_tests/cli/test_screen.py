"""A table is whole lines in a pipe, and never cuts a name on a terminal; colours are for terminals only."""

import io
import os

import pytest

from data_platform.cli import screen

COLUMNS = ("table", "why")
LONG = "quarantine.flights_20250107_run_bbbbbbbbbbbb_bronze"
ROWS = [(LONG, "SCHEMA_BREAK:distance:INT→STRING " * 9), (screen.styled("short", "red"), None)]


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, columns: int = 80, **environment: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": str(columns), **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", stream)
    screen.print_table(screen.out(), COLUMNS, ROWS)
    return stream.getvalue()


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"COLUMNS": "40"}], ids=str)
def test_in_a_pipe_a_row_is_one_line_without_colours_or_trailing_spaces(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    text = printed(monkeypatch, io.StringIO(), **environment)

    assert text.splitlines() == [
        "table".ljust(len(LONG)) + "  why",
        f"{LONG}  {ROWS[0][1]}".rstrip(),
        "short",
    ]


def test_a_wide_terminal_shows_a_table_without_broken_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, Terminal(), columns=100, NO_COLOR="1").splitlines()

    assert sum(LONG in line for line in lines) == 1
    assert sum(line.count("SCHEMA_BREAK:distance:INT→STRING") for line in lines) == 9
    assert max(len(line) for line in lines[1:]) <= 100


def test_a_terminal_that_is_too_narrow_shows_a_line_for_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, Terminal(), columns=60, TERM="dumb")

    assert f"table  {LONG}\n" in text
    assert text.endswith("\n\ntable  short\n")  # an empty cell has no line


def test_a_terminal_has_colours_unless_they_are_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    red = "\x1b[31m"

    assert red in printed(monkeypatch, Terminal())
    assert red not in printed(monkeypatch, Terminal(), NO_COLOR="1")


def test_what_looks_like_markup_or_a_picture_is_printed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["PII:EMAIL:note", "MISSING_FIELD:id:x", "PATTERN:[a-z]:[/red]"]

    for stream in (io.StringIO(), Terminal()):
        monkeypatch.setattr("sys.stdout", stream)
        screen.print_table(screen.out(), ("why",), [(text,) for text in texts])
        assert [line.strip() for line in stream.getvalue().splitlines()[1:]] == texts


def test_a_reader_that_goes_away_ends_what_is_printed_and_nothing_else() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        console = screen.of_run(pipe)

        console.print("bronze passed")
        console.print("silver passed")

        assert console.quiet


def test_a_table_without_rows_is_one_line_that_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    screen.print_table(screen.out(), COLUMNS, [], empty="no [table] matches")

    assert capsys.readouterr().out == "no [table] matches\n"
