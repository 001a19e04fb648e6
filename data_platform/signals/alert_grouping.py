"""Which waiting deliveries are sent now, and in which messages. Pure: it reads no clock and changes nothing.

1. The log gets each delivery at once, whatever the rules are.
2. A message whose outcome is unknown is repeated as it was.
3. Deliveries of one incident, owner and channel go together. They wait for a message of theirs that is being sent or
   repeated, and for the time of the next attempt.
4. A maintenance window that covers them holds them. At its end they are silenced if the incident opened and ended in
   the window; otherwise they are sent.
5. Quiet hours hold them, unless one is critical and of TIER_1.
6. What was held goes as one digest for each owner and channel.
7. Beyond a channel's messages per hour, the rest goes as one summary in an hour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.alert import LOG, AlertState, DeliveryStatus, Hold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from data_platform.model.alert import Delivery
    from data_platform.model.maintenance_window import MaintenanceWindow
    from data_platform.policies.alert import AlertPolicy

HOUR = timedelta(hours=1)
Thread = tuple[int, str, str]
"""An incident, an owner and a channel."""


class Shape(StrEnum):
    """SINGLE is about one incident. SUMMARY is the one message in an hour beyond the limit of a channel."""

    SINGLE = "SINGLE"
    DIGEST = "DIGEST"
    SUMMARY = "SUMMARY"


@dataclass(frozen=True, kw_only=True)
class Message:
    """``id`` is that of the message to repeat; None for a new one."""

    channel: str
    shape: Shape
    deliveries: tuple[Delivery, ...]
    id: str | None = None

    @property
    def is_urgent(self) -> bool:
        return any(one.notification.is_urgent for one in self.deliveries)


@dataclass(frozen=True, kw_only=True)
class Held:
    """``until`` is None if only an event ends it. ``maintenance`` is the number of the window."""

    deliveries: tuple[Delivery, ...]
    by: Hold
    until: datetime | None = None
    maintenance: int | None = None


@dataclass(frozen=True, kw_only=True)
class ChannelUse:
    """``count`` messages began in the last hour, the oldest of them at ``since``; a summary at ``summary_at``."""

    count: int = 0
    since: datetime | None = None
    summary_at: datetime | None = None


@dataclass(kw_only=True)
class Grouping:
    """``silenced`` are pairs of deliveries and the number of their window."""

    messages: list[Message] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    silenced: list[tuple[tuple[Delivery, ...], int]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """``use`` is that of each channel in the last hour. All are as of ``now``."""

    policy: AlertPolicy
    windows: Sequence[MaintenanceWindow] = ()
    use: Mapping[str, ChannelUse] = field(default_factory=dict)
    now: datetime


def group(deliveries: Iterable[Delivery], rules: Rules) -> Grouping:
    """What to do with ``deliveries``, which are those that wait or are being sent."""
    found = Grouping()
    digests: dict[tuple[str, str], list[Delivery]] = {}
    repeats, incidents = _split(sorted(deliveries, key=lambda one: (one.notification.number, one.channel)))
    for message, repeat in repeats.items():
        if not _is_early(repeat, rules.now):
            found.messages.append(_message(repeat, message))
    repeated = {_thread(one) for repeat in repeats.values() for one in repeat}
    for thread, together in incidents.items():
        is_sending = any(one.status is DeliveryStatus.SENDING for one in together)
        if is_sending or thread in repeated or _is_early(together, rules.now):
            continue
        if together[0].channel == LOG:
            found.messages += [_message([one]) for one in together]
        else:
            _place(found, digests, tuple(together), rules)
    found.messages += [_message(digest) for digest in digests.values()]
    _limit(found, rules)
    return found


def _message(deliveries: Sequence[Delivery], repeated: str | None = None) -> Message:
    is_one = len({one.notification.incident for one in deliveries}) == 1
    shape = Shape.SINGLE if is_one else Shape.DIGEST
    return Message(channel=deliveries[0].channel, shape=shape, deliveries=tuple(deliveries), id=repeated)


def _is_early(deliveries: Iterable[Delivery], now: datetime) -> bool:
    """Whether the time of the next attempt has not come."""
    return any(one.held_by is Hold.RETRY and one.not_before is not None and one.not_before > now for one in deliveries)


def _split(ordered: Iterable[Delivery]) -> tuple[dict[str, list[Delivery]], dict[Thread, list[Delivery]]]:
    """Repeats by their message, and the others by incident, owner and channel."""
    repeats: dict[str, list[Delivery]] = {}
    incidents: dict[Thread, list[Delivery]] = {}
    for one in ordered:
        if one.is_repeat and one.message is not None and one.status is DeliveryStatus.WAITING:
            repeats.setdefault(one.message, []).append(one)
        else:
            incidents.setdefault(_thread(one), []).append(one)
    return repeats, incidents


def _thread(one: Delivery) -> Thread:
    return (one.notification.incident, one.notification.owner, one.channel)


def _place(
    found: Grouping, digests: dict[tuple[str, str], list[Delivery]], together: tuple[Delivery, ...], rules: Rules
) -> None:
    """Decides on the deliveries of one incident, owner and channel."""
    active = _window(rules.windows, together[0], rules.now)
    if active is not None:
        held = Held(deliveries=together, by=Hold.MAINTENANCE, until=active.ends_at, maintenance=active.number)
        found.held.append(held)
        return
    silenced = _silenced(together, rules.windows)
    found.silenced += silenced
    gone = {one.number for part, _ in silenced for one in part}
    rest = tuple(one for one in together if one.number not in gone)
    if rest:
        _wait_or_send(found, digests, rest, rules)


def _wait_or_send(
    found: Grouping, digests: dict[tuple[str, str], list[Delivery]], together: tuple[Delivery, ...], rules: Rules
) -> None:
    owner = together[0].notification.owner
    hours, is_urgent = rules.policy.quiet_hours_of(owner), any(one.notification.is_urgent for one in together)
    end = None if is_urgent or hours is None else hours.end(rules.now)
    if end is not None:
        found.held.append(Held(deliveries=together, by=Hold.QUIET_HOURS, until=end))
    elif not is_urgent and any(one.held_by in (Hold.QUIET_HOURS, Hold.MAINTENANCE) for one in together):
        digests.setdefault((together[0].channel, owner), []).extend(together)
    else:
        found.messages.append(_message(together))


def _window(windows: Sequence[MaintenanceWindow], one: Delivery, at: datetime) -> MaintenanceWindow | None:
    """The window that covers a delivery at ``at``; the one that ends last, if there are several."""
    about = one.notification
    found = [window for window in windows if window.is_active(at) and window.covers(about.dataset, about.owner)]
    return max(found, key=lambda window: (window.ends_at, window.number), default=None)


def _silenced(
    together: tuple[Delivery, ...], windows: Sequence[MaintenanceWindow]
) -> list[tuple[tuple[Delivery, ...], int]]:
    """Rounds that opened within a window, and have ended before anybody received a message."""
    found = []
    for number in sorted({one.notification.round for one in together}):
        part = tuple(one for one in together if one.notification.round == number)
        opened = next((one for one in part if one.notification.state is AlertState.OPEN), None)
        if opened is None or not any(one.notification.state.ends for one in part):
            continue
        window = _window(windows, opened, opened.notification.created_at)
        if window is not None:
            found.append((part, window.number))
    return found


def _limit(found: Grouping, rules: Rules) -> None:
    """Joins the messages beyond a channel's limit, the least urgent and newest, into one; or holds them."""
    allowed: list[Message] = []
    for name in sorted({message.channel for message in found.messages}):
        own = [message for message in found.messages if message.channel == name]
        channel, used = rules.policy.channel(name), rules.use.get(name, ChannelUse())
        if channel is None:  # the log, or a channel that is not declared any more
            allowed += own
            continue
        own.sort(key=lambda one: (one.id is None, not one.is_urgent, one.deliveries[0].notification.number))
        free = max(0, channel.per_hour - used.count)
        allowed += own[:free]
        joined = tuple(one for message in own[free:] if message.id is None for one in message.deliveries)
        if joined and used.summary_at is None:
            allowed.append(Message(channel=name, shape=Shape.SUMMARY, deliveries=joined))
        elif joined:
            found.held.append(Held(deliveries=joined, by=Hold.RATE_LIMIT, until=(used.since or rules.now) + HOUR))
    found.messages = allowed
