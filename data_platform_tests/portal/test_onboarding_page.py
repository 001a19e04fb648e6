"""The page of onboardings: rules with their reasons, the trial, and the command that goes on."""

from dataclasses import replace

import pytest

from data_platform.model.access import Role
from data_platform.model.onboarding import Onboarding, OnboardingState
from data_platform.portal.onboarding_view import onboarding_row
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW

PAGE = "/onboarding/ds%3A%2F%2Fops%2Fflights"
HOSTILE = "<script>alert(1)</script>{{7*7}}\u202e"
DOCUMENT = {
    "rows": 4771, "columns": 17, "deliveries": 6, "team": "ops",
    "rules": [
        {"kind": "codes", "fields": [HOSTILE], "value": ["EWR", "JFK"], "reason": "2 codes", "would_reject": 3},
        {"kind": "rows", "fields": [], "value": 209, "reason": "half of the smallest", "would_reject": None},
    ],
    "trial": [{
        "day": "2013-01-06", "certified": False, "held_at": "bronze", "accepted": None, "rejected": None,
        "rules": [{"rule": "CUT_OFF:flights.csv", "rows": None, "severity": "BLOCK"}],
    }],
    "notes": ["mail: may hold EMAIL"], "problems": [], "considered": ["id as a key: 3 rows repeat it"],
}  # fmt: skip
ENTRY = Onboarding(
    dataset_urn="ds://ops/flights", state=OnboardingState.TRIED, source="flights", author="ann",
    policy_fingerprint="a" * 16, document=DOCUMENT, created_at=NOW, updated_at=NOW,
)  # fmt: skip


def test_a_proposal_shows_its_rules_its_trial_and_the_next_command(portal: PortalClient) -> None:
    portal.catalog.onboardings.save(ENTRY, now=NOW)

    page = portal.page(PAGE).text

    for text in ("4,771 rows and 17 columns in 6 deliveries", "EWR, JFK", "2 codes", "held at bronze",
                 "CUT_OFF:flights.csv (BLOCK)", "may hold EMAIL", "3 rows repeat it",
                 "data-platform onboard flights --as ds://ops/flights --team ops"):  # fmt: skip
        assert text in page
    assert "<script>alert" not in page


def test_the_json_twin_has_the_same_value(portal: PortalClient) -> None:
    portal.catalog.onboardings.save(ENTRY, now=NOW)

    row = portal.json(PAGE)["row"]
    [line] = portal.json("/onboarding")["rows"]

    assert (row["dataset"], row["state"], row["rules"][0]["would_reject"]) == ("ds://ops/flights", "TRIED", 3)
    assert (line["dataset"], line["state"], line["team"]) == ("ds://ops/flights", "TRIED", "ops")


def test_without_an_onboarding_the_page_says_how_to_begin(empty_portal: PortalClient) -> None:
    assert "data-platform onboard PATH" in empty_portal.page("/onboarding").text


def test_consumers_do_not_see_proposed_policies(portal: PortalClient) -> None:
    assert portal.page("/onboarding", as_=Role.DATA_CONSUMER).status_code == 403


@pytest.mark.parametrize(
    ("state", "commands"),
    [
        pytest.param(
            OnboardingState.PENDING,
            ["data-platform catalog approve 7", "data-platform run --select ops/flights"],
            id="waits",
        ),
        pytest.param(OnboardingState.APPROVED, ["data-platform run --select ops/flights"], id="approved"),
        pytest.param(
            OnboardingState.REJECTED, ["data-platform onboard flights --as ds://ops/flights --team ops"], id="rejected"
        ),
    ],
)
def test_the_next_step_follows_from_the_state(state: OnboardingState, commands: list[str]) -> None:
    row = onboarding_row(replace(ENTRY, state=state, registration=7, review="git branch onboard/x"))

    assert [command for _, command in row.next_steps] == commands


@pytest.mark.parametrize(("role", "leads"), [(Role.DATA_OWNER, True), (Role.DATA_CONSUMER, False)])
def test_an_empty_board_leads_those_who_may_to_the_first_dataset(
    empty_portal: PortalClient, role: Role, leads: bool
) -> None:
    for path in ("/", "/datasets"):
        assert ('<a href="/onboarding">' in empty_portal.page(path, as_=role).text) is leads
