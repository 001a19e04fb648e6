"""``data-platform catalog …``: search, archive, DDL, and the commands of other modules. None of them starts Spark."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import lineage, registration, screen
from data_platform.cli.emit import emit
from data_platform.cli.guard import AsJson, Cursor, Debug, guarded, opened
from data_platform.cli.move import move
from data_platform.errors import InputError
from data_platform.model.ddl import DdlDialect  # noqa: TC001 - typer reads it
from data_platform.model.lineage import NodeType  # noqa: TC001 - as above
from data_platform.model.search import SearchRequest

if TYPE_CHECKING:
    from data_platform.model.search import SearchPage

app = typer.Typer(help="Search the catalog, show lineage, register datasets, archive old runs.", no_args_is_help=True)
app.command()(lineage.show)
app.command(name="lineage")(lineage.lineage)
app.command()(lineage.impact)
app.command()(lineage.diff)
app.command()(registration.register)
app.command()(registration.registrations)
app.command()(registration.approve)
app.command()(registration.reject)
app.command()(emit)
app.command()(move)

_DAYS = {"d": 1, "w": 7}
_AGE = re.compile(r"([1-9]\d{0,4})([dw])")


@app.command()
def search(
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help="Names or parts of them.")] = None,
    *,
    kind: Annotated[NodeType | None, typer.Option(help="DATASET or PROCESS.", case_sensitive=False)] = None,
    team: Annotated[str | None, typer.Option(help="Team of the owners.")] = None,
    category: Annotated[str | None, typer.Option(help="Category of the dataset.")] = None,
    status: Annotated[str | None, typer.Option(help="DRAFT, ACTIVE or DEPRECATED.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable; a hit has all of them.")] = None,
    column: Annotated[list[str] | None, typer.Option(help="Repeatable; a hit has all of them.")] = None,
    internal: Annotated[
        bool, typer.Option("--all", help="Include stages, their jobs, and drafts that are not approved.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Hits per page.")] = 20,
    cursor: Cursor = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Search datasets and processes, best match first; without words, list all that match the options."""
    with opened(as_json=as_json, debug=debug) as platform:
        request = SearchRequest(
            text=" ".join(words or ()),
            kind=kind,
            team=team,
            category=category,
            status=status,
            tags=tuple(tag or ()),
            columns=tuple(column or ()),
            internal=internal,
            limit=limit,
            cursor=cursor,
        )
        page = platform.catalog.registry.search(request)
        if as_json:
            screen.print_json(page)
        else:
            _print_hits(page)


@app.command()
def archive(
    *,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="In days or weeks, such as 90d or 13w.")
    ],
    folder: Annotated[str | None, typer.Option(metavar="DIR", help="For the files; <home>/archive by default.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Move older runs and events to Parquet files. It can be stopped at any time and started again."""
    with opened(as_json=as_json, debug=debug) as platform:
        age = read_age(older_than)
        place = Path(folder) if folder is not None else platform.settings.home / "archive"
        on_step = None if as_json else _print_progress
        report = platform.catalog.registry.archive(older_than=age, folder=place, now=platform.now(), progress=on_step)
        if as_json:
            screen.print_json(report)
            return
        moved = f"{report.runs} runs and {report.events} events from before {report.limit:%Y-%m-%d %H:%M} UTC"
        screen.out().print(f"{moved} are in {len(report.files)} files in {place}", markup=False)
        if report.changed:
            screen.out().print(
                f"{report.changed} runs were not archived, since new events of them arrived: archive again"
            )


@app.command()
def ddl(
    *,
    dialect: Annotated[DdlDialect, typer.Option(help="SQL dialect.", case_sensitive=False)],
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print the catalog's tables as DDL. A catalog on SQLite or PostgreSQL creates its tables itself."""
    with guarded(as_json=as_json, debug=debug):
        from data_platform.catalog.ddl import statements

        if as_json:
            screen.print_json({"dialect": dialect, "statements": list(statements(dialect))})
            return
        for statement in statements(dialect):
            typer.echo(f"{statement};\n")


def read_age(text: str, option: str = "--older-than") -> timedelta:
    """Raises: InputError, if the text is not an age such as 90d or 13w."""
    match = _AGE.fullmatch(text)
    if match is None:
        raise InputError(option, "not an age: expected days or weeks, such as 90d or 13w")
    return timedelta(days=int(match[1]) * _DAYS[match[2]])


def _print_hits(page: SearchPage) -> None:
    for term, synonyms in page.read_as.items():
        screen.err().print(f"{term} was also read as {', '.join(synonyms)}", markup=False)
    rows = [
        (hit.kind, hit.reference, hit.team, hit.status, hit.found_in, ", ".join(hit.columns), _short(hit.description))
        for hit in page.hits
    ]
    columns = ("kind", "name", "team", "status", "found in", "columns", "description")
    screen.print_table(screen.out(), columns, rows, empty="nothing found")
    screen.print_cursor(page.cursor)


def _short(text: str) -> str:
    first = (text.splitlines() or [""])[0]
    return first if len(first) <= 80 else f"{first[:79]}…"


def _print_progress(step: str, counts: dict[str, Any]) -> None:
    if step == "committed":
        line = f"{counts['day']}: {counts['runs']} runs and {counts['events']} events so far"
        screen.err().print(line, markup=False)
