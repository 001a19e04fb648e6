"""Bearer tokens. A token is shown once, when it is made; only its SHA-256 is kept.

A token is 32 random bytes, so a plain hash is enough: there is nothing to guess that a slow one would protect. It is
found by the index over hashes, whose order tells nothing of a token, and compared in constant time.
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
"""So that a scanner for leaked secrets knows one of ours."""

LONGEST = 200
"""Characters of what is looked up at all; ours have 47."""


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
    """What is kept, and the token itself.

    Raises:
        UsageError: The name is empty or was given before, also to a token that is revoked: the audit log names it.
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
    kept = connection.execute(select(ACCESS_TOKEN).where(ACCESS_TOKEN.c.name == name)).mappings().one()
    return _access_token(kept), token


def find_token(connection: Connection, token: str) -> AccessToken | None:
    """Valid or not: that is asked of the answer."""
    if len(token) > LONGEST:
        return None
    digest = _hash(token)
    row = connection.execute(select(ACCESS_TOKEN).where(ACCESS_TOKEN.c.token_hash == digest)).mappings().first()
    if row is None or not hmac.compare_digest(row["token_hash"], digest):
        return None
    return _access_token(row)


def find_tokens(connection: Connection) -> tuple[AccessToken, ...]:
    rows = connection.execute(select(ACCESS_TOKEN).order_by(ACCESS_TOKEN.c.token_id)).mappings()
    return tuple(_access_token(row) for row in rows)


def revoke_token(connection: Connection, name: str, *, now: datetime) -> bool:
    """Whether it was valid until now; one that is revoked already stays as it is.

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
