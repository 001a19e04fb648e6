"""``watch``, ``incidents`` and ``signals list``: a late day becomes an incident that people work on."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from data_platform_tests.cli.shop import CUSTOMERS, Shop

RETURNS = "ds://sales/returns"
LATE = datetime.now(UTC).date() - timedelta(days=3)
PARTITION = f"""\
partition: {{key: day, start: {LATE}, end: {LATE}}}
slo: {{freshness: {{expected_update_by: "02:00 UTC daily", grace_period: 30m}}}}
"""
COMMAND = [sys.executable, "-u", "-c", "from data_platform.cli.main import app; app()", "watch", "--every", "1s"]


@pytest.fixture
def late(shop: Shop) -> Shop:
    """One day of returns is late, and no other dataset has a deadline."""
    shop.declare(RETURNS, "returns/{partition}", PARTITION)
    with shop.catalog():
        return shop


def test_a_late_day_is_one_incident_that_a_person_ends(late: Shop) -> None:
    first, again = late.json("watch", "--once"), late.json("watch", "--once")
    listed = late.json("incidents", "list", "returns")
    seen = late.json("incidents", "acknowledge", "1", "--by", "ann", "--comment", "on it")
    ended = late.json("incidents", "resolve", "1", "--reason", "ACCEPTED", "--by", "ann")
    after = late.json("watch", "--once")

    assert ([event["what"] for event in first["changes"]], again["changes"]) == (["OPENED"], [])
    [incident] = listed["incidents"]
    assert (incident["title"], incident["owner_team"]) == (
        f"ds://sales/returns {LATE} is late: its job was not started in time",
        "sales",
    )
    assert (seen["state"], ended["state"], after["active"]) == ("ACKNOWLEDGED", "RESOLVED", 0)
    assert [event["what"] for event in late.json("incidents", "history", "1")] == ["OPENED", "ACKNOWLEDGED", "RESOLVED"]
    assert late.json("incidents", "list")["incidents"] == []
    assert len(late.json("incidents", "list", "--all")["incidents"]) == 1


def test_people_read_lines(late: Shop) -> None:
    before = late.run("incidents", "list")
    late.run("watch", "--once")

    listed, shown = late.run("incidents", "list"), late.run("incidents", "show", "1")
    status, signals = late.run("status"), late.run("signals", "list")

    assert before.stdout == "no incident\n"
    assert "nobody watches: start data-platform watch" in before.stderr
    assert listed.stdout.splitlines()[1].split()[:5] == ["1", "OPEN", "CRITICAL", "TIER_3", "sales"]
    assert "watches, last at" in listed.stderr
    assert shown.stdout.splitlines()[1] == "OPEN, CRITICAL, TIER_3, owner sales"
    assert f"incident 1 (OPEN): ds://sales/returns {LATE} is late" in status.stdout
    assert "JOB_NOT_TRIGGERED" in signals.stdout


def test_an_incident_is_shown_with_its_root_cause(late: Shop) -> None:
    late.run("watch", "--once")

    shown, explained = late.run("incidents", "show", "1").stdout, late.run("rca", "1").stdout
    document = late.json("incidents", "show", "1")["root_cause"]

    assert f"root cause: JOB_NOT_TRIGGERED at {RETURNS}: nothing had started for {LATE} by " in shown
    assert shown.splitlines()[-1] == "evidence: data-platform rca 1"
    assert explained.startswith(f"incident 1 of {RETURNS} {LATE}: JOB_NOT_TRIGGERED at {RETURNS}: ")
    assert document["cause"]["kind"] == late.json("rca", "1")["cause"]["kind"] == "JOB_NOT_TRIGGERED"


def test_status_has_the_incidents_of_each_dataset(late: Shop) -> None:
    late.run("watch", "--once")

    incidents = {row["dataset"]: [one["number"] for one in row["incidents"]] for row in late.json("status")}

    assert (incidents[RETURNS], incidents[CUSTOMERS]) == ([1], [])


def test_fixed_is_refused_while_the_day_is_late(late: Shop) -> None:
    late.run("watch", "--once")

    refused = late.run("incidents", "resolve", "1", "--reason", "FIXED", "--by", "ann")

    assert refused.exit_code == 1
    assert "is still found, such as nothing has started for this day" in refused.stderr


@pytest.mark.parametrize("every", ["0s", "half an hour", "30", "-5s"])
def test_a_wrong_interval_is_refused(late: Shop, every: str) -> None:
    refused = late.run("watch", f"--every={every}")

    assert refused.exit_code == 2
    assert "expected such as 30s, 5m or 1h" in refused.stderr


def test_a_wrong_policy_ends_the_first_look_with_its_problem(late: Shop) -> None:
    (late.root / "policies/datasets/sales/returns/dataset.yaml").write_text("urn: 5")

    failed = late.run("watch", "--once")

    assert failed.exit_code == 1
    assert "look failed" in failed.stderr


@pytest.mark.slow
def test_watch_goes_on_until_a_signal_and_ends_well(late: Shop) -> None:
    given = {name: value for name, value in late.environment.items() if value is not None}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DATA_PLATFORM_")}
    with subprocess.Popen(  # noqa: S603
        COMMAND, env={**kept, **given}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()

    assert process.returncode == 0, rest
    assert lines[0] == "looks every 1s; Ctrl-C ends it\n"
    assert "incident 1 OPENED: ds://sales/returns" in lines[1]
    assert rest.endswith("stopped\n")
