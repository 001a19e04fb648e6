"""The relay sends each record at least once and in order, whatever the brokers do, and never fails a run."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from data_platform.catalog import Catalog
from data_platform.errors import DataPlatformError, SourceUnavailableError
from data_platform.evidence_bus import relay as relaying
from data_platform.evidence_bus.producer import EvidenceProducer, read_properties
from data_platform.evidence_bus.relay import CLAIM, Passed, Relay
from data_platform.model.evidence import Evidence
from data_platform_tests.catalog.example import NOW, evidence

TOPIC = "signal_factory.evidence"


@dataclass
class FakeBrokers:
    """Accept the first ``room`` records of each batch; ``log`` has what they received, acknowledged or not."""

    room: int = 10**6
    topic: str = TOPIC
    error: str = "refused"
    log: list[str] = field(default_factory=list)

    def send(self, records: Sequence[Evidence], seconds: float) -> int:  # noqa: ARG002
        self.log += [record.run_id for record in records]
        return min(len(records), self.room)

    def close(self) -> None:
        pass


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


def relay(catalog: Catalog, brokers: Any, clock: Clock | None = None) -> Relay:
    return Relay(catalog, brokers, clock or Clock())


def fill(catalog: Catalog, count: int, start: int = 0) -> list[str]:
    names = [f"run_{number}" for number in range(start, start + count)]
    catalog.evidence.add([evidence(name) for name in names])
    return names


def test_everything_is_sent_once_in_order_and_then_nothing(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "BATCH", 4)
    names, brokers = fill(catalog, 10), FakeBrokers()
    sender = relay(catalog, brokers)

    assert [sender.pass_on(), sender.pass_on()] == [Passed(10), Passed(0)]

    assert brokers.log == names
    assert catalog.evidence_relay.waiting(TOPIC).records == 0


def test_what_is_not_acknowledged_is_sent_again_from_there(catalog: Catalog) -> None:
    fill(catalog, 5)
    brokers = FakeBrokers(room=2)
    sender = relay(catalog, brokers)

    assert sender.pass_on() == Passed(2, "refused")
    waiting = catalog.evidence_relay.waiting(TOPIC)
    brokers.room = 10
    assert sender.pass_on() == Passed(3)

    assert (waiting.records, waiting.oldest) == (3, NOW)
    assert brokers.log == ["run_0", "run_1", "run_2", "run_3", "run_4", "run_2", "run_3", "run_4"]


def test_another_topic_receives_the_log_from_its_beginning(catalog: Catalog) -> None:
    names = fill(catalog, 3)
    relay(catalog, FakeBrokers()).pass_on()
    other = FakeBrokers(topic="other")

    assert relay(catalog, other).pass_on() == Passed(3)
    assert other.log == names


def test_one_process_sends_and_another_takes_over_when_its_claim_ends(catalog: Catalog) -> None:
    clock, brokers = Clock(), FakeBrokers()
    first, second = relay(catalog, brokers, clock), relay(catalog, brokers, clock)
    fill(catalog, 1)
    assert first.pass_on(keep=True) == Passed(1)
    fill(catalog, 1, start=1)

    assert second.pass_on() == Passed(0, elsewhere=True)
    clock.now += CLAIM + timedelta(seconds=1)  # the first was killed
    assert second.pass_on() == Passed(1)

    fill(catalog, 1, start=2)
    assert first.pass_on(keep=True) == Passed(1)
    first.close()
    fill(catalog, 1, start=3)
    assert second.pass_on() == Passed(1)
    assert brokers.log == ["run_0", "run_1", "run_2", "run_3"]


def unavailable(*_: object) -> None:
    raise SourceUnavailableError("the catalog did not answer")


def test_a_run_waits_for_dead_brokers_once_and_never_fails(
    catalog: Catalog, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(catalog, 2)
    brokers = FakeBrokers(room=0)
    sender = relay(catalog, brokers)

    sender.pass_on_in_passing()
    sender.pass_on_in_passing()
    assert (len(brokers.log), "evidence was not sent to Kafka: refused" in caplog.text) == (2, True)

    sender.rests_until = 0
    monkeypatch.setattr(catalog.evidence_relay, "unsent", unavailable)
    sender.pass_on_in_passing()
    assert "evidence was not sent to Kafka: the catalog did not answer" in caplog.text


def test_following_goes_on_after_failures_and_reports_each_change(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaying, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(relaying, "MOST_PAUSE_SECONDS", 0.01)
    fill(catalog, 2)
    stop, reports, brokers = Event(), [], FakeBrokers(room=0)

    def report(passed: Passed) -> None:
        reports.append(passed)
        if passed.problem:
            brokers.room = 10
        else:
            stop.set()

    relay(catalog, brokers).follow(stop, report)

    assert reports == [Passed(0, "refused"), Passed(2)]


def test_brokers_that_are_not_there_cost_the_limit_and_name_the_problem(catalog: Catalog) -> None:
    fill(catalog, 1)
    producer = EvidenceProducer("127.0.0.1:9", TOPIC)

    passed = relay(catalog, producer).pass_on(seconds=0.5)

    assert passed.records == 0
    assert re.search(r"127\.0\.0\.1:9|did not acknowledge|brokers are down", passed.problem)
    assert catalog.evidence_relay.waiting(TOPIC).records == 1


class BrokenClient:
    """A client in the state after which nothing can be sent any more."""

    def produce(self, *_: object, **__: object) -> None:
        raise KafkaException(KafkaError(KafkaError._FATAL, "the sequence is out of order"))

    def flush(self, seconds: float) -> None:
        pass

    poll = purge = lambda *_: None


def test_a_client_that_cannot_go_on_is_replaced(catalog: Catalog) -> None:
    fill(catalog, 1)
    producer = EvidenceProducer("127.0.0.1:9", TOPIC, _producer=BrokenClient())  # type: ignore[arg-type]

    assert relay(catalog, producer).pass_on() == Passed(0, "the sequence is out of order")
    assert producer._producer is None


class SlowClient:
    """Acknowledges nothing before the third time that somebody waits for it."""

    def __init__(self) -> None:
        self.waited, self.callbacks = 0, []

    def produce(self, topic: str, *, on_delivery: Any, **_: object) -> None:  # noqa: ARG002
        self.callbacks.append(on_delivery)

    def flush(self, seconds: float) -> None:  # noqa: ARG002
        self.waited += 1
        for callback in self.callbacks if self.waited == 3 else ():
            callback(None, None)

    poll = purge = lambda *_: None


def test_a_slow_broker_gets_each_record_once_however_often_it_is_waited_for(catalog: Catalog) -> None:
    fill(catalog, 2)
    client = SlowClient()
    sender = relay(catalog, EvidenceProducer("127.0.0.1:9", TOPIC, _producer=client))  # type: ignore[arg-type]

    passed = [sender.pass_on().records for _ in range(3)]

    assert (passed, len(client.callbacks)) == ([0, 0, 2], 2)
    assert catalog.evidence_relay.waiting(TOPIC).records == 0


def test_properties_of_the_client_are_read_and_wrong_ones_are_named(catalog: Catalog, tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# production\nsecurity.protocol = SASL_SSL\nsasl.password=a=b\n\n")
    assert read_properties(file) == {"security.protocol": "SASL_SSL", "sasl.password": "a=b"}

    file.write_text("none")
    with pytest.raises(DataPlatformError, match=r"line 1: expected name=value"):
        read_properties(file)
    file.write_text("no.such.property=1")
    fill(catalog, 1)
    with pytest.raises(DataPlatformError, match=r"client\.properties\): .*no.such.property"):
        relay(catalog, EvidenceProducer("127.0.0.1:9", TOPIC, file)).pass_on()
