"""Passes on what the topic does not have yet: in passing after a stage, or for as long as a process runs."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.evidence_bus.producer import EvidenceProducer

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.settings import Settings

LOG = logging.getLogger(__name__)

BATCH = 500
CLAIM = timedelta(seconds=6)
"""How long a relay that was killed keeps others from sending."""
RENEWED_AFTER = CLAIM / 3
SECONDS = 3.0
"""How long one batch waits for the brokers."""
PASSING_SECONDS = 2.0
ONCE_SECONDS = 10.0
"""A command that sends once waits longer: it may be the first to use the topic, which the brokers then create."""
REST_SECONDS = 60
"""How long brokers that did not answer are left alone by runs, so that not every stage waits for them."""
POLL_SECONDS = 0.5
MOST_PAUSE_SECONDS = 4.0
"""The longest pause after a failure; with the time for a batch it bounds the delay after the brokers are back."""


@dataclass(frozen=True)
class Passed:
    """``problem`` is why records are left, empty if none is; ``elsewhere`` is true if another process sends."""

    records: int
    problem: str = ""
    elsewhere: bool = False


@dataclass
class Relay:
    """Not thread-safe. ``now`` gives the time for the catalog, as everywhere."""

    catalog: Catalog
    producer: EvidenceProducer
    now: Callable[[], datetime]
    holder: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}")
    claimed_at: datetime | None = None
    rests_until: float = 0

    @property
    def topic(self) -> str:
        return self.producer.topic

    def pass_on(self, *, seconds: float = SECONDS, keep: bool = False) -> Passed:
        """Sends until nothing is left or the brokers do not answer; with ``keep`` it stays the sender afterwards.

        Raises:
            DataPlatformError: The catalog cannot be used, or the configuration of Kafka is wrong.
        """
        sent = 0
        while batch := self.catalog.evidence_relay.unsent(self.topic, BATCH):
            if not self._claim():
                return Passed(sent, elsewhere=True)
            done = self.producer.send([record for _, record in batch], seconds)
            sent += done
            is_last = done < len(batch) or len(batch) < BATCH
            self._confirm(batch[done - 1][0] if done else 0, release=is_last and not keep)
            if done < len(batch):
                return Passed(sent, self.producer.error)
            if is_last:
                break
        return Passed(sent)

    def pass_on_in_passing(self) -> None:
        """Like ``pass_on``, within a run: it raises nothing, and waits for dead brokers at most once a minute."""
        if time.monotonic() < self.rests_until:
            return
        try:
            problem = self.pass_on(seconds=PASSING_SECONDS).problem
        except DataPlatformError as error:
            problem = str(error)
        if problem:
            self.rests_until = time.monotonic() + REST_SECONDS
            LOG.warning("evidence was not sent to Kafka: %s; it waits for the next run or relay", problem)

    def follow(self, stop: threading.Event, report: Callable[[Passed], None]) -> None:
        """Passes on until ``stop`` is set, and reports what was sent and each change of the problem."""
        pause, last = POLL_SECONDS, Passed(0)
        while not stop.is_set():
            try:
                passed = self.pass_on(keep=True)
            except DataPlatformError as error:
                if not error.retryable:
                    raise
                passed = Passed(0, str(error))
            if passed.records or (passed.problem, passed.elsewhere) != (last.problem, last.elsewhere):
                report(passed)
            last = passed
            pause = min(pause * 2, MOST_PAUSE_SECONDS) if passed.problem else POLL_SECONDS
            stop.wait(pause)

    def close(self) -> None:
        """Lets another process send at once, if this one was the sender."""
        self.producer.close()
        if self.claimed_at is not None:
            self._confirm(0, release=True)

    def _claim(self) -> bool:
        now = self.now()
        if self.claimed_at is None or now - self.claimed_at > RENEWED_AFTER:
            is_ours = self.catalog.evidence_relay.claim(self.topic, self.holder, now=now, ttl=CLAIM)
            self.claimed_at = now if is_ours else None
        return self.claimed_at is not None

    def _confirm(self, sent_id: int, *, release: bool) -> None:
        if sent_id or release:
            self.catalog.evidence_relay.confirm(self.topic, self.holder, sent_id, now=self.now(), release=release)
        if release:
            self.claimed_at = None


def open_relay(settings: Settings, catalog: Catalog, now: Callable[[], datetime]) -> Relay | None:
    """The relay to the brokers of the settings; None if there are none."""
    if settings.kafka_bootstrap is None:
        return None
    return Relay(
        catalog, EvidenceProducer(settings.kafka_bootstrap, settings.kafka_topic, settings.kafka_config_file), now
    )
