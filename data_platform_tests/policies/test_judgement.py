"""A stage's verdicts count under what its gates read of the policy, and an edit that no gate reads changes nothing."""

from typing import Any

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.policy import DatasetPolicy
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.policies.judgement import judgement_fingerprint

POLICY: dict[str, Any] = {
    "urn": "ds://sales/orders",
    "owner_team": "sales",
    "tier": "TIER_1",
    "source": {"format": "csv", "path": "orders", "producer": "shop"},
}
BUNDLE: dict[str, Any] = {
    "schema": {"constraints": [{"field": "id", "type": "INT"}, {"field": "note", "type": "STRING"}]},
    "contract_lite": {"invariants": [{"id": "positive", "rule": "id > 0"}]},
    "contract": {"unique": ["id"]},
}
JUDGED = (Stage.BRONZE, Stage.SILVER, Stage.GOLD)


def fingerprints(policy: dict[str, Any], bundle: dict[str, Any]) -> dict[Stage, str]:
    read = DatasetPolicy.model_validate_json(_json(policy)), PolicyBundle.model_validate_json(_json(bundle))
    return {stage: judgement_fingerprint(stage, *read, None, None) for stage in JUDGED}


def _json(content: dict[str, Any]) -> str:
    import json

    return json.dumps(content)


def changed(policy: dict[str, Any], bundle: dict[str, Any]) -> set[Stage]:
    """The stages whose verdicts count no more when these keys are edited."""
    before, after = fingerprints(POLICY, BUNDLE), fingerprints({**POLICY, **policy}, {**BUNDLE, **bundle})
    return {stage for stage in JUDGED if before[stage] != after[stage]}


def deadline(**keys: Any) -> dict[str, Any]:
    return {"slo": {"freshness": {"expected_update_by": "06:00 ET daily", **keys}}}


def constrained(**column: Any) -> dict[str, Any]:
    first, second = BUNDLE["schema"]["constraints"]
    return {"schema": {"constraints": [{**first, **column}, second]}}


@pytest.mark.parametrize(
    ("policy", "bundle", "stages"),
    [
        pytest.param({"description": "orders of the shop"}, {}, set(), id="a description"),
        pytest.param({"owner_team": "finance", "owner_email": "a@b.example"}, {}, set(), id="an owner"),
        pytest.param({"tier": "TIER_3", "tags": ["daily"]}, {}, set(), id="tier and tags"),
        pytest.param({}, constrained(description="a number"), set(), id="a column's description"),
        pytest.param(deadline(), {}, set(), id="a deadline"),
        pytest.param(deadline(parts={"column": "note", "values": ["a"]}), {}, {Stage.SILVER}, id="parts of a day"),
        pytest.param({"source": {**POLICY["source"], "producer": "till"}}, {}, {Stage.BRONZE}, id="the producer"),
        pytest.param(
            {"source": {**POLICY["source"], "rounding": True}}, {}, {Stage.BRONZE, Stage.SILVER}, id="reading"
        ),
        pytest.param({}, constrained(enum=["1"]), {Stage.SILVER, Stage.GOLD}, id="an enum"),
        pytest.param({}, constrained(type="BIGINT"), set(JUDGED), id="a column's type"),
        pytest.param({}, {"contract_lite": {"invariants": ["id > 1"]}}, {Stage.SILVER}, id="a rule of rows"),
        pytest.param({}, {"contract": {"unique": ["id"], "min_compliance": 0.9}}, {Stage.GOLD}, id="the full contract"),
        pytest.param({}, {"dq": {"min_rows": 5}}, {Stage.SILVER}, id="fewest rows"),
        pytest.param({"slo": {"volume": {"min_rows_per_partition": 5}}}, {}, {Stage.SILVER}, id="fewest rows of a day"),
        pytest.param(
            {},
            {"pii": {"detection": [{"pattern": "EMAIL", "action": "mask"}]}},
            {Stage.SILVER, Stage.GOLD},
            id="personal data",
        ),
    ],
)
def test_an_edit_makes_the_verdicts_of_the_stages_that_read_it_count_no_more(
    policy: dict[str, Any], bundle: dict[str, Any], stages: set[Stage]
) -> None:
    assert changed(policy, bundle) == stages


def test_a_policy_that_is_edited_back_has_its_old_fingerprints() -> None:
    assert fingerprints(POLICY, BUNDLE) == fingerprints({**POLICY, "description": ""}, dict(BUNDLE))


def test_a_new_detector_of_personal_values_causes_rows_to_be_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ruled = {**BUNDLE, "pii": {"detection": [{"pattern": "EMAIL", "action": "mask"}]}}
    before, before_ruled = fingerprints(POLICY, BUNDLE), fingerprints(POLICY, ruled)
    monkeypatch.setattr("data_platform.policies.judgement.PATTERNS", "patterns-next")

    after, after_ruled = fingerprints(POLICY, BUNDLE), fingerprints(POLICY, ruled)

    assert {stage for stage in JUDGED if before[stage] != after[stage]} == {Stage.SILVER}
    assert {stage for stage in JUDGED if before_ruled[stage] != after_ruled[stage]} == {Stage.SILVER, Stage.GOLD}


def test_a_key_that_only_another_format_supports_is_no_part_of_a_fingerprint() -> None:
    policy = DatasetPolicy.model_validate_json(_json(POLICY))
    assert policy.source is not None
    other = policy.model_copy(update={"source": policy.source.model_copy(update={"sheet": "of a workbook"})})

    before, after = (judgement_fingerprint(Stage.BRONZE, one, PolicyBundle(), None, None) for one in (policy, other))

    assert before == after
