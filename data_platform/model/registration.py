"""Datasets that policy files declare, and requests to register a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Registration:
    """A declaration of a policy file. ``updated_at`` is when its content last changed, not when it was last read."""

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
    """Who acts, and in which role; the audit log records both."""

    name: str
    role: str


class RegistrationStatus(StrEnum):
    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, kw_only=True)
class RegistrationRequest:
    """None means: not requested; after approval the dataset keeps its present value.

    ``policy_fingerprint`` requests the approval of policy files instead (``policies.approval``).
    """

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
    policy_fingerprint: str | None = None


@dataclass(frozen=True, kw_only=True)
class RegistrationEntry:
    """A request and its result; ``requested`` has only the requested fields."""

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
    """Oldest first; ``cursor`` requests the next page, and is None on the last."""

    entries: tuple[RegistrationEntry, ...]
    cursor: str | None = None
