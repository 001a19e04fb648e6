"""Mapping files are read as policies are: closed, with all problems reported together."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from data_platform.errors import PolicyError, UsageError
from data_platform.policies import load_mappings, load_policies
from data_platform_tests.policies.tree import landed, problems

GOOD = """\
watch_files:
  - {pattern: "/in/gl_*.dat", dataset: ds://finance/ledger}
jobs:
  - {job: LOAD, outputs: [ds://finance/trades]}
"""


def folder(root: Path, **files: str) -> Path:
    found = root / "policies" / "legacy"
    found.mkdir(parents=True)
    for name, text in files.items():
        (found / name.replace("_", ".")).write_text(text)
    return found


def test_each_file_declares_its_part(tmp_path: Path) -> None:
    found = load_mappings(folder(tmp_path, b_yaml=GOOD, a_yaml="{}", README_md="about"))

    assert list(found) == ["legacy/a.yaml", "legacy/b.yaml"]
    assert found["legacy/b.yaml"].watch_files[0].dataset == "ds://finance/ledger"
    assert found["legacy/b.yaml"].jobs[0].inputs == ()


def test_all_problems_are_reported_with_file_line_and_key(tmp_path: Path) -> None:
    wrong = "jobs:\n  - {job: A}\n  - {job: B, output: [x]}\nwatch_file: []\n"

    with pytest.raises(PolicyError) as refused:
        load_mappings(folder(tmp_path, a_yaml=wrong, b_txt="x", c_yaml="jobs: [{job: A, inputs: [ledger]}]"))

    told = "\n".join(refused.value.problems)
    assert "legacy/a.yaml:2: jobs[0]: A needs inputs or outputs" in told
    assert "legacy/a.yaml:3: jobs[1].output: not a known key" in told
    assert "did you mean outputs?" in told
    assert "legacy/a.yaml:4: watch_file: not a known key" in told
    assert "legacy/b.txt: not a mapping file; allowed: *.yaml" in told
    assert "legacy/c.yaml:1: jobs[0].inputs[0]: 'ledger' is not a dataset URN" in told


def test_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        load_mappings(tmp_path / "none")


def test_validating_the_policies_reads_the_mappings_too(tmp_path: Path) -> None:
    folder(tmp_path, a_yaml="watch_file: []\n")

    with pytest.raises(PolicyError, match=r"policies/legacy/a.yaml:1: watch_file: not a known key"):
        load_policies(tmp_path / "policies")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param(
            {"dataset": "ds://legacy/positions", "watch": {"path": "p/{dt}", "marker": "_SUCCESS"}},
            "ds://legacy/positions: {partition} in watch and partitions of the dataset need each other",
            id="a day without partitions",
        ),
        pytest.param({"dataset": "ds://legacy/positions", "watch": {"path": "p"}}, "marker is missing", id="no marker"),
        pytest.param(
            {"dataset": "ds://legacy/positions", "checks": ["a", "a"]}, "a check is listed twice", id="a check twice"
        ),
        pytest.param(
            {"dataset": "ds://shop/orders", "watch": {"path": "p", "marker": "go"}},
            "ds://shop/orders has a source; declare the marker to watch in its dataset.yaml",
            id="landed",
        ),
        pytest.param(
            {"dataset": "ds://shop/orders", "partition": {"start": "2026-01-01"}},
            "ds://shop/orders has a policy; declare its days in its dataset.yaml",
            id="days twice",
        ),
    ],
)
def test_a_mapping_of_a_dataset_must_fit_the_policies(tmp_path: Path, said: dict[str, Any], told: str) -> None:
    found = problems(tmp_path, {**landed(), "legacy/a.yaml": yaml.safe_dump({"datasets": [said]})})

    assert told in "\n".join(found)


def test_a_dataset_is_described_once(tmp_path: Path) -> None:
    one = yaml.safe_dump({"datasets": [{"dataset": "ds://legacy/positions", "checks": ["row_count"]}]})
    folder(tmp_path, a_yaml=one, b_yaml=one)

    with pytest.raises(
        PolicyError, match=r"legacy/b.yaml: datasets: .* is already described in policies/legacy/a.yaml"
    ):
        load_policies(tmp_path / "policies")
