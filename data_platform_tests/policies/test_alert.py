"""The most specific route wins, the log is always there, and a route to an unknown channel is refused."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import load, problems
from data_platform_tests.signals.alert_case import notification, policy

ROUTES = [
    {"channels": ["mail"]},
    {"channels": ["chat"], "severity": "CRITICAL"},
    {"channels": ["chat", "mail"], "owner": "shop"},
    {"channels": ["pager"], "owner": "shop", "tier": "TIER_1", "severity": "CRITICAL"},
]
CHANNELS = [{"name": name} for name in ("mail", "chat", "pager")]


@pytest.mark.parametrize(
    ("owner", "tier", "severity", "expected"),
    [
        pytest.param("shop", "TIER_1", "CRITICAL", ("log", "pager"), id="all three match"),
        pytest.param(
            "shop", "TIER_2", "CRITICAL", ("log", "chat", "mail"), id="the owner's route before the severity's"
        ),
        pytest.param("ops", "TIER_1", "CRITICAL", ("log", "chat"), id="the severity's route"),
        pytest.param("ops", "TIER_1", "WARNING", ("log", "mail"), id="the route for all"),
    ],
)
def test_the_most_specific_route_wins(owner: str, tier: str, severity: str, expected: tuple[str, ...]) -> None:
    alerts = policy(channels=CHANNELS, routes=ROUTES)

    assert alerts.channels_of(notification(owner=owner, tier=tier, severity=severity)) == expected


def test_without_a_route_only_the_log_is_left() -> None:
    alerts = policy(channels=CHANNELS, routes=ROUTES[2:])

    assert alerts.channels_of(notification(owner="ops")) == ("log",)
    assert (alerts.has_route("ops"), alerts.has_route("shop")) == (False, True)


def test_a_team_s_own_quiet_hours_win_over_those_of_all() -> None:
    night = {"from": "22:00", "to": "07:00", "zone": "ET"}
    alerts = policy(quiet_hours=[night, {**night, "owner": "ops", "from": "23:00"}])

    assert [alerts.quiet_hours_of(owner).start for owner in ("ops", "shop")] == ["23:00", "22:00"]  # type: ignore[union-attr]
    assert policy(quiet=False).quiet_hours_of("ops") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            "channels: [{name: pager}], routes: [{channels: [pagr]}]",
            "'pagr' is not a channel of alerts.channels; did you mean pager?",
            id="an unknown channel",
        ),
        pytest.param("channels: [{name: log}]", "'log' is the channel that is always there", id="the log"),
        pytest.param("channels: [{name: a}, {name: a}]", "two channels named a; keep one", id="a channel twice"),
        pytest.param(
            "routes: [{channels: [log], owner: shop}, {channels: [log], owner: shop}]",
            "two routes for owner, tier and severity shop any any; keep one",
            id="a route twice",
        ),
        pytest.param("channels: [{name: a, url: 'mailto://x'}]", "not a known key", id="a URL in a policy"),
    ],
)
def test_validate_refuses_wrong_alerts(tmp_path: Path, text: str, problem: str) -> None:
    [found] = problems(tmp_path, {"platform.yaml": f"alerts: {{{text}}}\n"})

    assert problem in found


def test_a_platform_without_alerts_writes_to_the_log_alone(tmp_path: Path) -> None:
    alerts = load(tmp_path, {"platform.yaml": "environment: staging\n"}).platform.alerts

    assert alerts.channels_of(notification()) == ("log",)
