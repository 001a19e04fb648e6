"""Who receives alerts: ``alerts`` in ``platform.yaml``. The most specific route wins.

A channel is a name. Its URL, which contains passwords, is a setting and is never in a policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from data_platform.model.alert import LOG
from data_platform.model.closed import Closed
from data_platform.model.policy import Tier  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.quiet_hours import QuietHours  # noqa: TC001 - as above
from data_platform.model.signal import SignalSeverity  # noqa: TC001 - as above
from data_platform.policies.problem import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.alert import Notification

_NAME = r"^[a-z][a-z0-9_]*$"
_ANY = "any"


class AlertChannel(Closed):
    """Beyond ``per_hour`` messages in an hour the others wait, and are sent as one."""

    name: str = Field(pattern=_NAME)
    per_hour: int = Field(default=30, ge=1)


class AlertRoute(Closed):
    """The channels of alerts to ``owner`` on incidents of this tier and severity; without a key it is any."""

    channels: tuple[str, ...] = Field(min_length=1)
    owner: str | None = Field(default=None, min_length=1)
    tier: Tier | None = None
    severity: SignalSeverity | None = None

    @property
    def subject(self) -> tuple[str | None, Tier | None, SignalSeverity | None]:
        return self.owner, self.tier, self.severity

    def matches(self, notification: Notification) -> bool:
        wanted = (notification.owner, notification.tier, notification.severity)
        return all(own in (None, value) for own, value in zip(self.subject, wanted, strict=True))


class AlertPolicy(Closed):
    """Every alert is also written to the log, whatever the routes are."""

    channels: tuple[AlertChannel, ...] = ()
    routes: tuple[AlertRoute, ...] = ()
    quiet_hours: tuple[QuietHours, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> AlertPolicy:
        names = [channel.name for channel in self.channels]
        for route in self.routes:
            for name in route.channels:
                if name not in (LOG, *names):
                    raise ValueError(f"{name!r} is not a channel of alerts.channels{did_you_mean(name, names)}")
        if LOG in names:
            raise ValueError(f"{LOG!r} is the channel that is always there; name this one otherwise")
        _require_distinct(names, "alerts.channels has two channels named {}; keep one")
        subjects = [" ".join(f"{part or _ANY}" for part in route.subject) for route in self.routes]
        _require_distinct(subjects, "alerts.routes has two routes for owner, tier and severity {}; keep one")
        owners = [hours.owner or _ANY for hours in self.quiet_hours]
        _require_distinct(owners, "alerts.quiet_hours has two entries for owner {}; keep one")
        return self

    def channels_of(self, notification: Notification) -> tuple[str, ...]:
        """The channels of the most specific route, and the log."""
        matching = [route for route in self.routes if route.matches(notification)]
        best = max(matching, key=lambda route: tuple(part is not None for part in route.subject), default=None)
        return tuple(dict.fromkeys((LOG, *(best.channels if best else ()))))

    def has_route(self, owner: str) -> bool:
        return any(route.owner in (None, owner) for route in self.routes)

    def quiet_hours_of(self, owner: str) -> QuietHours | None:
        """Those of ``owner``, or of every team."""
        found = {hours.owner: hours for hours in self.quiet_hours}
        return found.get(owner) or found.get(None)

    def channel(self, name: str) -> AlertChannel | None:
        """None if the channel is not declared any more; the log has no entry either."""
        return next((channel for channel in self.channels if channel.name == name), None)


def _require_distinct(names: Iterable[str], problem: str) -> None:
    listed = list(names)
    doubled = next((name for name in listed if listed.count(name) > 1), None)
    if doubled is not None:
        raise ValueError(problem.format(doubled))
