"""A Kafka producer that reports which records of a batch the brokers have.

Kafka's own client is imported when the first record is sent. The producer is idempotent and waits for all replicas. It
never gives a record up by itself: a record that was given up between two others would break the order. What is not
acknowledged in time stays with the client, which goes on trying, and the next call waits for it again. Only a client
that reports an error for a record is replaced, and then all of its records are sent again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from data_platform.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from confluent_kafka import KafkaError, Message, Producer

    from data_platform.model.evidence import Evidence

BUFFER_KIBIBYTES = 16_384
EVIDENCE_ID = "evidence_id"
"""The header by which consumers recognize a record that they have seen."""
_FIXED: Mapping[str, Any] = {
    "enable.idempotence": True,
    "acks": "all",
    "message.timeout.ms": 0,  # no limit: see above
    "queue.buffering.max.kbytes": BUFFER_KIBIBYTES,
    "linger.ms": 5,
    "reconnect.backoff.ms": 200,
    "reconnect.backoff.max.ms": 2_000,
    "client.id": "data-platform-evidence",
    "log_level": 0,  # errors arrive by the callback; the client's log repeats them twenty times a second
}


@dataclass
class EvidenceProducer:
    """``config_file`` has further properties of the client, one a line. ``error`` is the last problem."""

    bootstrap: str
    topic: str
    config_file: Path | None = None
    error: str = ""
    _producer: Producer | None = field(default=None, repr=False)
    _acknowledged: dict[str, bool] = field(default_factory=dict, repr=False)
    """The records that the client has, by their id."""
    _is_broken: bool = field(default=False, repr=False)

    def send(self, records: Sequence[Evidence], seconds: float) -> int:
        """Returns how many records, from the first, the brokers have; it takes ``seconds`` at most.

        Raises:
            EnvironmentProblem: The configuration is wrong, or the client is not installed.
        """
        producer = self.open()
        self._hand_over(producer, records)
        producer.flush(seconds)
        done = sum(1 for _ in takewhile(lambda record: self._acknowledged.get(record.evidence_id), records))
        for record in records[:done]:
            del self._acknowledged[record.evidence_id]
        if done == len(records):
            self.error = ""
        else:
            self.error = self.error or f"the brokers did not acknowledge within {seconds:g} seconds"
        if self._is_broken:
            self.close()
        return done

    def close(self) -> None:
        if self._producer is not None:
            self._producer.purge()
            self._producer.poll(0)
        self._producer, self._is_broken = None, False
        self._acknowledged.clear()

    def _hand_over(self, producer: Producer, records: Sequence[Evidence]) -> None:
        """Gives the client the records that it does not have, unless it can send nothing any more."""
        from confluent_kafka import KafkaException

        try:
            for record in records:
                if record.evidence_id in self._acknowledged:
                    continue
                self._acknowledged[record.evidence_id] = False
                producer.produce(
                    self.topic,
                    key=record.dataset_urn.encode(),
                    value=json.dumps(record.payload(), ensure_ascii=False).encode(),
                    headers=[(EVIDENCE_ID, record.evidence_id.encode())],
                    on_delivery=partial(self._note, record.evidence_id),
                )
                producer.poll(0)
        except (KafkaException, BufferError) as error:
            self.error, self._is_broken = reason_of(error), True

    def open(self) -> Producer:
        """The client, which connects by itself when it has something to send.

        Raises:
            EnvironmentProblem: The configuration is wrong, or the client is not installed.
        """
        if self._producer is None:
            try:
                from confluent_kafka import KafkaException, Producer
            except ImportError:
                raise EnvironmentProblem("Kafka needs the package confluent-kafka, which is not installed") from None
            own = read_properties(self.config_file) if self.config_file else {}
            config = {**own, **_FIXED, "bootstrap.servers": self.bootstrap, "error_cb": self._note_error}
            try:
                self._producer = Producer(config)
            except (KafkaException, ValueError, TypeError) as error:
                place = self.config_file or "DATA_PLATFORM_KAFKA_BOOTSTRAP"
                raise EnvironmentProblem(
                    f"Kafka's client refuses its configuration ({place}): {reason_of(error)}"
                ) from None
        return self._producer

    def _note(self, evidence_id: str, error: KafkaError | None, message: Message) -> None:  # noqa: ARG002
        if error is None:
            self._acknowledged[evidence_id] = True
        elif not error.name().startswith("_PURGE"):
            self.error, self._is_broken = error.str(), True

    def _note_error(self, error: KafkaError) -> None:
        self.error = error.str()


def reason_of(error: Exception) -> str:
    """The text of the client's error, without its codes."""
    reason = error.args[0] if error.args else error
    return str(reason.str()) if hasattr(reason, "str") else str(reason)


def read_properties(file: Path) -> dict[str, str]:
    """Properties of the client, as in Kafka's own files; ``#`` begins a comment.

    Raises:
        UsageError: The file cannot be read, or a line has no ``=``.
    """
    try:
        lines = file.read_text().splitlines()
    except OSError as error:
        raise UsageError(f"DATA_PLATFORM_KAFKA_CONFIG_FILE: {file} cannot be read: {error.strerror}") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if not (text := line.strip()) or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{file}, line {number}: expected name=value, such as security.protocol=SASL_SSL")
        found[name.strip()] = value.strip()
    return found
