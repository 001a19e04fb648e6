"""A message says what its reader needs at night: what, since when, why, whom it affects, and what to do next."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.model.alert import AlertState, Audience
from data_platform.signals.alert_text import digest_text, incident_text
from data_platform_tests.signals.alert_case import FACTS, NOON, delivery, notification


def body(**changes: Any) -> str:
    about = notification(**{"facts": FACTS, **changes})
    return incident_text([delivery(about=about)], service_url="http://catalog.example/").body


def test_the_owner_reads_everything_in_one_place() -> None:
    assert body().splitlines() == [
        "[incident 1] OPEN CRITICAL TIER_2: ds://shop/orders 2013-01-06 is late: JOB_FAILED",
        "",
        "What: ds://shop/orders 2013-01-06 is late: JOB_FAILED (ds://shop/orders 2013-01-06)",
        "Since: 2013-01-07 11:58 UTC, noticed 2013-01-07 12:00 UTC",
        "Why: the job ended with an error",
        "Downstream: 1 dataset, of sales: ds://shop/sales",
        "Deadline at risk: ds://shop/sales 2013-01-07 14:00 UTC",
        "",
        "Next: data-platform incidents show 1",
        "Then: data-platform incidents acknowledge 1",
        "Link: http://catalog.example/incidents/1",
    ]


def test_an_owner_downstream_reads_what_of_theirs_is_affected_and_who_works_on_it() -> None:
    text = body(owner="sales", audience=Audience.DOWNSTREAM)

    assert "Affects you: ds://shop/sales; shop works on it" in text
    assert "incidents acknowledge" not in text


@pytest.mark.parametrize(
    ("state", "facts", "line"),
    [
        pytest.param(AlertState.ACKNOWLEDGED, {"comment": "on it"}, "Acknowledged by ada: on it", id="acknowledged"),
        pytest.param(AlertState.RESOLVED, {"resolution": "FIXED"}, "Resolved by ada: FIXED", id="resolved"),
        pytest.param(AlertState.MERGED, {"merged_into": 7}, "same cause as incident 7, which goes on", id="merged"),
        pytest.param(AlertState.WORSE, {}, "It was a warning before, and is critical now", id="worse"),
    ],
)
def test_an_update_says_what_changed(state: AlertState, facts: dict[str, Any], line: str) -> None:
    assert line in body(state=state, facts={**FACTS, **facts})


def test_an_incident_that_is_over_asks_for_nothing() -> None:
    assert "Next: nothing" in body(state=AlertState.RESOLVED)


def test_each_message_of_an_incident_has_the_same_title() -> None:
    titles = {
        incident_text([delivery(about=notification(state=state))], service_url=None).title for state in AlertState
    }

    assert titles == {"[incident 1] ds://shop/orders 2013-01-06 is late: JOB_FAILED"}


def test_a_digest_has_one_line_for_each_incident_with_its_changes() -> None:
    later = NOON + timedelta(hours=1)
    held = [
        delivery(1, about=notification(1)),
        delivery(2, about=notification(2, incident=2)),
        delivery(3, about=notification(3, state=AlertState.RESOLVED, created_at=later)),
    ]

    digest = digest_text(held, why="held until now", service_url=None)

    assert digest.title == "2 incidents: held until now"
    lines = [line for line in digest.body.splitlines() if line.startswith("- ")]
    assert len(lines) == 2
    assert lines[0].endswith("(OPEN 2013-01-07 12:00 UTC, RESOLVED 2013-01-07 13:00 UTC)")


def test_a_personal_value_in_a_text_is_redacted() -> None:
    assert "ada@example.com" not in body(facts={**FACTS, "reasons": ["ada@example.com is wrong"]})


def test_a_long_digest_names_the_first_and_counts_the_others() -> None:
    held = [delivery(n, about=notification(n, incident=n)) for n in range(1, 61)]

    lines = digest_text(held, why="held until now", service_url=None).body.splitlines()

    assert len([line for line in lines if line.startswith("- [incident")]) == 50
    assert "- and 10 more: data-platform alerts list" in lines


def test_a_title_is_one_line_since_it_becomes_the_subject_of_a_mail() -> None:
    about = notification(facts={**FACTS, "title": "late\nBcc: all@example.com"})

    assert "\n" not in incident_text([delivery(about=about)], service_url=None).title
