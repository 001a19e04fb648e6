"""Concurrent runs of one dataset: one writes, the others wait or fail clearly, and every run's rows arrive once."""

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from data_platform.errors import LeaseHeldError
from data_platform.ingestion import examined_file
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport, new_run_id
from data_platform.stage import driver, lease
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, declare_orders, orders

NO_TIME = timedelta(0)
PATIENCE_SECONDS = 300
"""After which a test that waits for another thread is told that it will wait for ever."""


def run(platform: Platform, day: PartitionKey, run_id: str = "") -> list[StageReport]:
    dataset = platform.policies.dataset("orders")
    return list(driver.run(platform, dataset, day, run_id or new_run_id(platform.now())))


def pausing(platform: Platform, step: str, paused: Event, go_on: Event) -> Platform:
    """Let ``platform`` stop at its first ``step``, with the lease in its hand, until ``go_on``."""

    def pause(said: str, _told: dict[str, Any]) -> None:
        if said == step and not paused.is_set():
            paused.set()
            assert go_on.wait(PATIENCE_SECONDS)

    platform.on_step = pause
    return platform


def telling(platform: Platform, step: str, heard: Event) -> Platform:
    platform.on_step = lambda said, _told: heard.set() if said == step else None
    return platform


def test_a_second_run_of_a_day_gives_up_after_its_wait_and_a_later_one_succeeds(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first", "2,3,")
    paused, go_on = Event(), Event()
    first, second = pausing(estate.platform(), "commit", paused, go_on), estate.platform(lease_wait=NO_TIME)
    with ThreadPoolExecutor() as threads:
        running = threads.submit(run, first, DAY, "run_20250107_000000000001")
        assert paused.wait(PATIENCE_SECONDS)

        with pytest.raises(LeaseHeldError, match=r"ds://sales/orders is being written by run_20250107_000000000001@"):
            run(second, DAY)
        go_on.set()

        assert running.result()[-1].stage is Stage.CERTIFIED
    assert run(second, DAY)[-1].stage is Stage.CERTIFIED
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 2]
    assert first.catalog.runs.open_intents() == ()
    assert first.catalog.leases.owner(ORDERS) is None
    first.close()
    second.close()


def test_four_runs_of_four_days_at_once_wait_for_each_other_and_all_arrive(estate: Estate) -> None:  # C20
    days = [DAY.shifted(n) for n in range(4)]
    declare_orders(estate)
    for number, day in enumerate(days):
        orders(estate, f"{number},1.00,good", f"{number + 10},-1.00,bad", day=day)
    paused, waited = Event(), Event()
    first = pausing(estate.platform(), "commit", paused, go_on=waited)
    others = [telling(estate.platform(), "waiting", waited) for _ in days[1:]]
    with ThreadPoolExecutor(len(days)) as threads:
        running = [threads.submit(run, first, days[0])]
        assert paused.wait(PATIENCE_SECONDS)
        running += [threads.submit(run, platform, day) for platform, day in zip(others, days[1:], strict=True)]

        ends = [future.result()[-1] for future in running]

    assert [end.stage for end in ends] == [Stage.CERTIFIED] * 4
    assert [(row["id"], row["day"]) for row in estate.certified_rows("orders")] == [
        (number, day.value) for number, day in enumerate(days)
    ]
    aside = {entry.partition: entry.rows for entry in first.catalog.quarantine.entries(ORDERS)}
    assert aside == {str(day): 1 for day in days}
    assert first.catalog.runs.open_intents() == ()
    for platform in (first, *others):
        platform.close()


def test_a_large_delivery_is_read_before_its_run_waits_for_the_lease(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    read: list[str] = []
    read_content = examined_file.read_content
    monkeypatch.setattr(examined_file, "read_content", lambda *file: read.append(file[2]) or read_content(*file))
    platform = estate.platform(lease_wait=NO_TIME)
    dataset = platform.policies.dataset("orders")
    platform.catalog.leases.take(ORDERS, owner="run_a@another-machine:1", now=estate.now, ttl=timedelta(hours=1))

    with pytest.raises(LeaseHeldError):
        driver.run_stage(platform, dataset, Stage.BRONZE, DAY, "run_20250107_000000000001")

    assert read == ["orders.csv"]
    platform.close()


def test_a_lease_is_taken_over_only_from_an_owner_that_is_dead(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    platform = estate.platform(lease_wait=NO_TIME)
    dataset, host = platform.policies.dataset("orders"), socket.gethostname()
    ended = subprocess.Popen([sys.executable, "-c", ""])  # noqa: S603
    ended.wait()

    for alive in ("run_a@another-machine:1", f"run_b@{host}:{os.getpid()}", "run_c"):
        platform.catalog.leases.take(ORDERS, owner=alive, now=estate.now, ttl=timedelta(hours=1))
        with pytest.raises(LeaseHeldError, match=alive):
            driver.run_stage(platform, dataset, Stage.BRONZE, DAY, "run_20250107_000000000002")
        assert platform.catalog.leases.owner(ORDERS) == alive
        platform.catalog.leases.release(ORDERS, owner=alive)
    platform.catalog.leases.take(ORDERS, owner=f"run_d@{host}:{ended.pid}", now=estate.now, ttl=timedelta(hours=1))

    assert driver.run_stage(platform, dataset, Stage.BRONZE, DAY, "run_20250107_000000000002").passed
    platform.catalog.leases.take(ORDERS, owner="run_e@another-machine:1", now=estate.now, ttl=timedelta(hours=1))
    estate.now += timedelta(hours=1)  # nobody can see that machine; what ends its lease is the clock
    assert driver.run_stage(platform, dataset, Stage.SILVER, DAY, "run_20250107_000000000002").passed
    platform.close()


def test_silver_reads_the_bronze_that_was_judged_and_not_a_commit_that_came_since(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,judged")
    paused, go_on = Event(), Event()
    first, second = estate.platform(), pausing(estate.platform(), "commit", paused, go_on)
    dataset = first.policies.dataset("orders")
    driver.run_stage(first, dataset, Stage.BRONZE, DAY, "run_20250107_000000000003")
    orders(estate, "1,10.50,judged", "2,99.00,written and not judged yet")
    with ThreadPoolExecutor() as threads:
        running = threads.submit(
            driver.run_stage, second, second.policies.dataset("orders"), Stage.BRONZE, DAY, "run_20250107_000000000004"
        )
        assert paused.wait(PATIENCE_SECONDS)

        candidate = driver.prepare(first, dataset, Stage.SILVER, DAY, "run_20250107_000000000003")

        assert candidate.split is not None
        assert [row["id"] for row in candidate.split.accepted.collect()] == [1]
        go_on.set()
        assert running.result().rows.read == 2
    first.close()
    second.close()


def test_a_run_that_waited_for_a_newer_delivery_of_its_day_brings_no_older_rows_back(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,older")
    first, second = estate.platform(), estate.platform()
    dataset, take = first.policies.dataset("orders"), lease._take
    driver.run_stage(first, dataset, Stage.BRONZE, DAY, "run_20250107_000000000005")

    def take_after_the_other(platform: Platform, *rest: Any) -> None:
        """The other run has the lease until it has certified the newer delivery."""
        monkeypatch.setattr(lease, "_take", take)
        orders(estate, "1,10.50,newer", "2,3,newer")
        assert run(second, DAY)[-1].stage is Stage.CERTIFIED
        take(platform, *rest)

    monkeypatch.setattr(lease, "_take", take_after_the_other)
    for stage in (Stage.SILVER, Stage.GOLD, Stage.CERTIFIED):
        driver.run_stage(first, dataset, stage, DAY, "run_20250107_000000000005")

    assert [(row["id"], row["note"]) for row in estate.certified_rows("orders")] == [(1, "newer"), (2, "newer")]
    first.close()
    second.close()
