"""``data-platform signals freshness`` lists late days, and its exit code tells a cron job."""

import pytest

from data_platform_tests.cli.shop import Shop

PARTITION = """\
partition: {key: day, start: 2025-01-06, end: 2025-01-06, time_zone: America/New_York}
slo: {freshness: {expected_update_by: "02:00 ET daily", grace_period: 30m}}
"""
AFTER = "2025-01-07T02:30:00-05:00"


@pytest.fixture
def declared(shop: Shop) -> Shop:
    shop.declare("ds://sales/returns", "returns/{partition}", PARTITION)
    return shop


def test_a_late_day_has_its_cause_and_owner(declared: Shop) -> None:
    [late] = declared.json("signals", "freshness", "--at", AFTER, exit_code=3)

    assert late["late_since"] == "2025-01-07T07:30:00+00:00"
    assert {name: late[name] for name in ("dataset", "partition", "owner_team", "cause", "severity", "watermark")} == {
        "dataset": "ds://sales/returns", "partition": "2025-01-06", "owner_team": "sales",
        "cause": "JOB_NOT_TRIGGERED", "severity": "CRITICAL", "watermark": None,
    }  # fmt: skip


def test_the_text_is_one_line_for_each_day(declared: Shop) -> None:
    late = declared.run("signals", "freshness", "--at", AFTER)
    before = declared.run("signals", "freshness", "--at", "2025-01-07T02:29:59-05:00")

    assert (late.exit_code, before.exit_code) == (3, 0)
    [head, line] = late.stdout.splitlines()
    assert head.split() == ["dataset", "day", "late", "since", "(UTC)", "cause", "reason", "owner"]
    assert line.split()[:5] == ["ds://sales/returns", "2025-01-06", "2025-01-07", "07:30", "JOB_NOT_TRIGGERED"]
    assert before.stdout == "nothing is late\n"


@pytest.mark.parametrize("text", ["yesterday", "2025-01-07", "2025-01-07T02:30:00"])
def test_a_time_without_its_zone_is_refused(declared: Shop, text: str) -> None:
    refused = declared.run("signals", "freshness", "--at", text)

    assert refused.exit_code == 2
    assert f"'{text}' is no time with its zone" in refused.stderr


def test_a_day_that_will_be_late_is_listed_with_its_path(declared: Shop) -> None:
    never_ran = declared.json("signals", "at-risk", "--at", "2025-01-07T02:29:00-05:00")
    again = declared.run("signals", "at-risk", "--at", AFTER)

    assert never_ran == []  # no run time is known
    assert (again.exit_code, again.stdout) == (0, "nothing is at risk\n")


def test_a_replay_is_printed_counted_and_drawn(declared: Shop) -> None:
    picture = declared.root / "alerts.svg"

    text = declared.run("signals", "replay", "--days", "7", "--plot", str(picture))
    document = declared.json("signals", "replay", "--days", "7")

    assert (text.exit_code, text.stdout.splitlines()) == (
        0, ["no alert would have fired", "0 late partitions and 0 unusual row counts of 0 datasets in 8 days"],
    )  # fmt: skip
    assert picture.read_text().startswith("<svg")
    assert (document["alerts"], len(document["days"]), document["late"]) == ([], 8, 0)
