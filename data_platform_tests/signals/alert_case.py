"""Builders of notifications and deliveries for tests."""

from datetime import UTC, datetime, timedelta
from typing import Any

from data_platform.model.alert import AlertState, Audience, Delivery, Notification
from data_platform.model.maintenance_window import MaintenanceWindow
from data_platform.policies.alert import AlertPolicy

NOON = datetime(2013, 1, 7, 12, tzinfo=UTC)
NIGHT = datetime(2013, 1, 7, 23, tzinfo=UTC)
HOUR = timedelta(hours=1)
QUIET = {"from": "22:00", "to": "07:00", "zone": "UTC"}

FACTS = {
    "title": "ds://shop/orders 2013-01-06 is late: JOB_FAILED",
    "partition": "2013-01-06",
    "owner": "shop",
    "occurred_at": "2013-01-07T11:58:00+00:00",
    "opened_at": "2013-01-07T12:00:00+00:00",
    "reasons": ["the job ended with an error"],
    "affected": [{"dataset": "ds://shop/sales", "owner_team": "sales", "deadline": "2013-01-07T14:00:00+00:00"}],
    "total": 1,
    "owners": ["sales"],
    "by": "ada",
}


def policy(*, per_hour: int = 30, quiet: bool = True, **keys: Any) -> AlertPolicy:
    """One channel ``pager``, which every team uses."""
    return AlertPolicy.model_validate(
        {
            "channels": [{"name": "pager", "per_hour": per_hour}],
            "routes": [{"channels": ["pager"]}],
            "quiet_hours": [QUIET] if quiet else [],
            **keys,
        }
    )


def notification(number: int = 1, **changes: Any) -> Notification:
    given = {
        "number": number,
        "incident": 1,
        "owner": "shop",
        "audience": Audience.OWNER,
        "state": AlertState.OPEN,
        "round": 1,
        "dataset": "ds://shop/orders",
        "tier": "TIER_2",
        "severity": "CRITICAL",
        "created_at": NOON,
        "facts": FACTS,
    }
    return Notification(**(given | changes))


def delivery(number: int = 1, *, about: Notification | None = None, channel: str = "pager", **changes: Any) -> Delivery:
    return Delivery(number=number, notification=about or notification(number), channel=channel, **changes)


def window(number: int = 1, *, subject: str = "*", starts_at: datetime = NOON, hours: int = 2) -> MaintenanceWindow:
    return MaintenanceWindow(
        number=number,
        subject=subject,
        starts_at=starts_at,
        ends_at=starts_at + hours * HOUR,
        reason="new disks",
        author="ada",
        created_at=starts_at,
    )
