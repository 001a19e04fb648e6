"""``catalog.access``: tokens and the audit log. Each change is audited in the same transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.catalog.access import detokenize
from data_platform.catalog.access import token as tokens
from data_platform.catalog.access.audit_page import find_audit
from data_platform.catalog.access.ended_session import end_session, is_ended
from data_platform.catalog.audit import add_audit
from data_platform.errors import RateError, RoleError
from data_platform.model.detokenize import ROLE, may_detokenize, opened_tokens
from data_platform.model.registration import Actor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.access import AccessToken, AuditEntry, Role
    from data_platform.model.detokenize import OpenedToken
    from data_platform.model.key_ring import KeyVersion
    from data_platform.model.page import Page


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
        """Returns the stored entry, and the token itself, which cannot be read again.

        Raises:
            UsageError: The name is taken or invalid, or the token would be expired.
        """
        detail = {"role": role.value, "teams": list(teams), "expires_at": expires_at and expires_at.isoformat()}
        with self._database.writing() as connection:
            entry, token = tokens.create_token(
                connection, name, role, teams=teams, created_by=actor, expires_at=expires_at, now=now
            )
            add_audit(
                connection, actor=actor, role=actor_role, action="token.create", subject=name, detail=detail, now=now
            )
            return entry, token

    def token(self, token: str, *, now: datetime) -> AccessToken | None:
        """The entry of a valid token; None if it does not exist, has expired, or was revoked."""
        with self._database.reading() as connection:
            entry = tokens.find_token(connection, token)
        return entry if entry is not None and entry.is_valid(now) else None

    def token_of_session(self, token_id: int, nonce: str, *, now: datetime) -> AccessToken | None:
        """The entry of a token that is still valid; None also if the session with this nonce was ended."""
        with self._database.reading() as connection:
            entry = None if is_ended(connection, nonce) else tokens.find_token_by_id(connection, token_id)
        return entry if entry is not None and entry.is_valid(now) else None

    def end_session(self, nonce: str, *, expires_at: datetime, now: datetime) -> None:
        """Nobody can use the session any more, also not with a copy of its cookie."""
        with self._database.writing() as connection:
            end_session(connection, nonce, expires_at=expires_at, now=now)

    def tokens(self) -> tuple[AccessToken, ...]:
        """All tokens ever created, oldest first."""
        with self._database.reading() as connection:
            return tokens.find_tokens(connection)

    def revoke_token(self, name: str, *, actor: str, actor_role: str, now: datetime) -> bool:
        """Revoke the token; False if it was already revoked.

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

    def detokenize(
        self, texts: Sequence[str], reason: str, *, caller: AccessToken, keys: Iterable[KeyVersion], now: datetime
    ) -> tuple[OpenedToken, ...]:
        """Opens tokens of personal values with ``keys``, in order; the audit log has them before this returns.

        Raises:
            RoleError: The caller may not see personal values, which is recorded.
            RateError: The caller has opened too many tokens in the last hour, which is recorded.
            UsageError: There is no reason, no token, or there are too many.
        """
        by = Actor(name=caller.name, role=caller.role)
        if not may_detokenize(caller):
            self.record_refusal(by, count=len(texts), reason=reason, now=now)
            raise RoleError(
                f"{by.name} has the role {by.role}; personal values are shown to a {ROLE} whose access token is not "
                "limited to teams. This was recorded"
            )
        detokenize.check_request(texts, reason)
        try:
            with self._database.writing() as connection:
                detokenize.check_rate(connection, len(texts), by, now)
                found = opened_tokens(texts, keys)
                detokenize.add_opened(connection, found, reason, by=by, now=now)
        except RateError:
            with self._database.writing() as connection:
                detokenize.add_refused(connection, "rate", count=len(texts), reason=reason, by=by, now=now)
            raise
        return found

    def record_refusal(self, by: Actor, *, count: int | None, reason: str, now: datetime) -> None:
        """Records that somebody without the role asked for personal values."""
        with self._database.writing() as connection:
            detokenize.add_refused(connection, "role", count=count, reason=reason, by=by, now=now)

    def record(self, action: str, subject: str, detail: Mapping[str, Any], *, by: Actor, now: datetime) -> None:
        """Adds to the audit log what was done outside the catalog, such as a new version of a key."""
        with self._database.writing() as connection:
            add_audit(connection, actor=by.name, role=by.role, action=action, subject=subject, detail=detail, now=now)

    def audit(
        self, *, subject: str | None = None, actor: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Newest first.

        Raises:
            InputError: The limit or cursor is wrong.
        """
        with self._database.reading() as connection:
            return find_audit(connection, subject=subject, actor=actor, limit=limit, cursor=cursor)
