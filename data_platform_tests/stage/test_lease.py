"""A lease is renewed while its run lives, taken from a dead one at once, and waited for with a limit and a message."""

import os
import socket
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data_platform.errors import LeaseHeldError, StoppedError
from data_platform.installation import Platform
from data_platform.stage import lease_owner
from data_platform.stage.lease import leased
from data_platform_tests.flows.estate import ORDERS, Estate, declare_orders

ELSEWHERE = "run_2@another-host:7:1:0123456789abcdef"
HOUR = timedelta(hours=1)
PATIENCE_SECONDS = 60


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    estate = Estate(tmp_path, spark=None)
    declare_orders(estate)
    settings = replace(estate.settings, lease=timedelta(seconds=1), lease_wait=timedelta(0))
    return Platform(settings, on_step=lambda step, told: steps.append((step, told)))


steps: list[tuple[str, dict[str, Any]]] = []


@pytest.fixture(autouse=True)
def forget_steps() -> None:
    steps.clear()


def take(platform: Platform, owner: str, ttl: timedelta = HOUR) -> None:
    platform.catalog.leases.take(ORDERS, owner=owner, now=platform.now(), ttl=ttl)


def test_a_lease_is_renewed_until_its_end(platform: Platform) -> None:
    with leased(platform, platform.policies.dataset("orders"), "run_1"):
        first = platform.catalog.leases.get(ORDERS)
        until = time.monotonic() + PATIENCE_SECONDS
        while platform.catalog.leases.get(ORDERS) == first and time.monotonic() < until:
            time.sleep(0.01)
        renewed = platform.catalog.leases.get(ORDERS)

    assert first is not None
    assert renewed is not None
    assert renewed.expires_at > first.expires_at
    assert renewed.taken_at == first.taken_at
    assert platform.catalog.leases.get(ORDERS) is None


def test_the_lease_of_a_dead_process_is_taken_at_once_and_that_is_reported(platform: Platform) -> None:
    dead = f"run_dead@{socket.gethostname()}:{os.getpid()}:1:{lease_owner.this_process('x').rsplit(':', 1)[1]}"
    take(platform, dead)

    with leased(platform, platform.policies.dataset("orders"), "run_1"):
        assert str(platform.catalog.leases.owner(ORDERS)).startswith("run_1@")

    [freed] = [told["message"] for step, told in steps if step == "freed"]
    assert freed.startswith("run_dead on ")
    assert freed.endswith(f"is dead; its lease of {ORDERS} was freed")


def test_a_wait_reports_the_owner_and_since_when_and_ends_with_an_error_that_names_the_setting(
    platform: Platform,
) -> None:
    platform.settings = replace(platform.settings, lease_wait=timedelta(seconds=0.1))
    platform.now = lambda: datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
    take(platform, ELSEWHERE)

    with (
        pytest.raises(LeaseHeldError, match=r"run_2@another-host.*DATA_PLATFORM_LEASE_WAIT_SECONDS"),
        leased(platform, platform.policies.dataset("orders"), "run_1"),
    ):
        pass

    [waiting] = [told["message"] for step, told in steps if step == "waiting"]
    assert waiting == (
        f"waiting for run_2 on another-host (process 7), which has been writing {ORDERS} "
        "since 2025-01-07 03:00:00 UTC; waited 0 of at most 0 seconds"
    )


def test_a_run_elsewhere_that_does_not_renew_its_lease_is_waited_for_no_longer_than_that(platform: Platform) -> None:
    platform.settings = replace(platform.settings, lease_wait=HOUR)
    take(platform, ELSEWHERE, timedelta(seconds=0.5))

    with leased(platform, platform.policies.dataset("orders"), "run_1"):
        assert str(platform.catalog.leases.owner(ORDERS)).startswith("run_1@")


def test_a_process_that_is_asked_to_end_waits_no_longer(platform: Platform) -> None:
    platform.settings = replace(platform.settings, lease_wait=HOUR)
    take(platform, ELSEWHERE)
    threading.Timer(0.1, platform.stopping.set).start()

    with pytest.raises(StoppedError), leased(platform, platform.policies.dataset("orders"), "run_1"):
        pass

    assert platform.catalog.leases.owner(ORDERS) == ELSEWHERE


def test_a_run_that_has_lost_its_lease_does_not_write(platform: Platform) -> None:
    with leased(platform, platform.policies.dataset("orders"), "run_1") as lease:
        lease.confirm()
        platform.catalog.leases.release(ORDERS, owner=str(platform.catalog.leases.owner(ORDERS)))
        take(platform, ELSEWHERE)

        with pytest.raises(LeaseHeldError, match="taken over by another run"):
            lease.confirm()

    assert platform.catalog.leases.owner(ORDERS) == ELSEWHERE
