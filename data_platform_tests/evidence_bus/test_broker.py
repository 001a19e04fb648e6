"""With a real broker: all records arrive, keyed and recognizable, also if it is killed meanwhile."""

import json
import tempfile
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform.evidence_bus.producer import EvidenceProducer
from data_platform.evidence_bus.relay import Passed, Relay
from data_platform.installation import Platform
from data_platform.model.evidence import FIELDS
from data_platform.settings import read_settings
from data_platform_tests.catalog.example import ORDERS, evidence
from data_platform_tests.own_kafka import BOOTSTRAP, WHY, OwnKafka, evidence_id, messages_of

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BOOTSTRAP is None, reason=WHY)]
URNS = (ORDERS, "ds://curated/items", "ds://curated/users")


def now() -> datetime:
    return datetime.now(UTC)


def fill(catalog: Catalog, count: int, run: str) -> None:
    catalog.evidence.add(
        [evidence(f"{run}_{n}", dataset_urn=URNS[n % 3], failure_signature="é→") for n in range(count)]
    )


def test_a_topic_has_every_record_keyed_by_its_dataset_with_the_payload_alone(catalog: Catalog) -> None:
    topic = f"test_{uuid.uuid4().hex}"
    fill(catalog, 12, "run")
    sender = Relay(catalog, EvidenceProducer(BOOTSTRAP or "", topic), now)

    assert [sender.pass_on(seconds=20), sender.pass_on()] == [Passed(12), Passed(0)]
    sender.close()

    found = messages_of(BOOTSTRAP or "", topic)
    recorded = {record.evidence_id: record for record in catalog.evidence.find()}
    assert {evidence_id(message): json.loads(message.value()) for message in found} == {
        name: record.payload() for name, record in recorded.items()
    }
    assert all(tuple(json.loads(message.value())) == FIELDS for message in found)
    assert all(message.key().decode() == recorded[evidence_id(message)].dataset_urn for message in found)
    assert {len({m.partition() for m in found if m.key().decode() == urn}) for urn in URNS} == {1}


def test_a_stage_sends_what_it_recorded_before_it_ends(tmp_path: Path) -> None:
    settings = read_settings(
        {
            "DATA_PLATFORM_HOME": str(tmp_path),
            "DATA_PLATFORM_KAFKA_BOOTSTRAP": BOOTSTRAP or "",
            "DATA_PLATFORM_KAFKA_TOPIC": f"test_{uuid.uuid4().hex}",
        }
    )
    platform = Platform(settings)
    fill(platform.catalog, 3, "run")

    waiting = platform.catalog.evidence_relay.waiting(settings.kafka_topic).records
    for _ in range(10):  # the first one makes the topic
        platform.evidence_relay.rests_until = 0  # type: ignore[union-attr]
        platform.relay_evidence()
    left = platform.catalog.evidence_relay.waiting(settings.kafka_topic).records
    platform.close()

    assert (waiting, left, len(messages_of(BOOTSTRAP or "", settings.kafka_topic))) == (3, 0, 3)


@pytest.fixture
def broker() -> Iterator[OwnKafka]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        own = OwnKafka.made_in(Path(folder))
        own.start()
        try:
            yield own
        finally:
            own.kill()


def test_nothing_is_lost_or_reordered_by_a_broker_that_is_killed_and_comes_back(
    catalog: Catalog, broker: OwnKafka
) -> None:
    topic, stop, reports = "evidence", threading.Event(), []
    sender = Relay(catalog, EvidenceProducer(broker.bootstrap, topic), now)
    fill(catalog, 2_000, "before")
    following = threading.Thread(target=sender.follow, args=(stop, reports.append), daemon=True)
    following.start()
    wait_for(lambda: catalog.evidence_relay.waiting(topic).records < 2_000)

    broker.kill()
    fill(catalog, 300, "while")
    wait_for(lambda: any(report.problem for report in reports))
    broker.start()
    fill(catalog, 300, "after")
    wait_for(lambda: catalog.evidence_relay.waiting(topic).records == 0)
    stop.set()
    following.join()
    sender.close()

    recorded = list(reversed(catalog.evidence.find(limit=10_000)))
    found = messages_of(broker.bootstrap, topic)
    for urn in URNS:
        first = dict.fromkeys(evidence_id(message) for message in found if message.key().decode() == urn)
        assert list(first) == [record.evidence_id for record in recorded if record.dataset_urn == urn]


def wait_for(condition: object, seconds: float = 90) -> None:
    until = datetime.now(UTC).timestamp() + seconds
    while not condition():  # type: ignore[operator]
        assert datetime.now(UTC).timestamp() < until, "it did not happen"
        threading.Event().wait(0.05)
