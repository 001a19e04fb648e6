"""``data-platform alerts`` sends what waits, shows what became of it, and tries a channel."""

import threading

import pytest

from data_platform.errors import SourceUnavailableError
from data_platform.installation import Platform
from data_platform.model.alert import AlertState
from data_platform.signals.notify import Report
from data_platform_tests.cli.shop import Shop
from data_platform_tests.signals.outbox import change

PLATFORM = "alerts: {channels: [{name: pager}], routes: [{channels: [pager]}]}\n"


@pytest.fixture
def routed(shop: Shop) -> Shop:
    """A shop whose channel has no URL, and two changes of an incident."""
    (shop.root / "policies" / "platform.yaml").write_text(PLATFORM)
    with shop.catalog() as catalog:
        change(catalog)
        change(catalog, AlertState.RESOLVED)
    return shop


def test_what_waits_is_sent_and_what_was_refused_is_an_error(routed: Shop) -> None:
    sent = routed.json("alerts", "send", "--once", exit_code=1)
    again = routed.json("alerts", "send", "--once")

    assert sent == {"sent": 2, "refused": 1, "unknown": 0, "waiting": 2}
    assert again == {"sent": 0, "refused": 0, "unknown": 0, "waiting": 2}


def test_the_list_says_what_became_of_each(routed: Shop) -> None:
    routed.run("alerts", "send", "--once")

    found = routed.json("alerts", "list", "--incident", "1")
    assert {(one["change"], one["channel"], one["status"]) for one in found} == {
        ("OPEN", "log", "SENT"),
        ("OPEN", "pager", "WAITING"),
        ("RESOLVED", "log", "SENT"),
        ("RESOLVED", "pager", "WAITING"),
    }
    assert "no URL: set DATA_PLATFORM_ALERT_URL_PAGER" in routed.run("alerts", "list").stdout
    assert routed.json("alerts", "list", "--incident", "2") == []


def test_only_what_is_unknown_or_failed_is_sent_again(routed: Shop) -> None:
    routed.run("alerts", "send", "--once")
    [waiting, _] = [one["number"] for one in routed.json("alerts", "list") if one["status"] == "WAITING"]

    refused = routed.run("alerts", "send", "--again", str(waiting))

    assert refused.exit_code != 0
    assert f"alert {waiting} is WAITING: only one that is UNKNOWN or FAILED is sent again" in " ".join(
        refused.stderr.split()
    )


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        pytest.param("pagr", "'pagr' is not a channel of alerts in platform.yaml; did you mean pager?", id="unknown"),
        pytest.param("pager", "the channel pager has no URL: set DATA_PLATFORM_ALERT_URL_PAGER", id="no URL"),
    ],
)
def test_a_channel_that_cannot_be_tried_is_wrong_use(routed: Shop, channel: str, message: str) -> None:
    refused = routed.run("alerts", "test", channel)

    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.split())


@pytest.mark.filterwarnings("ignore:'\\w+' is deprecated and slated for removal:DeprecationWarning")  # in apprise
def test_a_channel_that_refuses_the_test_is_an_error(routed: Shop) -> None:
    refused = routed.run("alerts", "test", "pager", DATA_PLATFORM_ALERT_URL_PAGER="nothing://secret")

    assert refused.exit_code == 1
    assert "the test message did not arrive" in refused.stderr
    assert "secret" not in refused.stderr


def test_sending_goes_on_until_it_is_stopped_also_after_an_outage(
    routed: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    from data_platform.cli import alerts

    class Stop(threading.Event):
        """Is set at the second wait."""

        waits = 0

        def wait(self, timeout: float | None = None) -> bool:
            assert timeout == alerts.EVERY_SECONDS
            self.waits += 1
            if self.waits > 1:
                self.set()
            return self.is_set()

    original, passes = alerts._send, []

    def failing_first(platform: Platform) -> Report:
        passes.append(platform)
        if len(passes) == 1:
            raise SourceUnavailableError("the catalog did not answer")
        return original(platform)

    monkeypatch.setattr(alerts, "stop_event", Stop)
    monkeypatch.setattr(alerts, "_send", failing_first)
    result = routed.run("alerts", "send")

    assert result.exit_code == 0
    assert "alerts were not sent: the catalog did not answer" in result.stderr
    assert result.stdout.splitlines() == [
        "sends every 30 seconds; Ctrl-C ends it",
        "2 messages sent, 1 refused, 0 without answer; 2 deliveries waiting",
        "stopped",
    ]


def test_json_needs_once(shop: Shop) -> None:
    assert "use --json with --once" in shop.json("alerts", "send", exit_code=2)["error"]
