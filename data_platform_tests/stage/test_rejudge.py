"""At certification the verdict of gold is reused while the policy that it depends on is the same, and only then."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from data_platform.model.dataset import Stage
from data_platform.policies.catalog import Dataset
from data_platform.stage import rejudge
from data_platform.stage.prerequisite import JUDGED_UNDER
from data_platform_tests.frame.orders import dataset

BEFORE = dataset()


@dataclass
class Gold:
    """Runs of the stages of orders, judged under the policy of ``BEFORE``; counts how often gold is judged again."""

    passed: bool = True
    judged: list[int] = field(default_factory=list)

    def latest(self, urn: str, stage: Stage, partition: Any, *, passed_only: bool = False) -> Any:
        assert urn == BEFORE.urn
        assert partition is None
        assert passed_only is (stage is not Stage.GOLD)
        passed = self.passed or stage is not Stage.GOLD
        return SimpleNamespace(stage=stage, qualifies=passed, metadata={JUDGED_UNDER: BEFORE.judgement(stage)})

    def rejudged(self, now: Dataset, monkeypatch: pytest.MonkeyPatch) -> list[rejudge.Rejudgement]:
        def judge(_platform: Any, _dataset: Any, _partition: Any, version: int, _run_id: str) -> tuple[()]:
            self.judged.append(version)
            return ()

        monkeypatch.setattr(rejudge, "judge", judge)
        platform: Any = SimpleNamespace(catalog=SimpleNamespace(runs=self))
        return rejudge.rejudge(platform, now, [None], 7, "run_1")


def test_a_verdict_of_an_unchanged_version_under_an_unchanged_policy_is_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = Gold()

    assert gold.rejudged(dataset(), monkeypatch) == []
    assert gold.judged == []


def test_a_change_that_no_gate_of_gold_reads_does_not_judge_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = Gold()
    policy = BEFORE.policy.model_copy(update={"owner_team": "others", "tags": ("new",)})

    assert gold.rejudged(Dataset(policy, BEFORE.bundle, None, None, "1" * 16), monkeypatch) == []
    assert gold.judged == []


@pytest.mark.parametrize(
    ("gold", "changes"),
    [
        pytest.param(Gold(), {"contract": {"unique": ["id"]}}, id="its contract was edited"),
        pytest.param(Gold(passed=False), {}, id="it did not pass"),
    ],
)
def test_otherwise_gold_is_judged_again(gold: Gold, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(gold.rejudged(dataset(**changes), monkeypatch)) == 1
    assert gold.judged == [7]
