"""A baseline that a stage needs and does not have holds it; a stage that never compared with one runs without."""

from pathlib import Path
from typing import Any

import pytest

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import BASELINE
from data_platform.model.verdict import Gate, Outcome
from data_platform.settings import read_settings
from data_platform.stage.candidate import Attempt
from data_platform.stage.unjudged_stage import without_baseline, without_inputs
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.cli.shop import DAY, NOW, report
from data_platform_tests.policies.tree import ORDERS, landed, write
from data_platform_tests.verdicts import all_gates

EMPTY = '{"partitions": 1}'


def held(
    folder: Path, line: str, text: str | None, last: dict[str, Any] | None, stage: Stage
) -> tuple[Gate, str] | None:
    """Gate and reason; ``last`` is the metadata of the last run of bronze, of another day."""
    files = landed(line) | ({f"{ORDERS}/baseline.json": text} if text is not None else {})
    copy_template(folder / "catalog.db")
    policies = str(write(folder, files))
    platform = Platform(read_settings({"DATA_PLATFORM_HOME": str(folder), "DATA_PLATFORM_POLICIES": policies}))
    dataset = platform.policies.dataset("orders")
    if last is not None:
        run = report("run_20250101_1", Stage.BRONZE, *all_gates(Stage.BRONZE), metadata=last, dataset=dataset.id)
        platform.catalog.runs.record(run, ())
    candidate = without_baseline(platform, Attempt(dataset, stage, PartitionKey(DAY).next, "run_20250102_1", NOW))
    platform.close()
    if candidate is None:
        return None
    [verdict] = candidate.gates.early
    assert (verdict.outcome, candidate.is_read, candidate.metadata) == (Outcome.ERRORED, False, {BASELINE: True})
    return verdict.gate, verdict.reason


@pytest.mark.parametrize(
    ("line", "text", "last", "stage", "expected"),
    [
        pytest.param("", None, None, Stage.BRONZE, None, id="there never was one"),
        pytest.param("", None, {}, Stage.BRONZE, None, id="the last run compared with none"),
        pytest.param("", None, {BASELINE: True}, Stage.BRONZE, "it is gone", id="the last run compared with one"),
        pytest.param("", None, {BASELINE: True}, Stage.SILVER, None, id="silver never did"),
        pytest.param("", None, {BASELINE: True}, Stage.GOLD, None, id="gold compares with none"),
        pytest.param("", EMPTY, {BASELINE: True}, Stage.BRONZE, None, id="there is one"),
        pytest.param("baseline: optional", None, {BASELINE: True}, Stage.BRONZE, None, id="optional"),
        pytest.param("baseline: required", None, None, Stage.SILVER, "missing, and", id="required and missing"),
        pytest.param("baseline: required", EMPTY, None, Stage.SILVER, None, id="required and there"),
        pytest.param("baseline: optional", "{", None, Stage.SILVER, "line 1", id="a wrong one is not none"),
    ],
)
def test_a_stage_is_held_without_a_baseline_that_it_needs(
    tmp_path: Path, line: str, text: str | None, last: dict[str, Any] | None, stage: Stage, expected: str | None
) -> None:
    found = held(tmp_path, line, text, last, stage)

    assert (found is None) is (expected is None)
    if found is not None and expected is not None:
        assert found[0] is (Gate.G3_SCHEMA if stage is Stage.BRONZE else Gate.DQ)
        assert found[1].startswith(f"baseline.json of ds://shop/orders: {expected}")


def test_inputs_that_vanished_are_one_result_of_the_first_gate(tmp_path: Path) -> None:
    copy_template(tmp_path / "catalog.db")
    policies = str(write(tmp_path, landed()))
    platform = Platform(read_settings({"DATA_PLATFORM_HOME": str(tmp_path), "DATA_PLATFORM_POLICIES": policies}))
    attempt = Attempt(platform.policies.dataset("orders"), Stage.BRONZE, PartitionKey(DAY), "run_20250102_1", NOW)

    several = without_inputs(platform, attempt, ("a.csv", "b.csv", "c.csv"), ValueError("Why."))
    unnamed = without_inputs(platform, attempt, (), ValueError("Why."))
    platform.close()

    [verdict] = several.gates.early
    assert (verdict.gate, verdict.signatures) == (Gate.G1_RESOLUTION, ("INPUT_VANISHED:a.csv",))
    assert verdict.reason == "a.csv was there, and is gone (2 other inputs too: b.csv, c.csv). Why."
    assert unnamed.gates.early[0].signatures == ("INPUT_VANISHED:a file",)
