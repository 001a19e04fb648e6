"""A Kafka producer that says which records of a batch the brokers have.

Kafka's own client is imported when the first record is sent. The producer is idempotent, waits for all replicas, and
holds at most one batch. It never gives a record up by itself: a record that was given up between two others would break
the order. Instead a batch that is not acknowledged in time is abandoned with its producer, and sent again from the
first record that is not acknowledged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
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

    def send(self, records: Sequence[Evidence], seconds: float) -> int:
        """Returns how many records, from the first, the brokers have; it takes ``seconds`` at most.

        Raises:
            EnvironmentProblem: The configuration is wrong, or the client is not installed.
        """
        producer, done = self._open(), [False] * len(records)
        for place, record in enumerate(records):
            producer.produce(
                self.topic,
                key=record.dataset_urn.encode(),
                value=json.dumps(record.payload(), ensure_ascii=False).encode(),
                headers=[(EVIDENCE_ID, record.evidence_id.encode())],
                on_delivery=partial(self._note, done, place),
            )
            producer.poll(0)
        producer.flush(seconds)
        if all(done):
            self.error = ""
            return len(done)
        self.error = self.error or f"the brokers did not acknowledge within {seconds:g} seconds"
        self.close()
        return done.index(False)

    def close(self) -> None:
        if self._producer is not None:
            self._producer.purge()
            self._producer.poll(0)
            self._producer = None

    def _open(self) -> Producer:
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
                reason = error.args[0] if error.args else error
                text = getattr(reason, "str", lambda: str(reason))()
                raise EnvironmentProblem(f"Kafka's client refuses its configuration ({place}): {text}") from None
        return self._producer

    def _note(self, done: list[bool], place: int, error: KafkaError | None, message: Message) -> None:  # noqa: ARG002
        done[place] = error is None
        if error is not None and not error.name().startswith("_PURGE"):
            self.error = error.str()

    def _note_error(self, error: KafkaError) -> None:
        self.error = error.str()


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
