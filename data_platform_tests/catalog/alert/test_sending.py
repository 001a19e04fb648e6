"""Several processes send from one catalog, on both databases."""

import threading
from collections.abc import Callable

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.alert import ClaimedMessage, DeliveryStatus
from data_platform.signals.alert_channel import Answer, Envelope
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.signals.alert_case import HOUR, NOON, policy
from data_platform_tests.signals.outbox import Channel, change, send


def at_once(work: Callable[[], None], senders: int = 3) -> None:
    threads = [threading.Thread(target=work) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


class Shared:
    """One channel for several senders."""

    def __init__(self) -> None:
        self.channel, self._lock = Channel(), threading.Lock()

    def __call__(self, url: str, envelope: Envelope) -> Answer:
        with self._lock:
            return self.channel(url, envelope)


def test_senders_at_once_share_the_work(catalog: Catalog, catalog_url: str) -> None:
    shared = Shared()
    for incident in range(1, 9):
        change(catalog, incident=incident)

    def work() -> None:
        with open_catalog(catalog_url, KEYS) as own:
            send(own, shared)

    at_once(work)

    assert len({message.id for message in shared.channel.accepted}) == len(shared.channel.accepted) == 8
    assert {one.status for one in catalog.alerts.newest(limit=100)} == {DeliveryStatus.SENT}


def test_a_limit_holds_for_senders_at_once(catalog: Catalog, catalog_url: str) -> None:
    shared = Shared()
    for incident in range(1, 9):
        change(catalog, incident=incident)

    def work() -> None:
        with open_catalog(catalog_url, KEYS) as own:
            send(own, shared, alerts=policy(per_hour=3))

    at_once(work)
    send(catalog, shared, alerts=policy(per_hour=3))

    assert len([one for one in shared.channel.accepted if one.root is not None]) == 3
    assert len(shared.channel.accepted) == 4  # and one summary


def test_a_claim_takes_all_or_none_and_ends_with_its_lease(catalog: Catalog) -> None:
    change(catalog)
    catalog.alerts.route({one.number: ["pager"] for one in catalog.alerts.unrouted()}, now=NOON)
    [waiting] = catalog.alerts.waiting()
    first, second = (ClaimedMessage(id=by, channel="pager", shape="SINGLE", by=by) for by in ("a", "b"))

    def is_claimed(message: ClaimedMessage, *numbers: int) -> bool:
        return catalog.alerts.claim([waiting.number, *numbers], message, now=NOON, ttl=HOUR, per_hour=None)

    assert not is_claimed(first, 77)
    assert is_claimed(first)
    assert not is_claimed(second)
    assert not catalog.alerts.begin(first, now=NOON + HOUR)
    assert not catalog.alerts.begin(second, now=NOON)
    catalog.alerts.recover(now=NOON + HOUR)
    assert not catalog.alerts.begin(first, now=NOON)
    assert is_claimed(second)
