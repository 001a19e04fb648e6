"""Datasets that policy files declare, and those that somebody asks to register."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Registration:
    """A policy file's. ``updated_at`` is when it last became something else, not when it was last said."""

    urn: str
    table: str
    owner_team: str
    tier: str
    description: str
    policy_fingerprint: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who does it, and by which role; both go into the audit log."""

    name: str
    role: str


class RegistrationStatus(StrEnum):
    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, kw_only=True)
class RegistrationRequest:
    """None means: not asked for; on approval the dataset keeps what it has there."""

    namespace: str
    name: str
    description: str | None = None
    category: str | None = None
    tags: tuple[str, ...] | None = None
    format: str | None = None
    partitioning: str | None = None
    owner_team: str | None = None
    owner_email: str | None = None
    sla_window_seconds: int | None = None


@dataclass(frozen=True, kw_only=True)
class RegistrationEntry:
    """A request and what became of it; ``requested`` has only the fields that were asked for."""

    id: int
    dataset_id: int
    full_name: str
    reference: str
    submitted_by: str
    submitted_at: datetime
    requested: dict[str, Any]
    status: RegistrationStatus
    reviewer: str | None = None
    reviewed_at: datetime | None = None
    comment: str | None = None


@dataclass(frozen=True, kw_only=True)
class RegistrationPage:
    """Oldest first; ``cursor`` leads to the next page, and is None on the last."""

    entries: tuple[RegistrationEntry, ...]
    cursor: str | None = None
