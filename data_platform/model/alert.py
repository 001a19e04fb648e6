"""Alerts: which change of an incident is reported to which owner, through which channel, and what became of it.

A ``Notification`` is one change for one owner. A ``Delivery`` is a notification on one channel. One message may
contain several deliveries: those of one incident that waited, or a digest at the end of quiet hours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

LOG = "log"
"""The channel that is always there: it writes one line of JSON to the log of the process that sends."""


class AlertState(StrEnum):
    """WORSE: a warning became critical. An incident that is reopened begins its next ``round`` with OPEN."""

    OPEN = "OPEN"
    WORSE = "WORSE"
    ACKNOWLEDGED = "ACKNOWLEDGED"
    RESOLVED = "RESOLVED"
    MERGED = "MERGED"

    @property
    def ends(self) -> bool:
        return self in (AlertState.RESOLVED, AlertState.MERGED)


class Audience(StrEnum):
    """OWNER owns the root of the incident; DOWNSTREAM owns a dataset that is affected by it."""

    OWNER = "OWNER"
    DOWNSTREAM = "DOWNSTREAM"


class Recipient(NamedTuple):
    """``tier`` is that of what the recipient owns of the incident."""

    audience: Audience
    tier: str


class DeliveryStatus(StrEnum):
    """UNKNOWN: the message was sent twice, and no answer came either time. SILENCED: a maintenance window covers it.

    FAILED: the channel refused it at each attempt, or is not configured.
    """

    WAITING = "WAITING"
    SENDING = "SENDING"
    SENT = "SENT"
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    SILENCED = "SILENCED"


class Hold(StrEnum):
    """Why a delivery waits, other than for its first attempt."""

    MAINTENANCE = "MAINTENANCE"
    QUIET_HOURS = "QUIET_HOURS"
    RATE_LIMIT = "RATE_LIMIT"
    RETRY = "RETRY"


@dataclass(frozen=True, kw_only=True)
class Notification:
    """Unique by ``incident``, ``owner``, ``state`` and ``round``. ``facts`` is what a message says, as plain JSON."""

    number: int
    incident: int
    owner: str
    audience: Audience
    state: AlertState
    round: int
    dataset: str
    tier: str
    severity: str
    created_at: datetime
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_urgent(self) -> bool:
        """Whether quiet hours do not hold it."""
        return self.severity == "CRITICAL" and self.tier == "TIER_1"


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """``not_before`` is the time of the next attempt. ``message`` identifies the message that contained it last.

    ``is_repeat`` is True if the outcome of an earlier attempt is unknown, so that the message may arrive twice.
    ``maintenance`` is the number of the window that held or silenced it. ``thread`` is what a channel returned for
    the replies to a message.
    """

    number: int
    notification: Notification
    channel: str
    status: DeliveryStatus = DeliveryStatus.WAITING
    held_by: Hold | None = None
    maintenance: int | None = None
    not_before: datetime | None = None
    attempts: int = 0
    is_repeat: bool = False
    message: str | None = None
    finished_at: datetime | None = None
    error: str | None = None
    thread: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimedMessage:
    """``by`` is the process that sends it. ``shape`` is SINGLE, DIGEST or SUMMARY."""

    id: str
    channel: str
    shape: str
    by: str
