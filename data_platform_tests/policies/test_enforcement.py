"""The most specific declaration of an enforcement mode wins; without any it is HARD_FAIL."""

from pathlib import Path

import pytest

from data_platform.model.enforcement import Mode
from data_platform_tests.policies.tree import ORDERS, dataset_yaml, load, problems

PLATFORM = """\
environment: {environment}
enforcement:
  - {{mode: VISIBILITY}}
  - {{mode: WARN, environment: staging}}
  - {{mode: SOFT_FAIL, tier: TIER_2}}
  - {{mode: HARD_FAIL, tier: TIER_2, environment: staging}}
"""


def mode(
    folder: Path, *lines: str, tier: str = "TIER_2", environment: str = "production", platform: str = PLATFORM
) -> Mode:
    text = dataset_yaml("ds://shop/orders", *lines).replace("TIER_2", tier)
    files = {f"{ORDERS}/dataset.yaml": text, "platform.yaml": platform.format(environment=environment)}
    return load(folder, files).dataset("orders").enforcement.mode


@pytest.mark.parametrize(
    ("tier", "environment", "expected"),
    [
        pytest.param("TIER_3", "production", Mode.VISIBILITY, id="the rule for everything"),
        pytest.param("TIER_3", "staging", Mode.WARN, id="the rule of the environment"),
        pytest.param("TIER_2", "production", Mode.SOFT_FAIL, id="the rule of the tier"),
        pytest.param("TIER_2", "staging", Mode.HARD_FAIL, id="the rule of both"),
    ],
)
def test_the_most_specific_rule_wins(tmp_path: Path, tier: str, environment: str, expected: Mode) -> None:
    assert mode(tmp_path, tier=tier, environment=environment) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("enforcement: WARN", Mode.WARN, id="a mode"),
        pytest.param("enforcement: {staging: WARN}", Mode.HARD_FAIL, id="a mode of this environment"),
        pytest.param("enforcement: {production: WARN}", Mode.HARD_FAIL, id="a mode of another one"),
    ],
)
def test_a_datasets_own_mode_wins_over_every_rule(tmp_path: Path, line: str, expected: Mode) -> None:
    own = line.replace("{staging: WARN}", "{staging: HARD_FAIL}")

    assert mode(tmp_path, own, environment="staging") is expected


def test_without_a_declaration_it_is_hard_fail(tmp_path: Path) -> None:
    assert mode(tmp_path, platform="environment: {environment}\n") is Mode.HARD_FAIL
    assert mode(tmp_path, platform="enforcement: []\n") is Mode.HARD_FAIL


def test_two_rules_for_the_same_are_a_problem(tmp_path: Path) -> None:
    rules = "enforcement: [{mode: WARN, tier: TIER_1}, {mode: HARD_FAIL, tier: TIER_1}]\n"

    [problem] = problems(tmp_path, {"platform.yaml": rules})

    assert "enforcement has two rules for tier TIER_1 in environment any; keep one" in problem


def test_a_change_of_mode_that_changes_what_holds_changes_the_fingerprint(tmp_path: Path) -> None:
    def fingerprint(platform: str) -> str:
        files = {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders"), "platform.yaml": platform}
        return load(tmp_path, files).dataset("orders").fingerprint

    hard = fingerprint("environment: staging\n")

    assert fingerprint("environment: staging\nenforcement: [{mode: SOFT_FAIL}]\n") == hard
    assert fingerprint("environment: staging\nenforcement: [{mode: WARN}]\n") != hard
