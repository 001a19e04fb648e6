"""What waits in the outbox is sent once, whatever the channel answers and whenever a sender dies."""

import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import ConflictError, NotFoundError
from data_platform.model.alert import LOG, AlertState, DeliveryStatus, Hold
from data_platform.model.registration import Actor
from data_platform.signals.alert_channel import Answer, Envelope
from data_platform.signals.alert_grouping import Message, Shape
from data_platform.signals.alert_text import REPEATED
from data_platform.signals.notify import in_order
from data_platform_tests.signals.alert_case import HOUR, NIGHT, NOON, delivery, notification, policy
from data_platform_tests.signals.outbox import ACCEPTED, REFUSED, UNKNOWN, Channel, Killed, change, send

MINUTE = timedelta(minutes=1)


def statuses(catalog: Catalog, channel: str = "pager") -> list[DeliveryStatus]:
    return [one.status for one in reversed(catalog.alerts.newest(limit=100)) if one.channel == channel]


def test_a_change_is_sent_to_its_channel_and_to_the_log(catalog: Catalog, caplog: pytest.LogCaptureFixture) -> None:
    change(catalog)
    channel = Channel()

    with caplog.at_level(logging.WARNING, "data_platform.alerts"):
        report = send(catalog, channel)

    [line] = [json.loads(record.getMessage()) for record in caplog.records if record.name == "data_platform.alerts"]
    assert (line["incident"], line["state"], line["owner"], line["repeat"]) == (1, "OPEN", "shop", False)
    assert (report.sent, report.waiting) == (2, 0)
    assert channel.accepted[0].text.short.startswith("[incident 1] OPEN CRITICAL TIER_2: ds://shop/orders")
    assert channel.accepted[0].root == "incident-1.shop"


def test_nothing_is_sent_twice(catalog: Catalog) -> None:
    channel = Channel()
    for _ in range(3):
        change(catalog)
        send(catalog, channel)

    assert len(channel.requests) == 1


def test_what_a_channel_refused_is_sent_later_and_later_and_once(catalog: Catalog) -> None:
    change(catalog)
    channel = Channel(lambda request: REFUSED if request < 2 else ACCEPTED)

    for minute in range(10):
        send(catalog, channel, now=NOON + minute * MINUTE)

    assert (len(channel.requests), len(channel.accepted)) == (3, 1)
    assert not channel.accepted[0].is_repeat


def test_a_later_change_goes_with_what_a_channel_refused_before(catalog: Catalog) -> None:
    channel = Channel(lambda request: REFUSED if request == 0 else ACCEPTED)
    change(catalog)
    send(catalog, channel)
    change(catalog, AlertState.RESOLVED)
    send(catalog, channel, now=NOON + 2 * MINUTE)

    [message] = channel.accepted
    assert "RESOLVED" in message.text.short
    assert "2013-01-07 12:00 UTC OPEN" in message.text.body


def test_an_unknown_outcome_is_repeated_once_as_the_same_message_which_says_so(catalog: Catalog) -> None:
    change(catalog)
    channel = Channel(lambda request: UNKNOWN if request == 0 else ACCEPTED)

    send(catalog, channel)
    change(catalog, AlertState.RESOLVED)
    for minute in range(1, 5):
        send(catalog, channel, now=NOON + minute * MINUTE)

    first, repeat, resolved = channel.requests
    assert (first.id, repeat.is_repeat, resolved.is_repeat) == (repeat.id, True, False)
    assert REPEATED in repeat.text.body
    assert statuses(catalog) == [DeliveryStatus.SENT, DeliveryStatus.SENT]


def test_a_message_without_answer_twice_ends_as_unknown(catalog: Catalog) -> None:
    change(catalog)
    channel = Channel(lambda _: UNKNOWN)

    for minute in range(10):
        send(catalog, channel, now=NOON + minute * MINUTE)

    assert len(channel.requests) == 2
    assert statuses(catalog) == [DeliveryStatus.UNKNOWN]


ANN = Actor(name="ann", role="PLATFORM_ADMIN")


def test_a_message_without_answer_is_sent_again_once_people_ask_for_it_and_says_that_it_is_a_repeat(
    catalog: Catalog,
) -> None:
    change(catalog)
    channel = Channel(lambda request: UNKNOWN if request < 2 else ACCEPTED)
    for minute in range(5):
        send(catalog, channel, now=NOON + minute * MINUTE)
    [lost] = [one for one in catalog.alerts.newest(limit=10) if one.status is DeliveryStatus.UNKNOWN]

    numbers = catalog.alerts.send_again(lost.number, by=ANN, now=NOON)
    send(catalog, channel, now=NOON + 6 * MINUTE)

    assert (numbers, statuses(catalog), len(channel.requests)) == ((lost.number,), [DeliveryStatus.SENT], 3)
    assert (channel.requests[2].is_repeat, channel.requests[2].id) == (True, channel.requests[0].id)
    with pytest.raises(ConflictError, match="is SENT"):
        catalog.alerts.send_again(lost.number, by=ANN, now=NOON)


def test_what_is_sent_again_and_has_no_answer_ends_as_unknown_again(catalog: Catalog) -> None:
    change(catalog)
    channel = Channel(lambda _: UNKNOWN)
    for minute in range(5):
        send(catalog, channel, now=NOON + minute * MINUTE)
    [lost] = [one for one in catalog.alerts.newest(limit=10) if one.status is DeliveryStatus.UNKNOWN]

    catalog.alerts.send_again(lost.number, by=ANN, now=NOON)
    for minute in range(6, 12):
        send(catalog, channel, now=NOON + minute * MINUTE)

    assert (statuses(catalog), len(channel.requests)) == ([DeliveryStatus.UNKNOWN], 3)
    with pytest.raises(NotFoundError, match="no alert 99"):
        catalog.alerts.send_again(99, by=ANN, now=NOON)


def test_a_refused_repeat_is_tried_again(catalog: Catalog) -> None:
    change(catalog)
    channel = Channel(lambda request: [UNKNOWN, REFUSED, ACCEPTED][request])

    for minute in range(10):
        send(catalog, channel, now=NOON + minute * MINUTE)

    assert statuses(catalog) == [DeliveryStatus.SENT]
    assert [one.is_repeat for one in channel.requests] == [False, True, True]


@pytest.mark.parametrize(
    ("step", "is_repeat"),
    [
        pytest.param("claim", False, id="after the claim, so nothing was sent"),
        pytest.param("begin", True, id="after the begin, so it may have been sent"),
    ],
)
def test_a_killed_sender_loses_nothing(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, step: str, is_repeat: bool
) -> None:
    change(catalog)
    send(catalog, Channel(), alerts=policy(routes=[]))  # the log has its line before
    change(catalog, AlertState.RESOLVED)
    channel, original = Channel(), getattr(type(catalog.alerts), step)

    def killed(*given: object, **named: object) -> None:
        original(*given, **named)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(type(catalog.alerts), step, killed)
        with pytest.raises(Killed):
            send(catalog, channel)
    early = send(catalog, channel, now=NOON + MINUTE)
    send(catalog, channel, now=NOON + 4 * MINUTE)

    assert early.waiting == 1
    assert {one.is_repeat for one in catalog.alerts.newest(limit=10) if one.attempts} >= {is_repeat}
    assert all(status is DeliveryStatus.SENT for status in statuses(catalog) + statuses(catalog, LOG))


def test_a_sender_that_was_slower_than_its_lease_sends_no_more(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(catalog)
    channel, original = Channel(), type(catalog.alerts).claim

    def slow(*given: object, **named: object) -> bool:
        done = original(*given, **named)
        with monkeypatch.context() as patch:
            patch.setattr(type(catalog.alerts), "claim", original)
            send(catalog, channel, now=NOON + HOUR)
        return done

    with monkeypatch.context() as patch:
        patch.setattr(type(catalog.alerts), "claim", slow)
        send(catalog, channel)

    assert len(channel.requests) == 1


def test_quiet_hours_hold_and_a_digest_follows(catalog: Catalog) -> None:
    channel = Channel()
    for incident in (1, 2, 3):
        change(catalog, at=NIGHT, incident=incident)
    change(catalog, at=NIGHT, incident=4, tier="TIER_1")

    send(catalog, channel, now=NIGHT)
    held = [one for one in catalog.alerts.newest(limit=100) if one.held_by is Hold.QUIET_HOURS]
    send(catalog, channel, now=NIGHT + 8 * HOUR)

    assert len(held) == 3
    assert [message.text.title for message in channel.accepted] == [
        "[incident 4] ds://shop/orders 2013-01-06 is late: JOB_FAILED",
        "3 incidents: held until now",
    ]
    assert statuses(catalog) == [DeliveryStatus.SENT] * 4


def test_a_maintenance_window_records_what_it_silenced_and_sends_what_goes_on(catalog: Catalog) -> None:
    channel = Channel()
    window = catalog.maintenance.add(
        "shop", starts_at=NOON, ends_at=NOON + 2 * HOUR, reason="disks", by=Actor(name="ada", role="ADMIN"), now=NOON
    )
    change(catalog, incident=1)
    change(catalog, incident=2)
    send(catalog, channel)
    change(catalog, AlertState.RESOLVED, incident=1, at=NOON + HOUR)
    send(catalog, channel, now=NOON + HOUR)
    send(catalog, channel, now=NOON + 3 * HOUR)

    covered = catalog.alerts.newest(maintenance=window.number, limit=10)
    assert [(one.notification.incident, one.status) for one in covered] == [
        (1, DeliveryStatus.SILENCED),
        (2, DeliveryStatus.SENT),
        (1, DeliveryStatus.SILENCED),
    ]
    assert [message.root for message in channel.accepted] == ["incident-2.shop"]


def test_a_window_that_is_ended_early_releases_what_it_held(catalog: Catalog) -> None:
    channel, ada = Channel(), Actor(name="ada", role="ADMIN")
    window = catalog.maintenance.add("*", starts_at=NOON, ends_at=NOON + 2 * HOUR, reason="disks", by=ada, now=NOON)
    change(catalog)
    send(catalog, channel)
    catalog.maintenance.end(window.number, by=ada, now=NOON + MINUTE)
    send(catalog, channel, now=NOON + 2 * MINUTE)

    assert len(channel.accepted) == 1


def test_beyond_the_limit_one_summary_is_sent_in_an_hour(catalog: Catalog) -> None:
    channel, alerts = Channel(), policy(per_hour=2)
    for incident in range(1, 6):
        change(catalog, incident=incident)
        send(catalog, channel, alerts=alerts, now=NOON + incident * MINUTE)

    within = len(channel.accepted)
    send(catalog, channel, alerts=alerts, now=NOON + 2 * HOUR)

    assert within == 3
    assert channel.accepted[2].text.title == "1 incident: more than the channel takes in an hour"
    assert len(channel.accepted) == 5
    assert statuses(catalog) == [DeliveryStatus.SENT] * 5


def test_a_channel_without_a_url_waits_for_it_and_says_what_to_set(catalog: Catalog) -> None:
    change(catalog)
    channel = Channel()

    send(catalog, channel, urls={})
    [waiting] = [one for one in catalog.alerts.newest(limit=10) if one.channel == "pager"]
    send(catalog, channel, now=NOON + 2 * MINUTE)

    assert waiting.error == "the channel has no URL: set DATA_PLATFORM_ALERT_URL_PAGER"
    assert len(channel.accepted) == 1


def test_no_personal_value_is_stored_or_sent(catalog: Catalog) -> None:
    from data_platform.catalog.alert import outbox
    from data_platform.model.alert import Audience, Recipient
    from data_platform_tests.signals.alert_case import FACTS

    values = {"incident": 1, "round": 1, "dataset_urn": "ds://shop/orders", "severity": "CRITICAL"}
    facts = {**FACTS, "reasons": ["value ada@example.com is wrong"], "title": "ada@example.com"}
    with catalog._database.writing() as connection:
        owners = {"shop": Recipient(Audience.OWNER, "TIER_2")}
        outbox.add(connection, owners, AlertState.OPEN, {**values, "created_at": NOON}, facts)
    channel = Channel()
    send(catalog, channel)

    assert "ada@example.com" not in str(catalog.alerts.newest(limit=10))
    assert "ada@example.com" not in str(channel.accepted)


def test_urls_come_from_a_file_too_and_a_wrong_line_is_not_shown(tmp_path: Path) -> None:
    from data_platform.errors import UsageError
    from data_platform.settings import read_settings
    from data_platform.signals.alert_url import alert_urls

    file = tmp_path / "urls"
    file.write_text("# channels\npager=json://file?a=b\nMAIL = mailtos://user:secret@host\n", encoding="utf-8")
    given = {"DATA_PLATFORM_ALERTS_FILE": str(file), "DATA_PLATFORM_ALERT_URL_PAGER": "json://environment"}

    assert alert_urls(read_settings(given)) == {"pager": "json://environment", "mail": "mailtos://user:secret@host"}
    assert "secret" not in repr(read_settings(given))
    file.write_text("mailtos://user:secret@host", encoding="utf-8")
    with pytest.raises(UsageError, match="urls:1 is not channel=url") as problem:
        alert_urls(read_settings(given))
    assert "secret" not in str(problem.value)


def test_a_channel_that_fails_holds_up_no_other(catalog: Catalog) -> None:
    alerts = policy(channels=[{"name": "chat"}, {"name": "pager"}], routes=[{"channels": ["chat", "pager"]}])
    for incident in (1, 2, 3):
        change(catalog, incident=incident)
    posted: list[str] = []

    def post(url: str, _: Envelope) -> Answer:
        posted.append(url)
        return UNKNOWN if url == "chat" else ACCEPTED

    urls = {"CHAT": "chat", "PAGER": "pager"}
    send(catalog, post, alerts=alerts, urls=urls)
    send(catalog, post, alerts=alerts, urls=urls, now=NOON + HOUR)

    assert posted[:4] == ["chat", "pager", "pager", "pager"]
    assert posted[4:] == ["chat"]


def test_channels_in_trouble_come_last_and_the_log_first() -> None:
    waiting = [
        delivery(1, channel="chat", held_by=Hold.RETRY),
        delivery(2, channel="pager"),
        delivery(3, channel="pager", about=notification(3, tier="TIER_1")),
        delivery(4, channel=LOG),
    ]
    messages = [Message(channel=one.channel, shape=Shape.SINGLE, deliveries=(one,)) for one in waiting]

    assert [one.deliveries[0].number for one in in_order(messages, waiting)] == [4, 3, 2, 1]
