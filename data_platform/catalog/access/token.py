"""Bearer tokens. A token is shown once, when it is created; only its SHA-256 is stored.

A token is 32 random bytes, so a plain hash is enough: a slow hash only protects guessable secrets. The lookup uses the
index over hashes, whose order reveals nothing about tokens, and compares in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.access_table import ACCESS_TOKEN
from data_platform.errors import UsageError
from data_platform.model.access import AccessToken, Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

PREFIX = "dpt_"
"""Lets a scanner for leaked secrets recognize the platform's tokens."""

LONGEST = 200
"""The most characters of a token that is looked up; valid ones have 47."""


def create_token(
    connection: Connection,
    name: str,
    role: Role,
    *,
    teams: Sequence[str],
    created_by: str,
    expires_at: datetime | None,
    now: datetime,
) -> tuple[AccessToken, str]:
    """Returns the stored entry, and the token itself.

    Raises:
        UsageError: The name is invalid or was used before, also by a revoked token: the audit log refers to it.
    """
    if not name.strip() or len(name) > LONGEST or not name.isprintable():
        raise UsageError(f"a token's name is 1 to {LONGEST} printable characters, such as airflow-prod")
    if connection.execute(select(ACCESS_TOKEN.c.token_id).where(ACCESS_TOKEN.c.name == name)).first() is not None:
        raise UsageError(f"there is a token {name!r} already, or there was: choose another name")
    if expires_at is not None and expires_at <= now:
        raise UsageError("the token would have expired before it is made: choose a later time")
    token = PREFIX + secrets.token_urlsafe(32)
    values = {"name": name, "role": role.value, "teams": sorted(set(teams)), "created_by": created_by}
    times = {"created_at": now, "expires_at": expires_at}
    connection.execute(insert(ACCESS_TOKEN).values(token_hash=_hash(token), **values, **times))
    row = connection.execute(select(ACCESS_TOKEN).where(ACCESS_TOKEN.c.name == name)).mappings().one()
    return _access_token(row), token


def find_token(connection: Connection, token: str) -> AccessToken | None:
    """Returns the entry also of an expired or revoked token; the caller checks ``is_valid``."""
    if len(token) > LONGEST:
        return None
    digest = _hash(token)
    row = connection.execute(select(ACCESS_TOKEN).where(ACCESS_TOKEN.c.token_hash == digest)).mappings().first()
    if row is None or not hmac.compare_digest(row["token_hash"], digest):
        return None
    return _access_token(row)


def find_token_by_id(connection: Connection, token_id: int) -> AccessToken | None:
    """Returns the entry also of an expired or revoked token; the caller checks ``is_valid``."""
    row = connection.execute(select(ACCESS_TOKEN).where(ACCESS_TOKEN.c.token_id == token_id)).mappings().first()
    return None if row is None else _access_token(row)


def find_tokens(connection: Connection) -> tuple[AccessToken, ...]:
    rows = connection.execute(select(ACCESS_TOKEN).order_by(ACCESS_TOKEN.c.token_id)).mappings()
    return tuple(_access_token(row) for row in rows)


def revoke_token(connection: Connection, name: str, *, now: datetime) -> bool:
    """Returns whether the token was not revoked before; a revoked token is not changed.

    Raises:
        UsageError: There is no token of this name.
    """
    row = connection.execute(select(ACCESS_TOKEN).where(ACCESS_TOKEN.c.name == name)).mappings().first()
    if row is None:
        raise UsageError(f"there is no token {name!r}: see data-platform token list")
    if row["revoked_at"] is not None:
        return False
    connection.execute(update(ACCESS_TOKEN).where(ACCESS_TOKEN.c.token_id == row["token_id"]).values(revoked_at=now))
    return True


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _access_token(row: Mapping[str, Any] | Any) -> AccessToken:
    values = {name: value for name, value in row.items() if name not in ("token_hash", "role", "teams")}
    return AccessToken(role=Role(row["role"]), teams=tuple(row["teams"]), **values)
