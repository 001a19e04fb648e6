"""``quarantine`` shows what is quarantined, and its rows, as they are."""

import pytest

from data_platform_tests.cli.shop import DAY, HELD_RUN, ORDERS, QUARANTINE, SIGNATURE, Shop, hold, set_aside


def test_an_empty_quarantine_is_reported(shop: Shop) -> None:
    assert shop.run("quarantine", "list").stdout == "nothing is in quarantine\n"
    assert shop.json("quarantine", "list") == []


def test_an_entry_is_one_line_with_its_whole_name_and_reason(shop: Shop) -> None:
    hold(shop)

    lines = shop.run("quarantine", "list").stdout.splitlines()

    assert len(lines) == 2
    assert lines[1].split() == [
        f"quarantine.{QUARANTINE}", "silver", DAY, "row", "2", "of", "2", "OPEN", SIGNATURE
    ]  # fmt: skip


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
