"""The part of ``Catalog`` about access: tokens and the audit log. Each change is audited in its own transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.access import token as tokens
from data_platform.catalog.access.audit_page import find_audit
from data_platform.catalog.audit import add_audit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.access import AccessToken, AuditEntry, Role
    from data_platform.model.catalog import Page


class Access:
    def __init__(self, database: Database) -> None:
        self._database = database

    def create_token(
        self,
        name: str,
        role: Role,
        *,
        teams: Sequence[str] = (),
        expires_at: datetime | None = None,
        actor: str,
        actor_role: str,
        now: datetime,
    ) -> tuple[AccessToken, str]:
        """What is kept of it, and the token itself, which nobody can ask for again.

        Raises:
            UsageError: The name is taken or cannot be kept, or the token would be expired.
        """
        told = {"role": role.value, "teams": list(teams), "expires_at": expires_at and expires_at.isoformat()}
        with self._database.writing() as connection:
            kept, token = tokens.create_token(
                connection, name, role, teams=teams, created_by=actor, expires_at=expires_at, now=now
            )
            add_audit(
                connection, actor=actor, role=actor_role, action="token.create", subject=name, detail=told, now=now
            )
            return kept, token

    def token(self, token: str, *, now: datetime) -> AccessToken | None:
        """What the token allows; None if it is not known, has expired, or was revoked."""
        with self._database.reading() as connection:
            found = tokens.find_token(connection, token)
        return found if found is not None and found.is_valid(now) else None

    def tokens(self) -> tuple[AccessToken, ...]:
        """All that were ever made, the oldest first."""
        with self._database.reading() as connection:
            return tokens.find_tokens(connection)

    def revoke_token(self, name: str, *, actor: str, actor_role: str, now: datetime) -> bool:
        """From now on it opens nothing; False if it did so already.

        Raises:
            UsageError: There is no token of this name.
        """
        with self._database.writing() as connection:
            revoked = tokens.revoke_token(connection, name, now=now)
            if revoked:
                add_audit(
                    connection, actor=actor, role=actor_role, action="token.revoke", subject=name, detail={}, now=now
                )
            return revoked

    def audit(
        self, *, subject: str | None = None, actor: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Newest first.

        Raises:
            InputError: The limit or cursor is wrong.
        """
        with self._database.reading() as connection:
            return find_audit(connection, subject=subject, actor=actor, limit=limit, cursor=cursor)
