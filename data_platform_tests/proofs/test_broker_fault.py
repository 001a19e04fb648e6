"""A network that fails between the relay and Kafka loses no record of evidence, and changes no order."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform.evidence_bus.producer import EvidenceProducer
from data_platform.evidence_bus.relay import Relay
from data_platform_tests.evidence_bus.conftest import catalog
from data_platform_tests.evidence_bus.test_broker import URNS, fill, now, wait_for
from data_platform_tests.own_kafka import BOOTSTRAP, WHY, OwnKafka, evidence_id, messages_of
from data_platform_tests.proofs.faulty_proxy import Fault, FaultyProxy, proxied

__all__ = ["catalog"]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BOOTSTRAP is None, reason=WHY)]
RECORD = b"evidence_id"
"""Bytes of a message that has records."""


@pytest.fixture
def proxy() -> Iterator[tuple[FaultyProxy, OwnKafka]]:
    """A broker whose clients are told to use the proxy's port."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        broker = OwnKafka.made_in(Path(folder))
        with proxied("127.0.0.1", broker.port) as made:
            broker.advertised = made.port
            broker.start()
            yield made, broker
            broker.kill()


def test_faults_of_the_network_lose_and_reorder_nothing(
    catalog: Catalog,
    proxy: tuple[FaultyProxy, OwnKafka],
) -> None:
    network, _broker = proxy
    topic, stop, reports = "evidence", threading.Event(), []
    sender = Relay(catalog, EvidenceProducer(f"127.0.0.1:{network.port}", topic), now)
    following = threading.Thread(target=sender.follow, args=(stop, reports.append), daemon=True)
    following.start()
    network.latency_seconds = 0.01
    for number, fault in enumerate((Fault.RESET, Fault.CUT, Fault.REPLY_LOST, Fault.REQUEST_LOST), start=1):
        network.break_next(fault, RECORD)
        fill(catalog, 60, fault.name)
        wait_for(lambda wanted=number: network.happened == wanted)
        wait_for(lambda: catalog.evidence_relay.waiting(topic).records == 0)

    network.fault = Fault.BLACK_HOLE
    fill(catalog, 60, "hole")
    wait_for(lambda: any(report.problem for report in reports))
    assert catalog.evidence_relay.waiting(topic).records == 60
    network.restore()
    wait_for(lambda: catalog.evidence_relay.waiting(topic).records == 0)
    stop.set()
    following.join()
    sender.close()

    found = messages_of(f"127.0.0.1:{network.port}", topic)
    recorded = list(reversed(catalog.evidence.find(limit=10_000)))
    assert len(recorded) == 300
    for urn in URNS:
        first = dict.fromkeys(evidence_id(message) for message in found if message.key().decode() == urn)
        assert list(first) == [record.evidence_id for record in recorded if record.dataset_urn == urn]
