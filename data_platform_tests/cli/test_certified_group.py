"""``certified --group``, ``status``, ``why`` and ``history`` show what waits for a publish group, and for whom."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import data_platform
from data_platform.cli.main import app
from data_platform.errors import NotCertifiedError, UsageError
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.stage.group_shop import GROUP, Shop, day

LINES, ORDERS = "ds://shop/lines", "ds://shop/orders"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """Orders and lines are published together; the first day is, and of the second lines are missing."""
    copy_template(tmp_path / "catalog.db")
    monkeypatch.setenv("DATA_PLATFORM_HOME", str(tmp_path))
    monkeypatch.setenv("DATA_PLATFORM_POLICIES", str(tmp_path / "policies"))
    opened = Shop(tmp_path, ("lines", "orders"))
    for name in ("orders", "lines"):
        opened.arrive(name, day(1))
    opened.arrive("orders", day(2))
    yield opened
    opened.platform.close()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, prog_name="data-platform")


def document(*arguments: str, exit_code: int = 0) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


def test_a_group_shows_the_versions_that_belong_together(shop: Shop) -> None:
    found = document("certified", "--group", GROUP)

    assert [(one["dataset_urn"], one["version"]) for one in found["members"]] == [(LINES, 0), (ORDERS, 0)]
    assert found["publication"] == shop.platform.catalog.publications.published(GROUP).publication
    [waiting] = found["waiting"]
    assert (waiting["dataset_urn"], waiting["partition"]) == (ORDERS, day(2))
    assert waiting["reason"] == f"waits for publish group {GROUP}: {LINES} {day(2)} has not passed yet"


@pytest.mark.parametrize(("number", "exit_code"), [pytest.param(1, 0, id="published"), pytest.param(2, 3, id="waits")])
@pytest.mark.usefixtures("shop")
def test_the_exit_code_of_a_day_says_whether_the_group_has_it(number: int, exit_code: int) -> None:
    found = document("certified", "--group", GROUP, "-p", day(number), exit_code=exit_code)

    assert found["lacking"] == ([] if exit_code == 0 else [LINES, ORDERS])


@pytest.mark.usefixtures("shop")
def test_a_version_that_waits_is_shown_wherever_people_look() -> None:
    line = f"{ORDERS} {day(2)} passed in run_20250201_000000000003, and waits for publish group {GROUP}: {LINES}"

    rows = {row["dataset"]: row for row in document("status")}

    assert (rows[ORDERS]["status"], rows[LINES]["status"]) == ("WAITING_FOR_GROUP", "CERTIFIED")
    assert rows[ORDERS]["waiting"][0]["missing"][0]["reason"] == "has not passed yet"
    for command in (("status",), ("certified",), ("why", "orders"), ("why", "orders", "-p", day(2))):
        result = run(*command)
        assert (result.exit_code, line in result.stdout) == (0, True), result.output
    assert document("why", "orders", "-p", day(2))["waiting"][0]["partition"] == day(2)


def test_a_held_day_of_a_member_is_its_status(shop: Shop) -> None:
    shop.hold("orders", day(2))

    [row] = [row for row in document("status") if row["dataset"] == ORDERS]

    assert row["status"] == "HELD_AT_PREVIOUS"
    assert "was held in run_" in row["waiting"][0]["reason"]


def test_the_history_and_why_name_the_publication(shop: Shop) -> None:
    publication = shop.platform.catalog.publications.published(GROUP).publication

    [change] = [one for one in document("history", "orders")["items"] if one["event"] == "CERTIFIED"]

    assert (change["group"], change["publication"]) == (GROUP, publication)
    assert f"publish group {GROUP}, publication {publication}" in run("history", "orders").stdout
    assert f"published with group {GROUP}, publication {publication}" in run("why", "orders", "v0").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("--group", "shop_days"), "is not a publish group; did you mean shop_day?", id="unknown"),
        pytest.param(("orders", "--group", GROUP), "leave out the dataset and --as-of", id="with a dataset"),
        pytest.param(("orders", "-p", "2025-01-01"), "--partition needs --group", id="a day of no group"),
        pytest.param(("--group", GROUP, "-p", "2024-12-31"), "2024-12-31 is no day of publish group", id="too early"),
    ],
)
def test_options_that_do_not_belong_together(shop: Shop, arguments: tuple[str, ...], message: str) -> None:
    result = run("certified", *arguments)

    assert (result.exit_code, message in " ".join(result.stderr.split())) == (2, True), result.stderr
    assert shop.waiting("lines") == []


def test_the_versions_of_a_group_are_read_in_python(shop: Shop) -> None:
    versions = data_platform.certified_group(GROUP)

    assert {urn: (one.version, one.path) for urn, one in versions.items()} == {
        LINES: (0, "fake://gold/lines"),
        ORDERS: (0, "fake://gold/orders"),
    }
    with pytest.raises(UsageError, match="'day' is not a publish group"):
        data_platform.certified_group("day")
    shop.declare("items")
    shop.group("items", "orders")
    with pytest.raises(NotCertifiedError, match="no certified version yet of ds://shop/items"):
        data_platform.certified_group(GROUP)
