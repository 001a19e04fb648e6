"""``data-platform onboard`` shows the proposal and its trial, and submits what somebody confirms."""

import json
from typing import Any

import pytest

from data_platform.onboarding import attempt
from data_platform.review.branch import Review
from data_platform.review.folder import OnboardingFolder
from data_platform_tests.cli.shop import Shop

PROPOSAL = {
    "rows": 240, "deliveries": 6, "malformed": 0, "columns": 2, "team": "sales",
    "rules": [
        {"kind": "codes", "fields": ["state"], "value": ["NEW", "PAID"], "reason": "2 codes", "would_reject": 0},
        {"kind": "personal", "fields": ["mail"], "value": {"pattern": "EMAIL", "action": "tokenize"},
         "reason": "found by the detectors", "would_reject": None},
    ],
    "considered": ["id as a key: 3 rows repeat it"], "notes": ["mail: may hold EMAIL"], "problems": [],
}  # fmt: skip
TRIED = {"accepted": 39, "rejected": 1, "error": ""}
TRIAL = [
    {"day": "2025-01-05", "certified": True, "held_at": None, "rules": [], **TRIED},
    {"day": "2025-01-06", "certified": False, "held_at": "silver", **TRIED,
     "rules": [{"rule": f"FORMAT:c{number}", "rows": 1, "severity": "QUARANTINE"} for number in range(7)]},
]  # fmt: skip
COMMAND = ("onboard", "orders", "--as", "ds://sales/returns", "--team", "sales")


class FakeSteps:
    """An onboarding whose steps are done."""

    def __init__(self, platform: Any, request: Any, by: Any) -> None:
        del by
        self.urn = request.owner.dataset.urn
        self.folder = OnboardingFolder(platform.settings.home, request.owner.dataset)

    def propose(self) -> dict[str, Any]:
        return PROPOSAL

    def try_last_days(self, proposal: dict[str, Any]) -> list[dict[str, Any]]:
        assert proposal is PROPOSAL
        return TRIAL

    def submit(self) -> tuple[Review, int]:
        return Review(branch="onboard/sales__returns", commit="4f1c9e2"), 7


@pytest.fixture
def shop(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setattr(attempt, "Steps", FakeSteps)
    (shop.root / "home" / "landing" / "orders").mkdir(parents=True)
    return shop


def test_what_nobody_confirms_is_not_submitted(shop: Shop) -> None:
    result = shop.run(*COMMAND)

    assert result.exit_code == 2
    for text in ("profiled 240 rows and 2 columns in 6 deliveries", "NEW, PAID", "EMAIL tokenize", "2 codes",
                 "may hold EMAIL", "not proposed: id as a key", "would be certified", "held at silver",
                 "and 2 more", "not submitted"):  # fmt: skip
        assert text in result.output


def test_what_is_confirmed_is_submitted_and_the_next_steps_are_named(shop: Shop) -> None:
    result = shop.run(*COMMAND, "--yes")

    assert result.exit_code == 0
    assert "git branch onboard/sales__returns" in result.output
    assert "data-platform catalog approve 7" in result.output
    assert "data-platform run --select sales/returns" in result.output


@pytest.mark.parametrize(("options", "code"), [((), 2), (("--yes",), 0)])
def test_a_program_gets_one_document(shop: Shop, options: tuple[str, ...], code: int) -> None:
    result = shop.run(*COMMAND, *options, "--json")

    document = json.loads(result.stdout)
    assert (result.exit_code, document["submitted"]) == (code, code == 0)
    assert document["registration"] == 7 if document["submitted"] else "registration" not in document


def test_a_restart_forgets_the_proposal_of_before(shop: Shop) -> None:
    edited = shop.root / "home" / "onboarding" / "sales__returns" / "proposal.json"
    edited.parent.mkdir(parents=True)
    edited.touch()

    shop.run(*COMMAND)
    assert edited.exists()
    shop.run(*COMMAND, "--restart")

    assert not edited.exists()


def test_a_name_that_is_no_dataset_is_refused(shop: Shop) -> None:
    result = shop.run("onboard", "orders", "--as", "Returns", "--team", "sales")

    assert (result.exit_code, "expected ds://zone/name" in result.output) == (2, True)
