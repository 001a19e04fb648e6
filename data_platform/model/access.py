"""Who may use the catalog's service: roles, tokens as they are stored, and the audit log's entries about changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class Role(StrEnum):
    """The four roles. A DATA_OWNER edits the datasets of its teams; a DATA_CONSUMER reads, but not everything."""

    PLATFORM_ADMIN = "PLATFORM_ADMIN"
    DATA_STEWARD = "DATA_STEWARD"
    DATA_OWNER = "DATA_OWNER"
    DATA_CONSUMER = "DATA_CONSUMER"


@dataclass(frozen=True, kw_only=True)
class AccessToken:
    """What is stored of a token, which is not the token itself. ``name`` is the actor in the audit log."""

    token_id: int
    name: str
    role: Role
    teams: tuple[str, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def may_edit(self, team: str | None) -> bool:
        """May it edit a dataset of ``team``? Without own teams, stewards and admins may edit all, owners none."""
        if self.role is Role.DATA_CONSUMER:
            return False
        if not self.teams:
            return self.role in (Role.PLATFORM_ADMIN, Role.DATA_STEWARD)
        return team in self.teams


@dataclass(frozen=True, kw_only=True)
class AuditEntry:
    audit_id: int
    at: datetime
    actor: str
    role: str
    action: str
    subject: str
    detail: dict[str, Any] = field(default_factory=dict)
