"""The files of one folder agree."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.errors import PolicyError
from data_platform.policies import load_policies
from data_platform_tests.policies.tree import ORDERS, dataset_yaml, derived, landed, load, problems, write

WRONG = '{"row_count":\n  {"mean": "ann@example.com"}}'
FRESHNESS = "dataset: ds://shop/orders\nfreshness_policy:\n  expected_update_by: 02:00 ET daily\n  grace_period: 30m\n"


def with_slo(freshness: str) -> dict[str, str]:
    return {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", "slo:", f"  freshness: {freshness}"),
        f"{ORDERS}/freshness.yaml": FRESHNESS,
    }


def test_a_folder_that_is_called_otherwise_than_its_dataset_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/order")}) == (
        "policies/datasets/shop/orders/dataset.yaml:1: urn: found ds://shop/order, but the folder is that of"
        " ds://shop/orders; correct one",
    )


def test_a_freshness_file_is_the_slo(tmp_path: Path) -> None:
    files = {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders"), f"{ORDERS}/freshness.yaml": FRESHNESS}

    freshness = load(tmp_path, files).datasets[0].policy.slo.freshness

    assert freshness is not None
    assert freshness.grace == timedelta(minutes=30)


def test_two_freshness_policies_that_agree_are_one(tmp_path: Path) -> None:
    files = with_slo("{expected_update_by: 02:00 ET daily, partition_key: dt}")

    freshness = load(tmp_path, files).datasets[0].policy.slo.freshness

    assert freshness is not None
    assert (freshness.grace_period, freshness.partition_key) == ("30m", "dt")


def test_two_freshness_policies_that_differ_are_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, with_slo("{expected_update_by: 02:00 ET daily, grace_period: 1h}")) == (
        "policies/datasets/shop/orders/freshness.yaml:4: freshness_policy.grace_period: found 30m, but slo.freshness"
        " in dataset.yaml is 1h; leave one of the two",
    )


def test_a_freshness_file_of_another_dataset_is_a_problem(tmp_path: Path) -> None:
    files = landed() | {f"{ORDERS}/freshness.yaml": FRESHNESS.replace("orders", "order")}

    assert problems(tmp_path, files) == (
        "policies/datasets/shop/orders/freshness.yaml:1: dataset: found ds://shop/order, but the urn in dataset.yaml"
        " is ds://shop/orders; correct one",
    )


def test_a_baseline_is_read(tmp_path: Path) -> None:
    baseline = {"schema": [{"name": "order_id", "type": "BIGINT", "nullable": False}], "partitions": 7}

    dataset = load(tmp_path, landed() | {f"{ORDERS}/baseline.json": json.dumps(baseline)}).datasets[0]

    assert dataset.baseline is not None
    assert dataset.baseline.declared.names == ("order_id",)


def test_a_wrong_baseline_is_reported_with_its_line(tmp_path: Path) -> None:
    text = '{\n  "schema": [],\n  "row_count": {\n    "mean": -1\n  }\n}\n'

    assert problems(tmp_path, landed() | {f"{ORDERS}/baseline.json": text}) == (
        "policies/datasets/shop/orders/baseline.json:4: row_count.mean: found -1, expected at least 0",
    )


def test_a_required_baseline_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, landed("baseline: required")) == (
        "policies/datasets/shop/orders/baseline.json: missing, and policy_bundle.yaml has `baseline: required`; restore"
        " it, or change the key",
    )


@pytest.mark.parametrize(
    ("line", "text", "problem"),
    [
        pytest.param("baseline: required", None, "missing, and policy_bundle.yaml has `baseline: required`", id="gone"),
        pytest.param(
            "", '{"row_count":\n  {"mean": "ann@example.com"}}', "line 2 (row_count.mean) is wrong", id="wrong"
        ),
        pytest.param("", b"\xff\xfe", "line 1 is wrong", id="no text"),
        pytest.param("baseline: optional", None, "", id="not needed"),
    ],
)
def test_a_wrong_baseline_can_hold_its_dataset_only(
    tmp_path: Path, line: str, text: str | bytes | None, problem: str
) -> None:
    files = derived() | landed(line) | ({f"{ORDERS}/baseline.json": text} if text is not None else {})

    loaded = load_policies(write(tmp_path, files), hold_baselines=True)

    found = loaded.dataset("orders").baseline_problem
    assert found.startswith(problem)
    assert bool(found) is bool(problem)
    assert "ann@" not in found
    assert loaded.dataset("totals").baseline_problem == ""


def test_other_problems_stop_everything_though_baselines_do_not(tmp_path: Path) -> None:
    files = landed("nonsense: 1") | {f"{ORDERS}/baseline.json": "[]"}

    with pytest.raises(PolicyError) as found:
        load_policies(write(tmp_path, files), hold_baselines=True)

    assert ["baseline.json" in problem for problem in found.value.problems] == [False]


def test_a_process_is_called_as_its_file(tmp_path: Path) -> None:
    files = derived()
    files["processes/sums.yaml"] = files.pop("processes/totals.yaml")

    assert problems(tmp_path, files) == (
        "policies/processes/sums.yaml:1: name: found totals, but the file is named sums.yaml; correct one",
    )


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        pytest.param(
            "total.sql", "total.sql is not a .sql file beside this one; did you mean totals.sql?", id="a typo"
        ),
        pytest.param("../x.sql", "../x.sql is not a .sql file beside this one", id="elsewhere"),
    ],
)
def test_a_query_that_is_not_beside_its_process_is_a_problem(tmp_path: Path, file: str, problem: str) -> None:
    files = derived()
    files["processes/totals.yaml"] = files["processes/totals.yaml"].replace(
        "sql: SELECT order_id FROM orders", f"sql_file: {file}"
    )

    found = problems(tmp_path, files | {"processes/totals.sql": "SELECT 1"})

    assert found == (f"policies/processes/totals.yaml:6: steps[0].sql_file: {problem}",)


def test_a_file_that_is_wrong_is_still_there_for_others(tmp_path: Path) -> None:
    files = derived() | {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", "tire: 1")}

    found = problems(tmp_path, files)

    assert len(found) == 1
    assert "tire: not a known key" in found[0]
