"""``data-platform catalog register``, ``registrations``, ``approve`` and ``reject``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, Comment, actor
from data_platform.cli.guard import AsJson, Cursor, Debug, opened
from data_platform.errors import UsageError
from data_platform.model.lineage import Name
from data_platform.model.registration import RegistrationRequest, RegistrationStatus

if TYPE_CHECKING:
    from data_platform.model.registration import RegistrationEntry

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The registration's number in `catalog registrations`.")]


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
        entry = platform.catalog.registry.request_registration(request, by=actor(by), now=platform.now())
        _print_registration(entry, as_json=as_json)


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
        columns = ("number", "dataset", "requested by", "at (UTC)", "status", "requested")
        rows = [_row(entry) for entry in page.entries]
        screen.print_table(screen.out(), columns, rows, empty=f"no registration is {status}")
        screen.print_cursor(page.cursor)


def approve(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Approve a request: the dataset becomes ACTIVE with the requested values. You cannot approve your own request."""
    with opened(as_json=as_json, debug=debug) as platform:
        decided = platform.catalog.registry.approve_registration(
            number, by=actor(by), comment=comment, now=platform.now()
        )
        _print_registration(decided, as_json=as_json)


def reject(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Reject a request, or withdraw your own: the dataset stays as it is."""
    with opened(as_json=as_json, debug=debug) as platform:
        decided = platform.catalog.registry.reject_registration(
            number, by=actor(by), comment=comment, now=platform.now()
        )
        _print_registration(decided, as_json=as_json)


def _row(entry: RegistrationEntry) -> tuple[str, ...]:
    at = f"{entry.submitted_at:%Y-%m-%d %H:%M}"
    return str(entry.id), entry.reference, entry.submitted_by, at, entry.status, ", ".join(entry.requested)


def _print_registration(entry: RegistrationEntry, *, as_json: bool) -> None:
    if as_json:
        screen.print_json(entry)
        return
    screen.out().print(f"registration {entry.id} of {entry.reference} is {entry.status}", markup=False)
