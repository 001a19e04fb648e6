"""``quarantine`` shows what is quarantined, and its rows, as they are."""

import pytest

from data_platform.cli import quarantine_replay
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.run import RowCounts
from data_platform.orchestration.launched import Launched
from data_platform.stage.replay import Replay
from data_platform_tests.cli.shop import (
    CUSTOMERS,
    DAY,
    HELD_RUN,
    NOW,
    ORDERS,
    QUARANTINE,
    RUN,
    SIGNATURE,
    Shop,
    certify,
    hold,
    report,
    set_aside,
)
from data_platform_tests.verdicts import all_gates


def test_an_empty_quarantine_is_reported(shop: Shop) -> None:
    assert shop.run("quarantine", "list").stdout == "nothing is in quarantine\n"
    assert shop.json("quarantine", "list") == []


def test_an_entry_is_one_line_with_its_whole_name_and_reason(shop: Shop) -> None:
    hold(shop)

    lines = shop.run("quarantine", "list").stdout.splitlines()

    assert len(lines) == 2
    cells = lines[1].split()
    assert cells[:8] == [f"quarantine.{QUARANTINE}", ORDERS, "silver", DAY, "row", "2", "of", "2"]
    assert (cells[8], cells[10:13]) == ("sales", ["stale", "OPEN", SIGNATURE])
    assert lines[1].endswith("declare an action for this kind of value in `pii` and replay")
    [entry] = shop.json("quarantine", "list")
    assert (entry["owner"], entry["open_rows"], entry["stale"]) == ("sales", 2, True)


def test_only_entries_older_than_an_age_are_listed(shop: Shop) -> None:
    hold(shop)

    assert [entry["name"] for entry in shop.json("quarantine", "list", "--older-than", "2w")] == [QUARANTINE]
    assert shop.json("quarantine", "list", "--older-than", "9999w") == []
    assert shop.json("quarantine", "list", "--older-than", "soon", exit_code=2)["error"].startswith("--older-than: not")


def test_status_counts_open_and_stale_entries(shop: Shop) -> None:
    hold(shop)

    rows = {row["dataset"]: row["quarantine"] for row in shop.json("status")}

    assert (rows[ORDERS]["open"], rows[ORDERS]["stale"]) == (1, 1)
    assert rows[CUSTOMERS] == {"open": 0, "stale": 0, "oldest": None}
    assert f"1 quarantine table of {ORDERS} open for more than 7 days" in shop.run("status").stdout


def test_an_entry_is_assigned_to_a_person(shop: Shop) -> None:
    hold(shop)

    done = shop.run("quarantine", "assign", f"quarantine.{QUARANTINE}", "--to", "carla", "--by", "ann")

    assert done.stdout == f"quarantine.{QUARANTINE} is assigned to carla\n"
    assert [entry["owner"] for entry in shop.json("quarantine", "list")] == ["carla"]


def test_a_discarded_entry_is_closed_and_shows_who_did_it(shop: Shop) -> None:
    set_aside(hold(shop))

    done = shop.run("quarantine", "discard", QUARANTINE, "--reason", "test records", "--by", "ann")

    assert done.stdout == f"quarantine.{QUARANTINE} is closed: 2 of 2 rows are discarded\n"
    assert shop.json("quarantine", "list") == []
    shown = shop.run("quarantine", "show", QUARANTINE).stdout
    assert "0 open, 0 delivered again, 2 discarded, 0 released" in shown
    assert shown.splitlines()[-1].split()[2:] == ["ann", "discard", "test", "records"]
    again = shop.run("quarantine", "discard", QUARANTINE, "--reason", "again", "--by", "ann")
    assert again.exit_code == 1
    assert "is DISCARDED by ann: only an OPEN entry can be worked on" in again.stderr


def test_a_release_is_requested_by_one_person_and_approved_by_another(shop: Shop) -> None:
    hold(shop, signature="INVARIANT:id:positive")
    release = ("quarantine", "release", QUARANTINE)

    assert "nothing to do" in shop.json(*release, exit_code=2)["error"]
    asked = shop.json(*release, "--reason", "agreed", "--by", "ann")
    own = shop.json(*release, "--approver", "ann", exit_code=2)
    approved = shop.run(*release, "--approver", "bob")
    withdrawn = shop.json(*release, "--withdraw", "--by", "ann")

    assert (asked["status"], asked["signatures"]) == ("REQUESTED", {"INVARIANT:id:positive": 2})
    assert "own request: somebody else has to approve it" in own["error"]
    assert approved.stdout == (
        f"the release of {QUARANTINE} is approved by bob: `data-platform quarantine replay {QUARANTINE}` applies it\n"
    )
    assert withdrawn["status"] == "WITHDRAWN"


def test_personal_values_cannot_be_released(shop: Shop) -> None:
    hold(shop)

    refused = shop.json(
        "quarantine", "release", QUARANTINE, "--reason", "x", "--by", "ann", "--approver", "bob", exit_code=2
    )

    assert f"rows that break {SIGNATURE} cannot be released" in refused["error"]


def test_a_replay_of_a_closed_entry_reports_what_is_open_instead(shop: Shop) -> None:
    entry = hold(shop)
    with shop.catalog() as catalog:
        catalog.quarantine.supersede(ORDERS, entry.stage, DAY, by_run="run_20250107_later", now=entry.created_at)

    done = shop.run("quarantine", "replay", QUARANTINE)

    assert (done.exit_code, done.stdout) == (
        0,
        f"quarantine.{QUARANTINE} is SUPERSEDED by run_20250107_later, so there is nothing to replay; "
        "nothing of its day is open\n",
    )
    assert shop.run("quarantine", "replay", "customers").stdout == "nothing of customers is open in quarantine\n"


def test_a_diff_after_a_newer_delivery_says_that_it_wins(shop: Shop) -> None:
    hold(shop)

    done = shop.run("quarantine", "diff", QUARANTINE)

    assert done.exit_code == 0
    assert "the day was delivered anew since, and the newer delivery wins" in done.stdout


def test_entries_of_one_dataset_are_found_by_its_name(shop: Shop) -> None:
    hold(shop)

    assert [entry["name"] for entry in shop.json("quarantine", "list", "orders")] == [QUARANTINE]
    assert shop.json("quarantine", "list", "customers") == []


def test_what_a_later_run_judged_again_is_listed_only_if_asked_for(shop: Shop) -> None:
    entry = hold(shop)
    with shop.catalog() as catalog:
        catalog.quarantine.supersede(ORDERS, entry.stage, DAY, by_run="run_20250107_later", now=entry.created_at)

    assert shop.json("quarantine", "list") == []
    assert [found["status"] for found in shop.json("quarantine", "list", "--all")] == ["SUPERSEDED"]


@pytest.mark.parametrize("prefix", ["", "quarantine."])
def test_the_rows_of_an_entry_are_shown_with_their_columns(shop: Shop, prefix: str) -> None:
    set_aside(hold(shop), note=["a", None], _violations=[["R1", "R2"], []])

    result = shop.run("quarantine", "show", f"{prefix}{QUARANTINE}")

    assert result.exit_code == 0
    blocks = result.stdout.split("\n\n")
    assert blocks[0] == f"quarantine.{QUARANTINE}: 2 rows of {ORDERS} {DAY}, quarantined at silver by {HELD_RUN}"
    assert blocks[1].splitlines()[1].split() == [SIGNATURE, "2"]
    assert blocks[2:] == ["  id: 1\n  note: a\n  _violations: R1, R2", "  id: 2\n"]


def test_the_output_reports_that_there_are_more_rows(shop: Shop) -> None:
    set_aside(hold(shop))

    assert shop.run("quarantine", "show", QUARANTINE, "--limit", "1").stdout.endswith(
        "  id: 1\n\n1 of 2 rows are shown: --limit shows more\n"
    )


def test_a_value_cannot_steer_the_terminal(shop: Shop) -> None:
    set_aside(hold(shop), note=["\x1b[2Jcleared\nid: 3", "[bold]Zoë[/bold]"])

    shown = shop.run("quarantine", "show", QUARANTINE).stdout

    assert "  note: \\x1b[2Jcleared\\nid: 3\n" in shown
    assert "  note: [bold]Zoë[/bold]\n" in shown


def test_rows_as_json_are_json_also_where_a_number_is_none(shop: Shop) -> None:
    set_aside(hold(shop), rate=[float("nan"), 0.5])

    document = shop.json("quarantine", "show", QUARANTINE)

    assert document["entry"]["name"] == QUARANTINE
    assert document["rows"] == [{"id": "1", "rate": "nan"}, {"id": "2", "rate": 0.5}]


def test_an_unknown_table_is_wrong_use(shop: Shop) -> None:
    result = shop.run("quarantine", "show", "orders_20250107")

    assert result.exit_code == 2
    assert "there is no quarantine table orders_20250107: see `data-platform quarantine list --all`" in result.stderr


def test_a_table_that_was_deleted_by_hand_is_a_clear_error(shop: Shop) -> None:
    hold(shop)

    result = shop.run("quarantine", "show", QUARANTINE)

    assert result.exit_code == 1
    assert f"the catalog lists quarantine.{QUARANTINE}, but there is no Delta table at" in result.stderr


def test_a_replay_prints_what_became_of_every_row_of_the_delivery(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(shop)
    released = {"released": {"rows": 1, "rules": {"INVARIANT:id:positive": 1}, "by": ["release of …"]}}
    silver = report(
        RUN,
        Stage.SILVER,
        *all_gates(Stage.SILVER),
        rows=RowCounts(read=9, accepted=6, quarantined=3),
        metadata=released,
    )
    planned = []

    def launched(platform: object, one: Replay, **shown: bool) -> Launched:  # noqa: ARG001
        planned.append((one.partition, one.first))
        return Launched(success=True, reports=[silver])

    monkeypatch.setattr(quarantine_replay, "_launch", launched)
    monkeypatch.setattr("data_platform.installation.Platform.begin_spark", lambda _: None)

    text = shop.run("quarantine", "replay", "orders", "-p", DAY)
    [document] = shop.json("quarantine", "replay", QUARANTINE)

    assert text.stdout == ("9 rows of the delivery: 5 accepted, 1 released, 0 discarded, 3 still in quarantine\n")
    assert document["rows"] == {"read": 9, "accepted": 5, "released": 1, "discarded": 0, "quarantined": 3}
    assert (document["entries"], document["exit_code"], document["reports"][0]["stage"]) == ([QUARANTINE], 0, "silver")
    assert planned == [(PartitionKey(DAY), Stage.BRONZE)] * 2  # no bronze of the day is on record


def test_the_certified_version_says_which_days_have_released_rows(shop: Shop) -> None:
    hold(shop, signature="INVARIANT:id:positive")
    certify(shop)
    assert shop.json("certified", "orders")["released"] == []
    told = {"rules": {"INVARIANT:id:positive": 2}, "by": ["release of it: requested by ann, approved by bob: agreed"]}
    with shop.catalog() as catalog:
        ann, bob = (Actor(name=name, role="DATA_OWNER") for name in ("ann", "bob"))
        decision = catalog.quarantine.release(QUARANTINE, "agreed", by=ann, approver=bob, now=NOW)
        for stage in (Stage.SILVER, Stage.CERTIFIED):
            later = report("run_20250107_c", stage, *all_gates(stage), metadata={"released": told})
            catalog.runs.record(later, [], applied={decision.id: 2} if stage is Stage.SILVER else {})

    [sentence] = shop.json("certified", "orders")["released"]

    assert sentence.startswith(f"{ORDERS} {DAY}: people released what breaks INVARIANT:id:positive (2 rows): ")
    assert sentence.endswith("requested by ann, approved by bob: agreed")
    assert sentence in shop.run("certified", "orders").stdout
