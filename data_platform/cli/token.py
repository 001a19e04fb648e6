"""``data-platform token …``: access to the catalog's service. A user who can open the catalog may create tokens."""

from __future__ import annotations

import getpass
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.cli.status import time
from data_platform.errors import UsageError
from data_platform.model.access import Role  # noqa: TC001 - typer reads it at run time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.catalog import Catalog
    from data_platform.model.access import AccessToken

app = typer.Typer(help="Tokens for the catalog's service.", no_args_is_help=True)
TokenName = Annotated[str, typer.Argument(metavar="NAME", help="Who will use it, such as airflow-prod.")]
LOCAL = "LOCAL"
"""The role in the audit log for the command line of this machine, which needs no token."""

_SPAN = re.compile(r"(\d{1,5})([dh])")


@app.command()
def create(
    name: TokenName,
    *,
    role: Annotated[Role, typer.Option(help="What the token may do.")],
    team: Annotated[list[str] | None, typer.Option(help="Whose datasets it may edit; repeatable.")] = None,
    expires_in: Annotated[
        str | None, typer.Option(metavar="SPAN", help="Such as 90d or 12h; never by default.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Create a token and show it once: only its hash is stored.

    Examples:

    data-platform token create airflow-prod --role DATA_OWNER --team sales --expires-in 90d
    """
    with _catalog(as_json=as_json, debug=debug) as catalog:
        now = datetime.now(UTC)
        expires_at = None if expires_in is None else now + span(expires_in)
        stored, token = catalog.access.create_token(
            name, role, teams=team or (), expires_at=expires_at, actor=user(), actor_role=LOCAL, now=now
        )
        if as_json:
            screen.print_json({**screen.plain(stored), "token": token})
            return
        screen.out().print(token, markup=False, soft_wrap=True)
        screen.err().print(
            f"the token is shown only this once; send it as 'Authorization: Bearer …'. {name} has the role {role}"
            + (f" until {time(expires_at)} UTC" if expires_at else ""),
            markup=False,
            soft_wrap=True,
        )


@app.command("list")
def list_(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """List all tokens with their roles; the tokens themselves are never shown."""
    with _catalog(as_json=as_json, debug=debug) as catalog:
        tokens, now = catalog.access.tokens(), datetime.now(UTC)
        if as_json:
            screen.print_json([{**screen.plain(token), "state": state(token, now)} for token in tokens])
            return
        rows = [
            (t.name, t.role, ", ".join(t.teams), state(t, now), time(t.expires_at), t.created_by, time(t.created_at))
            for t in tokens
        ]
        columns = ("name", "role", "teams", "state", "expires (UTC)", "created by", "created (UTC)")
        screen.print_table(screen.out(), columns, rows, empty="there are no tokens yet")


@app.command()
def revoke(name: TokenName, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """Revoke a token; it is refused from the next request on."""
    with _catalog(as_json=as_json, debug=debug) as catalog:
        revoked = catalog.access.revoke_token(name, actor=user(), actor_role=LOCAL, now=datetime.now(UTC))
        if as_json:
            screen.print_json({"name": name, "revoked": revoked})
            return
        screen.out().print(f"{name} is revoked" if revoked else f"{name} was already revoked", markup=False)


def span(text: str) -> timedelta:
    """Raises: UsageError, if the text is not a duration such as ``90d`` or ``12h``."""
    match = _SPAN.fullmatch(text.strip())
    if match is None or int(match[1]) == 0:
        raise UsageError(f"{text!r} is not a duration: expected days or hours, such as 90d or 12h")
    return timedelta(days=int(match[1])) if match[2] == "d" else timedelta(hours=int(match[1]))


def state(token: AccessToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "valid" if token.is_valid(now) else "expired"


def user() -> str:
    """The user of the command line, for the audit log."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "unknown"


@contextmanager
def _catalog(*, as_json: bool, debug: bool) -> Iterator[Catalog]:
    """Opens the catalog alone, without policies and Spark."""
    with guarded(as_json=as_json, debug=debug):
        from data_platform.catalog import open_catalog
        from data_platform.settings import read_settings

        with open_catalog(read_settings().catalog_url) as catalog:
            yield catalog
