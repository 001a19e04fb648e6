"""``validate``, ``status`` and ``certified`` show what is declared and what consumers see."""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable, write_deltalake

from data_platform.errors import SourceError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.settings import read_settings
from data_platform.stage.event_emitter import failures_recorded
from data_platform_tests.cli.shop import CUSTOMERS, DAY, HELD_RUN, ORDERS, RUN, Shop, certify, gold, hold, report
from data_platform_tests.verdicts import all_gates

AN_ERROR = (Stage.BRONZE, PartitionKey(DAY), "run_20250108_cccccccccccc")


def test_every_problem_of_every_policy_file_is_reported(shop: Shop) -> None:
    for urn in (ORDERS, CUSTOMERS):
        file = shop.root / "policies" / "datasets" / urn.removeprefix("ds://") / "dataset.yaml"
        file.write_text(file.read_text().replace("owner_team", "owner_taem"))

    result = shop.run("validate")

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert "policies/datasets/sales/customers/dataset.yaml:2: owner_taem" in result.stderr
    assert "policies/datasets/sales/orders/dataset.yaml:2: owner_taem" in result.stderr
    document = shop.json("validate", exit_code=2)
    assert document["exit_code"] == 2
    assert all(problem in result.stderr for problem in document["problems"])


def test_a_policies_folder_that_does_not_exist_is_wrong_use(shop: Shop) -> None:
    result = shop.run("validate", DATA_PLATFORM_POLICIES=str(shop.root / "elsewhere"))

    assert result.exit_code == 2
    assert "there is no such folder" in result.stderr


def test_the_status_of_an_empty_installation_is_that_nothing_ever_ran(shop: Shop) -> None:
    result = shop.run("status")

    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["dataset", "status", "version", "since", "(UTC)", "last", "run", "held", "enforcement"],
        [CUSTOMERS, "UNCERTIFIED", "no", "result", "yet", "HARD_FAIL"],
        [ORDERS, "UNCERTIFIED", "no", "result", "yet", "HARD_FAIL"],
    ]


def test_the_status_shows_the_certified_version_and_how_the_last_run_ended(shop: Shop) -> None:
    certify(shop)

    before = shop.run("status").stdout.splitlines()[2]
    hold(shop)
    after = shop.run("status").stdout.splitlines()[2]

    assert before.split() == [ORDERS, "CERTIFIED", "v4", "2025-01-07", "03:00:05", DAY, "certified", "HARD_FAIL"]
    assert after.split() == [
        ORDERS,
        "HELD_AT_PREVIOUS",
        "v4",
        "2025-01-07",
        "03:00:05",
        DAY,
        "held",
        "at",
        "silver",
        DAY,
        "HARD_FAIL",
    ]


def test_the_status_as_json_has_every_dataset(shop: Shop) -> None:
    certify(shop)

    customers, orders = shop.json("status")

    assert customers["dataset"] == CUSTOMERS
    assert customers["last_run"] is None
    assert orders == {
        "dataset": ORDERS,
        "status": "CERTIFIED",
        "version": 4,
        "certified_at": "2025-01-07T03:00:05+00:00",
        "last_run": RUN,
        "last_stage": "gold_certified",
        "partition": DAY,
        "outcome": "passed",
        "proceeds": True,
        "held": [],
        "incidents": [],
        "enforcement": "HARD_FAIL",
        "waivers": [],
        "error": None,
        "damage": None,
        "unchecked": None,
        "quarantine": {"open": 0, "stale": 0, "oldest": None},
        "waiting": [],
        "outdated_tokens": 0,
    }


def test_an_external_dataset_is_called_so(shop: Shop) -> None:
    file = shop.root / "policies" / "datasets" / "sales" / "customers" / "dataset.yaml"
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if "source" not in line))

    assert shop.json("status")[0]["status"] == "EXTERNAL"


def test_the_certified_version_is_found_by_table_and_by_urn(shop: Shop) -> None:
    certify(shop)

    for name in ("orders", "sales/orders", ORDERS):
        assert shop.json("certified", name)["version"] == 4
    view, version, status, *_, path = shop.run("certified").stdout.splitlines()[1].split()
    assert (view, version, status) == ("gold_certified.orders", "v4", "CERTIFIED")
    assert path == str(shop.root / "home" / "lake" / "gold" / "orders")


def test_a_dataset_that_never_passed_has_no_certified_version(shop: Shop) -> None:
    hold(shop)

    one = shop.run("certified", "orders")

    assert one.exit_code == 1
    assert one.stderr == f"error: {ORDERS} has no certified version yet: run it until its gates pass\n"
    assert shop.run("certified").stdout == "nothing is certified yet\n"
    assert shop.json("certified") == []


def test_a_certified_dataset_that_is_declared_no_more_is_shown_by_its_urn(shop: Shop) -> None:
    certify(shop)
    for file in (folder := shop.root / "policies" / "datasets" / "sales" / "orders").iterdir():
        file.unlink()
    folder.rmdir()

    assert shop.run("certified").stdout.splitlines()[1].startswith(f"{ORDERS}  v4")


def test_a_policies_folder_without_datasets_is_reported_with_what_to_do(shop: Shop) -> None:
    shutil.rmtree(shop.root / "policies")

    missing = shop.run("validate")
    (shop.root / "policies").mkdir()
    empty = shop.run("validate")

    assert [missing.exit_code, empty.exit_code] == [2, 2]
    assert "there is no such folder" in missing.stderr
    assert "there are no datasets" in empty.stderr
    assert missing.stderr.count("DATA_PLATFORM_POLICIES") == empty.stderr.count("DATA_PLATFORM_POLICIES") == 1


def test_a_landing_that_cannot_be_read_is_reported_before_a_run(shop: Shop) -> None:
    landing = shop.root / "home" / "landing"
    landing.parent.mkdir(exist_ok=True)
    landing.write_text("a file in place of the folder")

    result = shop.run("validate")

    assert result.exit_code == 2
    assert f"the landing {landing} is not a folder: set DATA_PLATFORM_LANDING" in result.stderr


def delete_the_table(table: Path) -> None:
    table.rename(table.with_name("elsewhere"))


def vacuum_after_a_newer_write(table: Path) -> None:
    write_deltalake(table, DeltaTable(table).to_pyarrow_table(), mode="overwrite")
    DeltaTable(table).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)


def delete_the_log(table: Path) -> None:
    write_deltalake(table, DeltaTable(table).to_pyarrow_table(), mode="overwrite")
    DeltaTable(table).create_checkpoint()
    for version in range(5):
        (table / "_delta_log" / f"{version:020d}.json").unlink()


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        pytest.param(delete_the_table, "there is no table at", id="no table"),
        pytest.param(vacuum_after_a_newer_write, "1 of the 1 files of v4 are gone", id="vacuumed files"),
        pytest.param(delete_the_log, "the log of v4 is gone", id="cleaned log"),
    ],
)
def test_a_certified_version_that_cannot_be_read_is_reported(shop: Shop, harm: Any, found: str) -> None:
    certify(shop)
    harm(gold(shop))

    for command in (("status",), ("certified",), ("certified", "orders")):
        result = shop.run(*command)
        assert result.exit_code == 1
        assert f"error: consumers cannot read {ORDERS}: {found}" in result.stderr
        assert "v4" in result.stdout
    assert found in shop.json("certified", "orders", exit_code=1)["damage"]
    assert [found in (row["damage"] or "") for row in shop.json("status", exit_code=1)] == [False, True]


def test_files_on_remote_storage_are_reported_as_unchecked(shop: Shop) -> None:
    certify(shop)
    with shop.catalog() as catalog:
        pointer = catalog.certifications.get(ORDERS)
        assert pointer is not None
        path = "s3a://bank/lake/gold/sales/orders"
        catalog.certifications.certify(
            replace(pointer, path=path, version=5, run_id=HELD_RUN),
            expected=pointer.version,
            evidence=[],
            report=report(HELD_RUN, Stage.CERTIFIED, *all_gates(Stage.CERTIFIED), version=5),
        )

    for command in (("status",), ("certified",), ("certified", "orders")):
        assert f"files of {ORDERS}: not checked (remote storage)" in shop.run(*command).stdout
    assert [(row["damage"], row["unchecked"]) for row in shop.json("status")][1] == (None, "remote storage")
    assert shop.json("certified", "orders")["unchecked"] == "remote storage"


def test_a_held_day_stays_in_the_status_after_later_runs(shop: Shop) -> None:
    certify(shop)
    hold(shop)
    with shop.catalog() as catalog:
        passed = all_gates(Stage.GOLD)
        catalog.runs.record(
            report("run_20250108_cccccccccccc", Stage.GOLD, *passed, partition="2025-01-07", version=5), []
        )

    [held] = shop.json("status")[1]["held"]

    assert (held["partition"], held["stage"], held["run_id"]) == (DAY, "silver", HELD_RUN)
    assert shop.run("status").stdout.splitlines()[2].split()[-2:] == [DAY, "HARD_FAIL"]


def test_the_certified_version_names_the_run_and_day_that_certified_it(shop: Shop) -> None:
    certify(shop)
    hold(shop, partition="2025-01-07")

    found = shop.json("certified", "orders")

    assert (found["version"], found["run_id"], found["partition"]) == (4, RUN, DAY)
    assert (found["attempt_run_id"], found["attempt_partition"]) == (HELD_RUN, "2025-01-07")


def test_a_stage_that_ended_with_an_error_is_shown_until_a_result_is_newer(shop: Shop) -> None:
    certify(shop)
    platform = Platform(read_settings({k: v for k, v in shop.environment.items() if v}))
    with pytest.raises(SourceError), failures_recorded(platform, platform.policies.dataset("orders"), *AN_ERROR):
        raise SourceError("orders.csv cannot be read: permission denied")

    [_, orders] = shop.json("status")
    lines = shop.run("status").stdout.splitlines()
    with shop.catalog() as catalog:
        done = report("run_20250109_dddddddddddd", Stage.GOLD, *all_gates(Stage.GOLD), version=5)
        later = platform.now() + timedelta(minutes=1)
        catalog.runs.record(replace(done, started_at=later, finished_at=later), [])
    platform.close()

    assert (orders["status"], orders["error"]["stage"], orders["error"]["partition"]) == ("CERTIFIED", "bronze", DAY)
    assert lines[2].split()[5:] == [DAY, "error", "at", "bronze", "HARD_FAIL"]
    assert lines[-1] == f"error at bronze of {ORDERS} {DAY}: orders.csv cannot be read: permission denied"
    assert shop.json("status")[1]["error"] is None
