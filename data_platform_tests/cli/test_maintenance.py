"""``data-platform maintenance`` announces work, shows what it silenced, and ends it early."""

import pytest

from data_platform_tests.cli.shop import ORDERS, Shop

WORK = ("--for", "2h", "--reason", "new disks", "--by", "ann")


@pytest.mark.parametrize(
    ("what", "subject"),
    [
        pytest.param("orders", ORDERS, id="a dataset"),
        pytest.param("team:sales", "sales", id="a team"),
        pytest.param("all", "*", id="everything"),
    ],
)
def test_work_is_announced_listed_and_ended(shop: Shop, what: str, subject: str) -> None:
    added = shop.json("maintenance", "add", what, *WORK)
    ended = shop.json("maintenance", "end", str(added["number"]), "--by", "bob")

    assert (added["subject"], added["state"], added["author"]) == (subject, "ACTIVE", "ann")
    assert (ended["state"], ended["ended_by"]) == ("ENDED", "bob")
    assert shop.json("maintenance", "list") == [ended]
    assert "new disks" in shop.run("maintenance", "list").stdout


def test_the_same_work_is_announced_once(shop: Shop) -> None:
    times = ("--from", "2999-01-01T00:00:00Z", "--to", "2999-01-01T02:00:00Z")
    first = shop.json("maintenance", "add", "orders", *times, "--reason", "disks", "--by", "ann")
    again = shop.json("maintenance", "add", "orders", *times, "--reason", "disks", "--by", "ann")

    assert (first["state"], again["number"]) == ("PLANNED", first["number"])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        pytest.param(("team:sale", *WORK), "'sale' owns no dataset; did you mean sales?", id="no team"),
        pytest.param(("ordrs", *WORK), "'ordrs' is not a dataset", id="no dataset"),
        pytest.param(("orders", "--reason", "x"), "give the end of the work with --to", id="no end"),
        pytest.param(("orders", "--for", "0m", "--reason", "x"), "", id="no length"),
        pytest.param(("orders", "--for", "1000h", "--reason", "x"), "more than 31 days", id="too long"),
        pytest.param(("orders", "--for", "1h", "--reason", " "), "reason: expected one line", id="no reason"),
        pytest.param(("orders", "--to", "2013-01-01T00:00:00", "--reason", "x"), "no time with its zone", id="no zone"),
        pytest.param(
            ("orders", "--from", "2013-01-01T00:00:00Z", "--for", "1h", "--reason", "x"), "over already", id="over"
        ),
    ],
)
def test_wrong_work_is_refused(shop: Shop, given: tuple[str, ...], problem: str) -> None:
    refused = shop.run("maintenance", "add", *given)

    assert refused.exit_code == 2
    assert problem in " ".join(refused.stderr.split())


def test_a_window_that_is_over_or_unknown_cannot_be_ended(shop: Shop) -> None:
    number = str(shop.json("maintenance", "add", "all", *WORK)["number"])
    shop.run("maintenance", "end", number)

    assert shop.run("maintenance", "end", number).exit_code == 1
    assert shop.run("maintenance", "end", "77").exit_code == 2
