"""Quarantined rows come back exactly once: by a new policy or a release, never beside a newer delivery."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus
from data_platform.model.registration import Actor
from data_platform.model.run import StageReport, new_run_id
from data_platform.orchestration.launch import launch
from data_platform.stage import driver, replay
from data_platform.stage.replay_preview import preview
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, a_day, declare_orders, ids_at, orders

ANN, BOB = Actor(name="ann", role="PLATFORM_ADMIN"), Actor(name="bob", role="DATA_STEWARD")
ROWS = ("1,10.50,first", "2,-1.00,bad", "3,-2.00,bad")
FULL: dict[str, Any] = {
    "contract_lite": {"invariants": [{"id": "positive", "rule": "amount > 0"}], "min_compliance": 0.3},
    "contract": {"unique": ["id"]},
}
CODES: dict[str, Any] = {
    **FULL,
    "schema": {
        "constraints": [
            {"field": "id", "type": "INT", "nullable": False},
            {"field": "amount", "type": "DECIMAL(10,2)"},
            {"field": "note", "type": "STRING", "enum": ["first", "second"]},
        ]
    },
}
"""Both contracts read the declared values of a column, so gold judges a released row too."""
LAX: dict[str, Any] = {"contract_lite": {"min_compliance": 0.3}, "contract": {"unique": ["id"]}}


class Killed(BaseException):
    """Ends a run at a step, as a killed process would: nothing after it is done."""


def replayed(estate: Estate, name: str, platform: Platform | None = None) -> list[StageReport]:
    """Plans and runs a replay as the command does, without Dagster."""
    estate.now += timedelta(minutes=1)
    opened = platform or estate.platform()
    try:
        reports = []
        for one in replay.plan(opened, name, None):
            if one.first is None:
                continue
            for stage in one.stages:
                reports.append(driver.run_stage(opened, one.dataset, stage, one.partition, new_run_id(estate.now)))
                if not reports[-1].passed:
                    break
        return reports
    finally:
        if platform is None:
            opened.close()


def entry_of(estate: Estate, day: PartitionKey = DAY) -> QuarantineEntry:
    """The open entry of the day."""
    platform = estate.platform()
    [entry] = [e for e in platform.catalog.quarantine.entries(ORDERS) if e.partition == day]
    platform.close()
    return entry


def entry_status(platform: Platform, entry: QuarantineEntry) -> QuarantineStatus | None:
    found = platform.catalog.quarantine.entry(entry.name)
    return found.status if found else None


def ids(estate: Estate, day: PartitionKey = DAY) -> list[int]:
    return [row["id"] for row in estate.certified_rows("orders") if row["day"] == day.value]


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory, spark: Any) -> Estate:
    """Each test has a day of its own in one installation."""
    return Estate(tmp_path_factory.mktemp("loop"), spark)


def delivered(estate: Estate, day: PartitionKey, bundle: dict[str, Any], *rows: str) -> QuarantineEntry:
    declare_orders(estate, bundle)
    orders(estate, *(rows or ROWS), day=day)
    assert estate.run("orders", day)[-1].stage is Stage.CERTIFIED
    assert ids(estate, day) == [1]
    return entry_of(estate, day)


def test_a_replay_certifies_each_row_once_however_often_it_is_killed_and_repeated(loop: Estate) -> None:
    today = a_day(6)
    entry = delivered(loop, today, FULL)
    declare_orders(loop, LAX)
    for stage, step in ((Stage.SILVER, "commit"), (Stage.SILVER, "record"), (Stage.GOLD, "commit")):
        killed_at(loop, entry.name, stage, step)
    assert ids(loop, today) == [1]

    done = replayed(loop, entry.name)
    again = replayed(loop, entry.name)

    assert [report.stage for report in done] == [Stage.SILVER, Stage.GOLD, Stage.CERTIFIED]
    assert again == []  # the day is complete, and nothing of it is open
    assert ids(loop, today) == [1, 2, 3]


def killed_at(estate: Estate, name: str, stage: Stage, step: str) -> None:
    """Replays until ``step`` of ``stage`` is done, and no further."""
    platform = estate.platform()

    def die(found: str, details: dict[str, Any]) -> None:
        if (found, details.get("stage")) == (step, stage.value):
            raise Killed

    platform.on_step = die
    with pytest.raises(Killed):
        replayed(estate, name, platform)
    platform.close()


def test_a_newer_delivery_wins_over_the_rows_of_the_older_one(loop: Estate) -> None:
    today = a_day(8)
    entry = delivered(loop, today, FULL)
    orders(loop, "1,10.50,first", "2,1.00,corrected", day=today)
    assert loop.run("orders", today)[-1].stage is Stage.CERTIFIED
    declare_orders(loop, LAX)

    platform = loop.platform()
    [planned] = replay.plan(platform, entry.name, None)

    assert planned.first is None
    assert planned.reason.startswith(f"{entry.full_name} is SUPERSEDED by run_")
    assert "newer delivery wins" in preview(platform, entry).reason
    assert ids(loop, today) == [1, 2]
    platform.close()


def test_released_rows_are_certified_and_every_count_and_verdict_says_so(loop: Estate) -> None:
    today = a_day(9)
    entry = delivered(loop, today, CODES, "1,10.50,first", "2,1.00,third", "3,2.00,fourth")
    platform = loop.platform()
    quarantine = platform.catalog.quarantine
    before = preview(platform, entry)
    quarantine.release(entry.name, "agreed with the shop", by=ANN, approver=BOB, now=loop.now)
    after = preview(platform, entry)
    assert (before.would_pass, before.would_not, sum(rows or 0 for rows in before.still_broken.values())) == (0, 2, 2)
    assert (after.would_pass, after.would_not, after.accepted_meanwhile) == (2, 0, 0)

    silver, gold, certified = replayed(loop, entry.name, platform)

    assert ids(loop, today) == [1, 2, 3]
    assert (silver.rows.read, silver.rows.accepted, silver.rows.quarantined) == (3, 3, 0)
    for report in (silver, gold, certified):
        assert report.metadata["released"]["rules"] == {"UNKNOWN_ENUM:note": 2}
    assert "requested by ann, approved by bob: agreed with the shop" in certified.verdicts[0].reason
    told = platform.catalog.evidence.find(ORDERS, run_id=silver.run_id)
    assert {e.result for e in told if e.failure_signature == "RELEASED:UNKNOWN_ENUM:note"} == {"PASS"}
    closed = quarantine.entry(entry.name)
    assert closed is not None
    assert (closed.status, closed.released_rows, closed.open_rows) == (QuarantineStatus.RELEASED, 2, 0)

    quarantine.withdraw_release(entry.name, by=ANN, now=loop.now)
    [planned] = replay.plan(platform, "orders", today)
    assert planned.first is Stage.SILVER  # the day was judged with the release, which has no effect any more
    platform.close()


def test_rows_whose_release_is_withdrawn_before_certification_are_not_certified(loop: Estate) -> None:
    today = a_day(13)
    entry = delivered(loop, today, FULL)
    platform = loop.platform()
    quarantine, dataset = platform.catalog.quarantine, platform.policies.dataset("orders")
    quarantine.release(entry.name, "agreed", by=ANN, approver=BOB, now=loop.now)
    for stage in (Stage.SILVER, Stage.GOLD):
        assert driver.run_stage(platform, dataset, stage, today, new_run_id(loop.now)).passed
    quarantine.withdraw_release(entry.name, by=ANN, now=loop.now)

    held = driver.run_stage(platform, dataset, Stage.CERTIFIED, today, new_run_id(loop.now))

    assert held.verdicts[0].signatures == (f"RELEASE_WITHDRAWN:{entry.name}",)
    assert "run 2025-01-13 again" in held.verdicts[0].reason
    assert ids(loop, today) == [1]
    done = replayed(loop, "orders", platform)
    assert (done[-1].stage, done[-1].passed, ids(loop, today)) == (Stage.CERTIFIED, True, [1])
    platform.close()


def test_discarded_rows_stay_out_under_any_policy_and_still_count(loop: Estate) -> None:
    today = a_day(10)
    entry = delivered(loop, today, FULL)
    platform = loop.platform()
    platform.catalog.quarantine.discard(entry.name, "test records", by=ANN, now=loop.now)
    declare_orders(loop, LAX)

    dataset = platform.policies.dataset("orders")
    silver = driver.run_stage(platform, dataset, Stage.SILVER, today, new_run_id(loop.now))

    assert ids_at(loop, Stage.SILVER, today) == [1]
    assert (silver.rows.read, silver.rows.accepted, silver.rows.quarantined) == (3, 1, 2)
    [after] = [e for e in platform.catalog.quarantine.entries(ORDERS, include_closed=True) if e.run_id == silver.run_id]
    assert (after.status, after.discarded_rows, after.open_rows) == (QuarantineStatus.DISCARDED, 2, 0)
    platform.close()


def test_a_batch_that_gold_holds_is_certified_once_it_is_released(loop: Estate) -> None:
    today = a_day(11)
    declare_orders(loop, FULL)
    orders(loop, "1,10.50,first", "1,11.00,twice", day=today)
    assert loop.run("orders", today)[-1].stage is Stage.GOLD
    entry = entry_of(loop, today)
    platform = loop.platform()
    platform.catalog.quarantine.release(entry.name, "both are real", by=ANN, approver=BOB, now=loop.now)

    [planned] = replay.plan(platform, entry.name, None)
    launched = launch(platform, [planned.dataset], today, lambda *_: None, first=planned.first)

    assert (launched.success, [report.stage for report in launched.reports]) == (True, list(planned.stages))
    assert ids(loop, today) == [1, 1]
    assert entry_status(platform, entry) is QuarantineStatus.RELEASED
    platform.close()


def test_a_delivery_that_cannot_be_read_leaves_what_is_quarantined_open(estate: Estate) -> None:
    declare_orders(estate)
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount,text\n1,10.50,first\n"})
    [held] = estate.run("orders")
    first = held.quarantine_table
    files = estate.root / "landing" / "orders" / str(DAY)

    (files / "orders.csv").unlink()
    [absent] = estate.run("orders")
    assert open_names(estate) == [first]

    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount,note\n2,1.00,x\n", "more.csv": b"\x00\xff\x00"})
    [partly] = estate.run("orders")
    assert not partly.proceeds
    assert open_names(estate) == [partly.quarantine_table, first]
    [again] = estate.run("orders")
    assert open_names(estate) == [again.quarantine_table, first]

    (files / "more.csv").unlink()
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    assert open_names(estate) == []
    assert (held.rows.quarantined, absent.rows.read) == (1, 0)


def open_names(estate: Estate) -> list[str]:
    """The open entries, the newest first."""
    platform = estate.platform()
    found = [entry.full_name for entry in platform.catalog.quarantine.entries(ORDERS)]
    platform.close()
    return found
