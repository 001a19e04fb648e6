"""What chains of evidence cost, and how long a record takes from its commit to a consumer of Kafka.

Starts a broker of its own (``scripts/kafka.py``). Prints one JSON document: seconds to append a stage's records and to
verify the log, and the latency of the bus, written while a relay follows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer

from data_platform.catalog import open_catalog
from data_platform.evidence_bus.producer import EVIDENCE_ID, EvidenceProducer
from data_platform.evidence_bus.relay import Relay
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_key import EvidenceKeys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.catalog import Catalog

TOPIC, PORT = "signal_factory.evidence", 39_192
STAGES, RECORDS_OF_A_STAGE, ON_THE_BUS = 400, 6, 60
BAR_SECONDS = 5


def now() -> datetime:
    return datetime.now(UTC)


def records(run: str, count: int = RECORDS_OF_A_STAGE) -> list[Evidence]:
    return [
        Evidence(dataset_urn=f"ds://bench/orders_{n % 3}", run_id=run, gate="DQ", result="PASS", timestamp=now())
        for n in range(count)
    ]


def measure_log(catalog: Catalog) -> dict[str, Any]:
    """Appends the records of many stages, each in a transaction, and verifies them."""
    seconds = []
    for stage in range(STAGES):
        began = time.perf_counter()
        catalog.evidence.add(records(f"run_{stage}"))
        seconds.append(time.perf_counter() - began)
    began = time.perf_counter()
    result = catalog.evidence.verify()
    rate = result.records / (time.perf_counter() - began)
    return {"append_stage_ms_median": round(median(seconds) * 1000, 2), "verified_records_per_second": round(rate)}


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    script = Path(__file__).parents[1] / "scripts" / "kafka.py"
    command = [sys.executable, str(script), "--port", str(PORT), "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        yield f"127.0.0.1:{PORT}"
    finally:
        process.terminate()
        process.wait(60)


def measure_bus(catalog: Catalog, bootstrap: str) -> dict[str, Any]:
    """Adds a record every 50 ms while a relay follows, and notes when a consumer has it."""
    stop, sender = threading.Event(), Relay(catalog, EvidenceProducer(bootstrap, TOPIC), now)
    following = threading.Thread(target=sender.follow, args=(stop, lambda _: None), daemon=True)
    following.start()
    while catalog.evidence_relay.waiting(TOPIC).records:
        time.sleep(0.1)
    received: dict[str, float] = {}
    reading = threading.Thread(target=read, args=(bootstrap, stop, received), daemon=True)
    reading.start()
    written = {}
    for number in range(ON_THE_BUS):
        catalog.evidence.add(records(f"bus_{number}", 1))
        written[f"bus_{number}"] = time.perf_counter()
        time.sleep(0.05)
    until = time.monotonic() + 60
    while not written.keys() <= received.keys() and time.monotonic() < until:
        time.sleep(0.05)
    stop.set()
    following.join()
    reading.join()
    sender.close()
    seconds = [received[name] - began for name, began in written.items()]
    worst = max(seconds)
    return {
        "to_consumer_s_median": round(median(seconds), 3),
        "to_consumer_s_p99": round(quantiles(seconds, n=100)[98], 3),
        "to_consumer_s_max": round(worst, 3),
        "bar_s": BAR_SECONDS,
        "within_bar": worst < BAR_SECONDS,
    }


def read(bootstrap: str, stop: threading.Event, received: dict[str, float]) -> None:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "bench", "auto.offset.reset": "earliest"})
    consumer.subscribe([TOPIC])
    seen = set()
    while not stop.is_set():
        message = consumer.poll(0.05)
        if message is None or message.error() is not None:
            continue
        name = dict(message.headers() or ())[EVIDENCE_ID]
        if name not in seen:  # at least once: a record may arrive again
            seen.add(name)
            received.setdefault(json.loads(message.value() or b"")["run_id"], time.perf_counter())
    consumer.close()


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        with open_catalog(f"sqlite:///{place / 'catalog.db'}", EvidenceKeys(place / "evidence.key")) as catalog:
            found = measure_log(catalog)
            with broker(place / "kafka") as bootstrap:
                found |= measure_bus(catalog, bootstrap)
    print(json.dumps({"evidence_bus": found}, indent=2))


if __name__ == "__main__":
    main()
