"""``evidence relay`` sends what Kafka does not have, says what waits, and follows until it is stopped."""

import os
import signal
import subprocess
import sys
import uuid

import pytest

from data_platform.evidence_bus import relay as relaying
from data_platform_tests.cli.shop import Shop, certify, hold
from data_platform_tests.own_kafka import BOOTSTRAP, WHY

NOBODY = "127.0.0.1:9"
COMMAND = [sys.executable, "-u", "-c", "from data_platform.cli.main import app; app()", "evidence", "relay", "--follow"]


def test_without_brokers_it_names_the_setting(shop: Shop) -> None:
    result = shop.run("evidence", "relay")

    assert result.exit_code == 2
    assert "set DATA_PLATFORM_KAFKA_BOOTSTRAP" in result.stderr
    assert "wait for Kafka" not in shop.run("status").stdout


def test_dead_brokers_are_an_error_and_status_shows_what_waits(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "ONCE_SECONDS", 0.5)
    certify(shop)
    hold(shop)

    result = shop.run("evidence", "relay", DATA_PLATFORM_KAFKA_BOOTSTRAP=NOBODY)
    status = shop.run("status", DATA_PLATFORM_KAFKA_BOOTSTRAP=NOBODY)

    assert result.exit_code == 1
    assert "0 sent, 2 waiting" in result.stdout
    assert "Kafka did not accept 2 records" in result.stderr
    assert (
        "2 records of evidence wait for Kafka (signal_factory.evidence), the oldest since 2025-01-07 03:00:05 UTC"
        in status.stdout
    )


@pytest.mark.slow
def test_following_says_what_it_waits_for_and_sigterm_ends_it_cleanly(shop: Shop) -> None:
    certify(shop)
    given = {name: value for name, value in shop.environment.items() if value is not None}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DATA_PLATFORM_")}
    with subprocess.Popen(  # noqa: S603
        COMMAND,
        env={**kept, **given, "DATA_PLATFORM_KAFKA_BOOTSTRAP": NOBODY},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        first, second = process.stdout.readline(), process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()

    assert process.returncode == 0
    assert first == f"sends evidence to signal_factory.evidence at {NOBODY}\n"
    assert "0 sent, 1 waiting; waits for Kafka: " in second
    assert rest.endswith("stopped\n")


def test_following_has_no_json(shop: Shop) -> None:
    result = shop.run("evidence", "relay", "--follow", "--json", DATA_PLATFORM_KAFKA_BOOTSTRAP=NOBODY)

    assert result.exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(BOOTSTRAP is None, reason=WHY)
def test_what_is_sent_does_not_wait_any_more(shop: Shop) -> None:
    certify(shop)
    hold(shop)
    given = {
        "DATA_PLATFORM_KAFKA_BOOTSTRAP": BOOTSTRAP or "",
        "DATA_PLATFORM_KAFKA_TOPIC": f"test_{uuid.uuid4().hex}",
    }

    first, second = (shop.run("evidence", "relay", **given) for _ in range(2))

    assert [first.stdout, second.stdout] == ["2 sent, 0 waiting\n", "0 sent, 0 waiting\n"]
    assert "wait for Kafka" not in shop.run("status", **given).stdout
