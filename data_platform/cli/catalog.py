"""``data-platform catalog …``: search, register, approve, archive. None of the commands starts Spark.

A user with access to the catalog's database may do everything here, so commands are recorded as an administrator's.
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

app = typer.Typer(help="Search the catalog, show lineage, register datasets, archive old runs.", no_args_is_help=True)
app.command()(lineage.show)
app.command(name="lineage")(lineage.lineage)
app.command()(lineage.impact)
app.command()(lineage.diff)
app.command()(emit)
app.command()(move)

_DAYS = {"d": 1, "w": 7}
_AGE = re.compile(r"([1-9]\d{0,4})([dw])")

By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it; this machine's user by default.")]
Comment = Annotated[str, typer.Option("--comment", help="Why; stored with the decision.")]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The registration's number in `catalog registrations`.")]
Cursor = Annotated[str | None, typer.Option("--cursor", help="The cursor that the previous page printed.")]


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
def register(
    name: Annotated[str, typer.Argument(metavar="DATASET", help="Its full name, such as ds://zone/name.")],
    *,
    namespace: Annotated[
        str | None, typer.Option(metavar="NAMESPACE", help="Its namespace; DATASET is then its name there.")
    ] = None,
    description: Annotated[str | None, typer.Option(help="What it holds.")] = None,
    category: Annotated[str | None, typer.Option(help="What it is about.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    format_: Annotated[str | None, typer.Option("--format", help="File format, such as PARQUET.")] = None,
    partitioning: Annotated[str | None, typer.Option(help="How it is partitioned, such as day.")] = None,
    team: Annotated[str | None, typer.Option(help="Team that owns it.")] = None,
    email: Annotated[str | None, typer.Option(help="Address of the owners.")] = None,
    sla_minutes: Annotated[int | None, typer.Option(min=1, help="Minutes within which it must be ready.")] = None,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Request the registration of a dataset; somebody else approves it."""
    with opened(as_json=as_json, debug=debug) as platform:
        pair = Name(namespace, name) if namespace is not None else Name.of_reference(name)
        if pair is None:
            raise UsageError(
                f"{name!r} is not a full name: expected one such as ds://zone/name, or --namespace and a name"
            )
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
        _print_registration(
            platform.catalog.registry.request_registration(request, by=_actor(by), now=platform.now()), as_json=as_json
        )


@app.command()
def registrations(
    *,
    status: Annotated[
        RegistrationStatus, typer.Option(help="Only this status.", case_sensitive=False)
    ] = RegistrationStatus.PENDING,
    cursor: Cursor = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Registrations per page.")] = 50,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List registration requests, oldest first; by default those that wait for a decision."""
    with opened(as_json=as_json, debug=debug) as platform:
        page = platform.catalog.registry.registrations(status, cursor=cursor, limit=limit)
        if as_json:
            screen.print_json(page)
            return
        if not page.entries:
            screen.out().print(f"no registration is {status}", markup=False)
            return
        columns = ("number", "dataset", "requested by", "at (UTC)", "status", "requested")
        screen.print_table(screen.out(), columns, [_row(entry) for entry in page.entries])
        _print_cursor(page.cursor)


@app.command()
def approve(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Approve a request: the dataset becomes ACTIVE with the requested values. You cannot approve your own request."""
    with opened(as_json=as_json, debug=debug) as platform:
        decided = platform.catalog.registry.approve_registration(
            number, by=_actor(by), comment=comment, now=platform.now()
        )
        _print_registration(decided, as_json=as_json)


@app.command()
def reject(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Reject a request, or withdraw your own: the dataset stays as it is."""
    with opened(as_json=as_json, debug=debug) as platform:
        decided = platform.catalog.registry.reject_registration(
            number, by=_actor(by), comment=comment, now=platform.now()
        )
        _print_registration(decided, as_json=as_json)


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


def read_age(text: str) -> timedelta:
    """Raises: InputError, if the text is not an age such as 90d or 13w."""
    match = _AGE.fullmatch(text)
    if match is None:
        raise InputError("--older-than", "not an age: expected days or weeks, such as 90d or 13w")
    return timedelta(days=int(match[1]) * _DAYS[match[2]])


def _actor(name: str | None) -> Actor:
    try:
        return Actor(name=name or getpass.getuser(), role="PLATFORM_ADMIN")
    except (KeyError, OSError):
        raise UsageError("this machine does not report a user name: give yours with --by") from None


def _row(entry: RegistrationEntry) -> tuple[str, ...]:
    at = f"{entry.submitted_at:%Y-%m-%d %H:%M}"
    return str(entry.id), entry.reference, entry.submitted_by, at, entry.status, ", ".join(entry.requested)


def _print_registration(entry: RegistrationEntry, *, as_json: bool) -> None:
    if as_json:
        screen.print_json(entry)
        return
    screen.out().print(f"registration {entry.id} of {entry.reference} is {entry.status}", markup=False)


def _print_hits(page: SearchPage) -> None:
    for term, synonyms in page.read_as.items():
        screen.err().print(f"{term} was also read as {', '.join(synonyms)}", markup=False)
    if not page.hits:
        screen.out().print("nothing found")
        return
    rows = [
        (hit.kind, hit.reference, hit.team, hit.status, hit.found_in, ", ".join(hit.columns), _short(hit.description))
        for hit in page.hits
    ]
    columns = ("kind", "name", "team", "status", "found in", "columns", "description")
    screen.print_table(screen.out(), columns, rows)
    _print_cursor(page.cursor)


def _print_cursor(cursor: str | None) -> None:
    if cursor is not None:
        screen.err().print(f"there is more: --cursor {cursor}", markup=False, soft_wrap=True)


def _short(text: str) -> str:
    first = (text.splitlines() or [""])[0]
    return first if len(first) <= 80 else f"{first[:79]}…"


def _print_progress(step: str, counts: dict[str, Any]) -> None:
    if step == "committed":
        line = f"{counts['day']}: {counts['runs']} runs and {counts['events']} events so far"
        screen.err().print(line, markup=False)
