"""``data-platform catalog …``: find, register, decide, archive. None of it opens Spark.

Whoever may open the catalog's database may do everything here, so that commands are recorded as an administrator's.
"""

from __future__ import annotations

import getpass
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import lineage, screen
from data_platform.cli.emit import emit
from data_platform.cli.guard import AsJson, Debug, guarded, opened
from data_platform.cli.move import move
from data_platform.errors import InputError, UsageError
from data_platform.model.ddl import DdlDialect  # noqa: TC001 - typer reads it
from data_platform.model.lineage import Name, NodeType
from data_platform.model.registration import Actor, RegistrationRequest, RegistrationStatus
from data_platform.model.search import SearchRequest

if TYPE_CHECKING:
    from data_platform.model.registration import RegistrationEntry
    from data_platform.model.search import SearchPage

app = typer.Typer(help="What there is: find it, register it, decide on it, archive what is old.", no_args_is_help=True)
app.command()(lineage.show)
app.command(name="lineage")(lineage.lineage)
app.command()(lineage.impact)
app.command()(lineage.diff)
app.command()(emit)
app.command()(move)

_DAYS = {"d": 1, "w": 7}
_AGE = re.compile(r"([1-9]\d{0,4})([dw])")

By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it; this machine's user if left out.")]
Comment = Annotated[str, typer.Option("--comment", help="Why; it is kept with the decision.")]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="Of the registration, as `catalog registrations` shows.")]
Cursor = Annotated[str | None, typer.Option("--cursor", help="Of the page before: what follows on it.")]


@app.command()
def search(
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help="Names or parts of them.")] = None,
    *,
    kind: Annotated[NodeType | None, typer.Option(help="DATASET or PROCESS.", case_sensitive=False)] = None,
    team: Annotated[str | None, typer.Option(help="Of the owners.")] = None,
    category: Annotated[str | None, typer.Option(help="Of datasets.")] = None,
    status: Annotated[str | None, typer.Option(help="DRAFT, ACTIVE or DEPRECATED.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="May be given more than once; all must be there.")] = None,
    column: Annotated[list[str] | None, typer.Option(help="May be given more than once; all must be there.")] = None,
    internal: Annotated[
        bool, typer.Option("--all", help="Also stages, their jobs, and drafts that nobody has approved.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Hits on a page.")] = 20,
    cursor: Cursor = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Datasets and processes by words, the best first; without words, all that the options leave."""
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
def register(
    name: Annotated[str, typer.Argument(metavar="DATASET", help="Its full name, such as ds://zone/name.")],
    *,
    namespace: Annotated[
        str | None, typer.Option(metavar="NAMESPACE", help="Its namespace; DATASET is then its name in it.")
    ] = None,
    description: Annotated[str | None, typer.Option(help="What it holds.")] = None,
    category: Annotated[str | None, typer.Option(help="What it is about.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="May be given more than once.")] = None,
    format_: Annotated[str | None, typer.Option("--format", help="Such as PARQUET.")] = None,
    partitioning: Annotated[str | None, typer.Option(help="Such as day.")] = None,
    team: Annotated[str | None, typer.Option(help="Who owns it.")] = None,
    email: Annotated[str | None, typer.Option(help="Of the owners.")] = None,
    sla_minutes: Annotated[int | None, typer.Option(min=1, help="How long it may take to be ready.")] = None,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Ask for a dataset to be registered; somebody else approves it."""
    with opened(as_json=as_json, debug=debug) as platform:
        pair = Name(namespace, name) if namespace is not None else Name.of_reference(name)
        if pair is None:
            raise UsageError(f"{name!r} is no full name: expected such as ds://zone/name, or --namespace and a name")
        request = RegistrationRequest(
            namespace=pair.namespace,
            name=pair.name,
            description=description,
            category=category,
            tags=None if tag is None else tuple(tag),
            format=format_,
            partitioning=partitioning,
            owner_team=team,
            owner_email=email,
            sla_window_seconds=None if sla_minutes is None else sla_minutes * 60,
        )
        _told(
            platform.catalog.registry.request_registration(request, by=_actor(by), now=platform.now()), as_json=as_json
        )


@app.command()
def registrations(
    *,
    status: Annotated[
        RegistrationStatus, typer.Option(help="Which ones.", case_sensitive=False)
    ] = RegistrationStatus.PENDING,
    cursor: Cursor = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="On a page.")] = 50,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """What was asked for, the oldest first; if not told otherwise, what waits for a decision."""
    with opened(as_json=as_json, debug=debug) as platform:
        page = platform.catalog.registry.registrations(status, cursor=cursor, limit=limit)
        if as_json:
            screen.print_json(page)
            return
        if not page.entries:
            screen.out().print(f"no registration is {status}", markup=False)
            return
        columns = ("number", "dataset", "asked by", "at (UTC)", "status", "asked for")
        screen.print_table(screen.out(), columns, [_row(entry) for entry in page.entries])
        _tell_more(page.cursor)


@app.command()
def approve(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Make the dataset ACTIVE, with what was asked for. Nobody approves their own request."""
    with opened(as_json=as_json, debug=debug) as platform:
        decided = platform.catalog.registry.approve_registration(
            number, by=_actor(by), comment=comment, now=platform.now()
        )
        _told(decided, as_json=as_json)


@app.command()
def reject(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Leave the dataset as it is. One's own request is withdrawn so."""
    with opened(as_json=as_json, debug=debug) as platform:
        decided = platform.catalog.registry.reject_registration(
            number, by=_actor(by), comment=comment, now=platform.now()
        )
        _told(decided, as_json=as_json)


@app.command()
def archive(
    *,
    older_than: Annotated[str, typer.Option("--older-than", metavar="AGE", help="Such as 90d or 13w.")],
    folder: Annotated[str | None, typer.Option(metavar="DIR", help="For the files; or <home>/archive.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Move runs and events that are older to Parquet files. May be stopped at any moment and begun again."""
    with opened(as_json=as_json, debug=debug) as platform:
        age = read_age(older_than)
        place = Path(folder) if folder is not None else platform.settings.home / "archive"
        hear = None if as_json else _tell_progress
        report = platform.catalog.registry.archive(older_than=age, folder=place, now=platform.now(), progress=hear)
        if as_json:
            screen.print_json(report)
            return
        moved = f"{report.runs} runs and {report.events} events from before {report.limit:%Y-%m-%d %H:%M} UTC"
        screen.out().print(f"{moved} are in {len(report.files)} files in {place}", markup=False)
        if report.changed:
            screen.out().print(f"{report.changed} runs stay: events of theirs came meanwhile; archive again")


@app.command()
def ddl(
    *,
    dialect: Annotated[DdlDialect, typer.Option(help="Whose words.", case_sensitive=False)],
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Print the catalog's tables as DDL. A catalog on SQLite or PostgreSQL makes its tables by itself."""
    with guarded(as_json=as_json, debug=debug):
        from data_platform.catalog.ddl import statements

        if as_json:
            screen.print_json({"dialect": dialect, "statements": list(statements(dialect))})
            return
        for statement in statements(dialect):
            typer.echo(f"{statement};\n")


def read_age(text: str) -> timedelta:
    """Raises: InputError."""
    match = _AGE.fullmatch(text)
    if match is None:
        raise InputError("--older-than", "not an age: expected days or weeks, such as 90d or 13w")
    return timedelta(days=int(match[1]) * _DAYS[match[2]])


def _actor(name: str | None) -> Actor:
    try:
        return Actor(name=name or getpass.getuser(), role="PLATFORM_ADMIN")
    except (KeyError, OSError):
        raise UsageError("this machine does not say who you are: name yourself with --by") from None


def _row(entry: RegistrationEntry) -> tuple[str, ...]:
    at = f"{entry.submitted_at:%Y-%m-%d %H:%M}"
    return str(entry.id), entry.reference, entry.submitted_by, at, entry.status, ", ".join(entry.requested)


def _told(entry: RegistrationEntry, *, as_json: bool) -> None:
    if as_json:
        screen.print_json(entry)
        return
    screen.out().print(f"registration {entry.id} of {entry.reference} is {entry.status}", markup=False)


def _print_hits(page: SearchPage) -> None:
    for word, others in page.read_as.items():
        screen.err().print(f"{word} was read as {', '.join(others)} too", markup=False)
    if not page.hits:
        screen.out().print("nothing is found")
        return
    rows = [
        (hit.kind, hit.reference, hit.team, hit.status, hit.found_in, ", ".join(hit.columns), _short(hit.description))
        for hit in page.hits
    ]
    columns = ("kind", "name", "team", "status", "found in", "columns", "description")
    screen.print_table(screen.out(), columns, rows)
    _tell_more(page.cursor)


def _tell_more(cursor: str | None) -> None:
    if cursor is not None:
        screen.err().print(f"there is more: --cursor {cursor}", markup=False, soft_wrap=True)


def _short(text: str) -> str:
    first = (text.splitlines() or [""])[0]
    return first if len(first) <= 80 else f"{first[:79]}…"


def _tell_progress(step: str, told: dict[str, Any]) -> None:
    if step == "committed":
        screen.err().print(f"{told['day']}: {told['runs']} runs and {told['events']} events so far", markup=False)
