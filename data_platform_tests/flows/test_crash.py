"""A process that dies at any step of a write leaves nothing uncertified in view, and loses and doubles no row.

Each case is a day of its own in one installation. Its stage is killed at one step after the other, so that each attempt
also meets what the dead one before it has left; then the whole day is run.
"""

import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform.installation import Platform
from data_platform.model.certification import Certification
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.stage import driver
from data_platform_tests.flows.estate import ORDERS, ORDERS_SOURCE, Estate, a_day, declare_orders, orders
from data_platform_tests.flows.killed import address

GOOD = ("3,5.00,c", "4,-1.00,one row to set aside")
TWICE = ("3,5.00,c", "3,6.00,twice the same id")
MOSTLY_BAD = ("3,5.00,c", "4,-1.00,bad", "5,-1.00,bad")
SHORT = {"producer": "shop", "files": [{"file": "orders.csv", "bytes": 1}]}
WHOLE = {"producer": "shop", "files": [{"file": "orders.csv"}]}
TIMEOUT_SECONDS = 300
KILLED = -9
WITH_THEIR_JVM = {(Stage.SILVER, "commit"), (Stage.SILVER, "quarantine_batch")}
"""At all other steps the JVM of the tests runs the stage and outlives it: to start one for each would take minutes."""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    """One day is certified already."""
    estate = Estate(tmp_path_factory.mktemp("killed"), spark)
    declare_orders(estate, source={**ORDERS_SOURCE, "manifest": "manifest.json"})
    orders(estate, "1,10.00,a", "2,20.00,b", **WHOLE)
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    return estate


def start_and_kill(estate: Estate, day: PartitionKey, stage: Stage, step: str, *, own_jvm: bool = False) -> None:
    """Run one stage in a process of its own, which kills itself at ``step``; with ``own_jvm`` its JVM dies too."""
    estate.now += timedelta(minutes=1)
    words = [str(estate.root), str(day), stage.value, step, estate.now.isoformat()]
    program = [sys.executable, "-m", "data_platform_tests.flows.killed", *words]
    root = Path(__file__).parents[2]
    found = {**os.environ, **({} if own_jvm else address(estate.spark))}
    done = subprocess.run(  # noqa: S603
        program, cwd=root, env=found, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
    )
    assert done.returncode == KILLED, done.stderr.decode()


def run_before(estate: Estate, platform: Platform, day: PartitionKey, stage: Stage) -> None:
    dataset = platform.policies.dataset("orders")
    for earlier in dataset.stages[: dataset.stages.index(stage)]:
        estate.now += timedelta(minutes=1)
        assert driver.run_stage(platform, dataset, earlier, day, new_run_id(estate.now)).passed


def judged(pointer: Certification | None) -> object:
    """What was certified, and when: the version itself follows the same rows when a dead run's write is rolled back."""
    return pointer and (pointer.judged_version, pointer.certified_at, pointer.run_id)


def counted(platform: Platform, day: PartitionKey) -> dict[Stage, int]:
    dataset = platform.policies.dataset("orders")
    columns = {Stage.BRONZE: "_partition", Stage.SILVER: "day", Stage.GOLD: "day"}
    return {
        stage: platform.table(dataset, stage).rows().where(f"{column} = DATE'{day}'").count()
        for stage, column in columns.items()
    }


@pytest.mark.parametrize(
    ("day", "stage", "lines", "manifest", "steps"),
    [
        pytest.param(7, Stage.BRONZE, GOOD, WHOLE, ("lease", "intent", "commit", "record"), id="bronze passes"),
        pytest.param(8, Stage.BRONZE, GOOD, SHORT, ("quarantine_batch",), id="bronze is held before it is written"),
        pytest.param(9, Stage.SILVER, GOOD, WHOLE, ("intent", "commit", "quarantine", "record"), id="silver passes"),
        pytest.param(10, Stage.SILVER, MOSTLY_BAD, WHOLE, ("quarantine_batch", "restore"), id="silver is held"),
        pytest.param(11, Stage.GOLD, GOOD, WHOLE, ("commit", "judge", "record"), id="gold passes"),
        pytest.param(12, Stage.GOLD, TWICE, WHOLE, ("quarantine_batch", "restore"), id="gold is held"),
    ],
)
def test_what_a_killed_run_leaves_is_not_seen_and_the_next_run_succeeds(
    installation: Estate, day: int, stage: Stage, lines: tuple[str, ...], manifest: dict, steps: tuple[str, ...]
) -> None:
    estate, today = installation, a_day(day)
    orders(estate, *lines, day=today, **manifest)
    platform = estate.platform()
    run_before(estate, platform, today, stage)
    before = platform.catalog.certifications.get(ORDERS)

    for step in steps:
        start_and_kill(estate, today, stage, step, own_jvm=(stage, step) in WITH_THEIR_JVM)

        assert platform.catalog.leases.owner(ORDERS) is not None  # nobody was left to release it
        assert judged(platform.catalog.certifications.get(ORDERS)) == judged(before)
    orders(estate, *GOOD, day=today, **WHOLE)
    assert estate.run("orders", today, platform)[-1].stage is Stage.CERTIFIED

    assert counted(platform, today) == {Stage.BRONZE: 2, Stage.SILVER: 1, Stage.GOLD: 1}
    assert [row["id"] for row in estate.certified_rows("orders") if row["day"] == today.value] == [3]
    assert platform.catalog.runs.open_intents() == ()
    assert platform.catalog.leases.owner(ORDERS) is None
    [aside] = [entry for entry in platform.catalog.quarantine.entries(ORDERS) if entry.partition == today]
    assert (aside.stage, aside.rows, aside.level) == (Stage.SILVER, 1, "row")
    assert estate.spark.read.format("delta").load(aside.path).count() == 1
    on_record = {entry.name for entry in platform.catalog.quarantine.entries(ORDERS, include_closed=True)}
    assert {folder.name for folder in (estate.root / "lake" / "quarantine").iterdir()} <= on_record
    platform.close()


def test_files_of_a_quarantine_table_that_never_came_to_its_first_commit_are_removed(installation: Estate) -> None:
    estate, today = installation, a_day(21)
    orders(estate, *GOOD, day=today, **WHOLE)
    platform = estate.platform()
    run_before(estate, platform, today, Stage.SILVER)
    folder = estate.root / "lake" / "quarantine"
    before = set(folder.iterdir())
    start_and_kill(estate, today, Stage.SILVER, "quarantine")
    [left] = set(folder.iterdir()) - before
    shutil.rmtree(left / "_delta_log")
    assert any(left.glob("*.parquet"))

    assert estate.run("orders", today, platform)[-1].stage is Stage.CERTIFIED

    assert not left.exists()
    platform.close()


def test_a_run_killed_around_the_move_of_the_pointer_leaves_it_at_a_version_that_passed(installation: Estate) -> None:
    estate, today = installation, a_day(20)
    orders(estate, *GOOD, day=today, **WHOLE)
    platform = estate.platform()
    run_before(estate, platform, today, Stage.CERTIFIED)
    before = platform.catalog.certifications.get(ORDERS)

    start_and_kill(estate, today, Stage.CERTIFIED, "lease")
    assert judged(platform.catalog.certifications.get(ORDERS)) == judged(before)
    start_and_kill(estate, today, Stage.CERTIFIED, "certify")
    moved = platform.catalog.certifications.get(ORDERS)

    assert before is not None
    assert moved is not None
    assert moved.version == platform.table(platform.policies.dataset("orders"), Stage.GOLD).version() > before.version
    assert estate.run("orders", today, platform)[-1].stage is Stage.CERTIFIED
    assert [row["id"] for row in estate.certified_rows("orders") if row["day"] == today.value] == [3]
    platform.close()
