"""A file that is not read is a problem, so that a typo in its name is noticed."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import ORDERS, derived, landed, problems


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        pytest.param(
            f"{ORDERS}/policy-bundle.yaml",
            "policies/datasets/shop/orders/policy-bundle.yaml: not an expected name; allowed: dataset.yaml,"
            " policy_bundle.yaml, baseline.json, freshness.yaml; did you mean policy_bundle.yaml?",
            id="in a dataset's folder",
        ),
        pytest.param(
            f"{ORDERS}/rules.sql",
            "policies/datasets/shop/orders/rules.sql: not an expected name; allowed: dataset.yaml,"
            " policy_bundle.yaml, baseline.json, freshness.yaml",
            id="a query beside a dataset",
        ),
        pytest.param(
            "dataset/x.yaml",
            "policies/dataset: not an expected name; allowed: datasets, processes, groups, platform.yaml, schemas, "
            "legacy; did you mean datasets?",
            id="beside the folders",
        ),
        pytest.param(
            "datasets/shop/orders.yaml",
            "policies/datasets/shop/orders.yaml: a file in a place for folders; expected datasets/<zone>/<name>/",
            id="in a zone",
        ),
        pytest.param(
            "datasets/orders.yaml",
            "policies/datasets/orders.yaml: a file in a place for folders; expected datasets/<zone>/<name>/",
            id="instead of a zone",
        ),
        pytest.param(
            "processes/totals.yml",
            "policies/processes/totals.yml: not a file of a process; allowed: <process>.yaml, *.sql",
            id="yml is not yaml",
        ),
        pytest.param(
            "processes/old.sql",
            "policies/processes/old.sql: no step names this file; name it as sql_file, or remove it",
            id="a query of no process",
        ),
    ],
)
def test_a_file_that_is_not_read_is_a_problem(tmp_path: Path, file: str, problem: str) -> None:
    assert problems(tmp_path, derived() | {file: "a: 1\n"}) == (problem,)


def test_a_folder_without_a_dataset_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, {f"{ORDERS}/README.md": "soon"}) == (
        "policies/datasets/shop/orders/dataset.yaml: required, but missing",
    )


@pytest.mark.parametrize(
    "file", [f"{ORDERS}/README.md", f"{ORDERS}/.draft.yaml", "schemas/a.json", "legacy/jobs.jil", ".git/config"]
)
def test_notes_and_hidden_files_may_be_anywhere(tmp_path: Path, file: str) -> None:
    assert problems(tmp_path, landed() | {file: "hello"}) == ()
