"""What waits, what goes at once, and what goes in one message."""

from dataclasses import replace
from datetime import timedelta

import pytest

from data_platform.model.alert import LOG, AlertState, DeliveryStatus, Hold
from data_platform.signals.alert_grouping import ChannelUse, Grouping, Rules, Shape, group
from data_platform_tests.signals.alert_case import HOUR, NIGHT, NOON, delivery, notification, policy, window


def numbers(grouping: Grouping) -> list[list[int]]:
    return [[one.number for one in message.deliveries] for message in grouping.messages]


def test_deliveries_of_one_incident_go_together_and_others_alone() -> None:
    first, second = delivery(1), delivery(2, about=notification(2, state=AlertState.ACKNOWLEDGED))
    other = delivery(3, about=notification(3, incident=2))

    assert numbers(group([other, second, first], Rules(policy=policy(), now=NOON))) == [[1, 2], [3]]


@pytest.mark.parametrize(
    ("tier", "severity", "is_held"),
    [
        pytest.param("TIER_1", "CRITICAL", False, id="critical of tier 1"),
        pytest.param("TIER_1", "WARNING", True, id="a warning of tier 1"),
        pytest.param("TIER_2", "CRITICAL", True, id="critical of tier 2"),
    ],
)
def test_quiet_hours_hold_all_but_what_is_critical_and_of_tier_1(tier: str, severity: str, is_held: bool) -> None:
    found = group(
        [delivery(about=notification(tier=tier, severity=severity))],
        Rules(policy=policy(), now=NIGHT),
    )

    assert bool(found.held) is is_held
    assert bool(found.messages) is not is_held
    if is_held:
        assert (found.held[0].by, found.held[0].until) == (Hold.QUIET_HOURS, NIGHT + 8 * HOUR)


def test_the_log_waits_for_nothing() -> None:
    waiting = [delivery(1, channel=LOG), delivery(2, channel=LOG, about=notification(2, state=AlertState.RESOLVED))]

    found = group(waiting, Rules(policy=policy(), windows=[window(starts_at=NIGHT)], now=NIGHT))

    assert numbers(found) == [[1], [2]]


def test_the_end_of_quiet_hours_sends_one_digest_for_each_owner() -> None:
    held = [
        delivery(1, held_by=Hold.QUIET_HOURS),
        delivery(2, about=notification(2, incident=2), held_by=Hold.QUIET_HOURS),
        delivery(3, about=notification(3, incident=3, owner="ops"), held_by=Hold.QUIET_HOURS),
    ]

    found = group(held, Rules(policy=policy(), now=NIGHT + 8 * HOUR))

    assert [(message.shape, len(message.deliveries)) for message in found.messages] == [
        (Shape.DIGEST, 2),
        (Shape.SINGLE, 1),
    ]


def test_an_urgent_change_in_quiet_hours_takes_along_what_was_held_of_its_incident() -> None:
    held = delivery(1, about=notification(1, tier="TIER_1", severity="WARNING"), held_by=Hold.QUIET_HOURS)
    worse = delivery(2, about=notification(2, tier="TIER_1", state=AlertState.WORSE))

    assert numbers(group([held, worse], Rules(policy=policy(), now=NIGHT))) == [[1, 2]]


@pytest.mark.parametrize(
    ("subject", "is_held"),
    [
        pytest.param("*", True, id="everything"),
        pytest.param("shop", True, id="the owner"),
        pytest.param("ds://shop/orders", True, id="the dataset"),
        pytest.param("ops", False, id="another owner"),
    ],
)
def test_a_maintenance_window_holds_what_it_covers_and_is_named(subject: str, is_held: bool) -> None:
    urgent = delivery(about=notification(tier="TIER_1"))

    found = group([urgent], Rules(policy=policy(), windows=[window(7, subject=subject)], now=NOON + HOUR))

    assert [held.maintenance for held in found.held] == ([7] if is_held else [])


def test_an_incident_that_opened_and_ended_in_a_window_is_silenced_at_its_end() -> None:
    opened = delivery(1, about=notification(1, created_at=NOON))
    resolved = delivery(2, about=notification(2, state=AlertState.RESOLVED, created_at=NOON + HOUR))

    found = group([opened, resolved], Rules(policy=policy(), windows=[window(7)], now=NOON + 3 * HOUR))

    assert [([one.number for one in part], number) for part, number in found.silenced] == [([1, 2], 7)]
    assert found.messages == []


@pytest.mark.parametrize(
    "states",
    [
        pytest.param([AlertState.OPEN], id="it is still open"),
        pytest.param([AlertState.RESOLVED], id="its opening was sent before the window"),
        pytest.param([AlertState.WORSE], id="it got worse"),
    ],
)
def test_what_a_window_held_is_sent_at_its_end_unless_it_is_all_over(states: list[AlertState]) -> None:
    held = [delivery(n, about=notification(n, state=state), maintenance=1) for n, state in enumerate(states, start=1)]

    found = group(held, Rules(policy=policy(), windows=[window()], now=NOON + 2 * HOUR))

    assert (len(found.messages), found.silenced, found.held) == (1, [], [])


def test_beyond_the_limit_the_least_urgent_go_as_one_summary_and_then_wait() -> None:
    waiting = [delivery(n, about=notification(n, incident=n)) for n in range(1, 5)]
    waiting.append(delivery(5, about=notification(5, incident=5, tier="TIER_1")))
    rules = Rules(policy=policy(per_hour=2), now=NOON)

    found = group(waiting, rules)
    later = group(waiting, replace(rules, use={"pager": ChannelUse(count=2, since=NOON - HOUR / 2, summary_at=NOON)}))

    assert numbers(found) == [[5], [1], [2, 3, 4]]
    assert found.messages[-1].shape is Shape.SUMMARY
    assert later.messages == []
    assert [(held.by, held.until) for held in later.held] == [(Hold.RATE_LIMIT, NOON + HOUR / 2)]


def test_a_later_change_waits_while_an_earlier_one_is_sent_or_waits_for_its_next_attempt() -> None:
    later = delivery(2, about=notification(2, state=AlertState.RESOLVED))
    sending = delivery(1, status=DeliveryStatus.SENDING)
    failed = delivery(1, held_by=Hold.RETRY, not_before=NOON + timedelta(minutes=1))
    rules = Rules(policy=policy(), now=NOON)

    assert numbers(group([sending, later], rules)) == []
    assert numbers(group([failed, later], rules)) == []
    assert numbers(group([failed, later], replace(rules, now=NOON + HOUR))) == [[1, 2]]


def test_a_message_with_unknown_outcome_is_repeated_as_it_was() -> None:
    repeated = [
        delivery(1, is_repeat=True, message="m"),
        delivery(2, about=notification(2, incident=2), is_repeat=True, message="m"),
    ]
    later = delivery(3, about=notification(3, state=AlertState.RESOLVED))

    found = group([*repeated, later], Rules(policy=policy(), now=NIGHT))

    assert [(message.id, message.shape) for message in found.messages] == [("m", Shape.DIGEST)]
