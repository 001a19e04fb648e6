"""Sends what the outbox has. Any number of processes may do so at once, and each may die at any step.

A message is claimed with a lease, begun, sent and finished. What a channel refused is tried again, later each time, for
a day. If it is unknown whether a message arrived, it is sent once more and says so; after that it ends as UNKNOWN, and
`data-platform alerts list` shows it. The log never has an unknown outcome.
"""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import time
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.alert import LOG, ClaimedMessage, DeliveryStatus, Hold
from data_platform.signals.alert_channel import Answer, Arrival, Envelope, send
from data_platform.signals.alert_grouping import HOUR, ChannelUse, Rules, Shape, group
from data_platform.signals.alert_text import digest_text, incident_text
from data_platform.signals.alert_url import alert_urls, url_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.alert import Delivery
    from data_platform.policies import Policies
    from data_platform.settings import Settings
    from data_platform.signals.alert_grouping import Grouping, Message
    from data_platform.signals.alert_text import AlertText

TTL = timedelta(minutes=2)
"""Of a claim: several times the time limit of one request."""
PASS_SECONDS = 20.0
"""After so long no further message is begun: a look waits for the pass before it, and the next pass goes on."""
BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20, 30))
MOST_ATTEMPTS = 50  # a day of attempts, half an hour apart
_WHY = {Shape.DIGEST: "held until now", Shape.SUMMARY: "more than the channel takes in an hour"}
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9_.-]")
_LINES = logging.getLogger("data_platform.alerts")


@dataclass(kw_only=True)
class Report:
    """What one pass did, in messages, and how many deliveries wait after it."""

    sent: int = 0
    refused: int = 0
    unknown: int = 0
    waiting: int = 0


@dataclass(frozen=True, kw_only=True)
class Sender:
    """One pass. ``post`` sends to a URL; ``by`` names this process; ``began`` is the monotonic time of ``now``."""

    catalog: Catalog
    settings: Settings
    policies: Policies
    now: datetime
    post: Callable[[str, Envelope], Answer] = send
    by: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}")
    began: float = field(default_factory=time.monotonic)
    report: Report = field(default_factory=Report)

    def run(self) -> Report:
        alerts, policy = self.catalog.alerts, self.policies.platform.alerts
        if unrouted := alerts.unrouted():
            alerts.route({one.number: policy.channels_of(one) for one in unrouted}, now=self.now)
        waiting = alerts.waiting()
        if any(one.status is DeliveryStatus.SENDING for one in waiting):
            alerts.recover(now=self.now)
            waiting = alerts.waiting()
        if waiting:
            grouping = self._group(waiting)
            self._record(grouping)
            self._send_all(in_order(grouping.messages, waiting))
        self.report.waiting = alerts.unsent()[0]
        return self.report

    def _send_all(self, messages: Iterable[Message]) -> None:
        """A channel that fails gets no further message in this pass, so that others do not wait for it."""
        failed: set[str] = set()
        for message in messages:
            if message.channel not in failed and time.monotonic() - self.began < PASS_SECONDS:
                before = self.report.sent
                self._send(message)
                if self.report.sent == before:
                    failed.add(message.channel)

    def _clock(self) -> datetime:
        return self.now + timedelta(seconds=time.monotonic() - self.began)

    def _group(self, waiting: Sequence[Delivery]) -> Grouping:
        windows = self.catalog.maintenance.since(min(one.notification.created_at for one in waiting))
        use = {name: self._use(name) for name in {one.channel for one in waiting} - {LOG}}
        return group(waiting, Rules(policy=self.policies.platform.alerts, windows=windows, use=use, now=self.now))

    def _use(self, channel: str) -> ChannelUse:
        begun = self.catalog.alerts.use(channel, since=self.now - HOUR)
        _, summary_at = begun.pop(Shape.SUMMARY, (0, None))
        first = min((at for _, at in begun.values() if at is not None), default=None)
        return ChannelUse(count=sum(count for count, _ in begun.values()), since=first, summary_at=summary_at)

    def _record(self, grouping: Grouping) -> None:
        """Stores why deliveries wait, where that has changed."""
        changed: dict[tuple[Hold, datetime | None, int | None], list[int]] = {}
        for held in grouping.held:
            wanted = (held.by, held.until, held.maintenance)
            for one in held.deliveries:
                if (one.held_by, one.not_before, held.maintenance and one.maintenance) != wanted:
                    changed.setdefault(wanted, []).append(one.number)
        for (by, until, maintenance), numbers in changed.items():
            self.catalog.alerts.hold(numbers, by, until=until, maintenance=maintenance)
        for silenced, window in grouping.silenced:
            self.catalog.alerts.silence([one.number for one in silenced], maintenance=window, now=self.now)

    def _send(self, message: Message) -> None:
        channel = self.policies.platform.alerts.channel(message.channel)
        identity = message.id or uuid.uuid4().hex
        claimed = ClaimedMessage(id=identity, channel=message.channel, shape=message.shape.value, by=self.by)
        numbers = [one.number for one in message.deliveries]
        per_hour = channel.per_hour if channel is not None else None
        alerts = self.catalog.alerts
        if not alerts.claim(numbers, claimed, now=self._clock(), ttl=TTL, per_hour=per_hour):
            return
        if not alerts.begin(claimed, now=self._clock()):
            return
        self._settle(message, claimed, self._deliver(message, identity))

    def _settle(self, message: Message, claimed: ClaimedMessage, answer: Answer) -> None:
        alerts, now = self.catalog.alerts, self._clock()
        attempts = max(one.attempts for one in message.deliveries)
        if answer.arrival is Arrival.ACCEPTED:
            alerts.finish(claimed, now=now, thread=answer.thread, error=answer.error or None)
            self.report.sent += 1
        elif answer.arrival is Arrival.UNKNOWN:
            alerts.repeat(claimed, now=now, at=now + BACKOFF[0])
            self.report.unknown += 1
        elif attempts + 1 >= MOST_ATTEMPTS:
            alerts.give_up(claimed, now=now, error=answer.error)
            self.report.refused += 1
        else:
            alerts.retry(claimed, at=now + BACKOFF[min(attempts, len(BACKOFF) - 1)], error=answer.error)
            self.report.refused += 1

    def _deliver(self, message: Message, identity: str) -> Answer:
        if message.channel == LOG:
            _LINES.warning("%s", log_line(message.deliveries[0]))
            return Answer(arrival=Arrival.ACCEPTED)
        try:
            url = alert_urls(self.settings).get(message.channel)
        except UsageError as error:
            return Answer(arrival=Arrival.REFUSED, error=str(error))
        if url is None:
            unset = url_variable(message.channel)
            return Answer(arrival=Arrival.REFUSED, error=f"the channel has no URL: set {unset}")
        return self.post(url, self._envelope(message, identity))

    def _envelope(self, message: Message, identity: str) -> Envelope:
        text, first = self._text(message), message.deliveries[0].notification
        is_repeat = any(one.is_repeat for one in message.deliveries)
        if message.shape is not Shape.SINGLE:
            return Envelope(id=identity, text=text, is_repeat=is_repeat)
        root = f"incident-{first.incident}.{_NOT_IN_ID.sub('-', first.owner)}"
        thread = self.catalog.alerts.thread(first.incident, first.owner, message.channel)
        return Envelope(id=identity, text=text, root=root, thread=thread, is_repeat=is_repeat)

    def _text(self, message: Message) -> AlertText:
        if message.shape is Shape.SINGLE:
            return incident_text(message.deliveries, service_url=self.settings.service_url)
        return digest_text(message.deliveries, why=_WHY[message.shape], service_url=self.settings.service_url)


def send_due(catalog: Catalog, settings: Settings, policies: Policies, now: datetime) -> Report:
    """Sends every message that may go at ``now``; the others stay in the outbox."""
    return Sender(catalog=catalog, settings=settings, policies=policies, now=now).run()


def in_order(messages: Iterable[Message], waiting: Iterable[Delivery]) -> list[Message]:
    """The log first, then channels without trouble, the most urgent messages first."""
    troubled = {one.channel for one in waiting if one.held_by is Hold.RETRY}
    return sorted(messages, key=lambda one: (one.channel != LOG, one.channel in troubled, not one.is_urgent))


def log_line(delivery: Delivery) -> str:
    """One notification as one line of JSON."""
    about = delivery.notification
    text = incident_text([delivery], service_url=None)
    document = {
        "incident": about.incident,
        "state": about.state.value,
        "owner": about.owner,
        "audience": about.audience.value,
        "severity": about.severity,
        "tier": about.tier,
        "dataset": about.dataset,
        "message": text.short,
        "repeat": delivery.is_repeat,
    }
    return json.dumps(document, ensure_ascii=False)
