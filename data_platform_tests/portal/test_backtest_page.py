"""The page of a backtest says what the command says, of any threshold, and where no threshold is of use."""

import random
from collections.abc import Sequence

import pytest

from data_platform.model.access import Role
from data_platform.model.policy import Volume
from data_platform.model.volume import DeliveredRows
from data_platform.signals.row_count_backtest import backtest_deliveries
from data_platform_tests.gates.volume.series import series
from data_platform_tests.portal.portal_client import PortalClient

PAGE = "/backtest/ds%3A%2F%2Fshop%2Forders"


@pytest.fixture
def delivered(portal: PortalClient, monkeypatch: pytest.MonkeyPatch) -> list[DeliveredRows]:
    """The deliveries of orders, two years of them, which a test may replace."""
    rows = list(series(730))

    def accepted_rows(urn: str, *, limit: int) -> Sequence[DeliveredRows]:
        assert urn == "ds://shop/orders"
        return rows[-limit:]

    monkeypatch.setattr(portal.catalog.runs, "accepted_rows", accepted_rows)
    return rows


def test_the_page_says_what_the_command_says(portal: PortalClient, delivered: list[DeliveredRows]) -> None:
    result = backtest_deliveries(delivered, Volume())
    twin, page = portal.json(PAGE), portal.page(PAGE, as_=Role.DATA_CONSUMER)

    assert (twin["deliveries"], twin["judged"], twin["is_monitorable"]) == (730, 670, True)
    assert [one["threshold_pct"] for one in twin["scores"][2:]] == [15, 20, 25, 30, 35, 40, 50, 60]
    assert result.seasonal is not None
    assert twin["scores"][1]["recall"] == [round(result.seasonal.recall[drop], 3) for drop in (30, 40, 50)]
    charts = {chart["name"]: chart for chart in twin["charts"]}
    assert charts["alerts"]["days"] == ["15", "20", "25", "30", "35", "40", "50", "60"]
    assert (charts["recall"]["step"], charts["history"]["step"]) == ("threshold", "day")
    assert len(charts["history"]["days"]) == 400
    assert page.status_code == 200
    assert 'class="big">monitorable' in page.text


def test_another_threshold_is_tried(portal: PortalClient, delivered: list[DeliveredRows]) -> None:
    assert delivered
    tried, usual = portal.json(f"{PAGE}?threshold=95"), portal.json(f"{PAGE}?threshold=")
    page = portal.page(f"{PAGE}?threshold=95").text

    assert (tried["tried_pct"], usual["tried_pct"], tried["policy_pct"]) == (95, 25, 25)
    assert tried["scores"][1]["recall"][1] < usual["scores"][1]["recall"][1]
    assert not tried["fits"]
    assert "another threshold fits" in page
    assert f"threshold={tried['suggested_pct']}" in page


def test_row_counts_without_a_rhythm_are_not_monitorable(portal: PortalClient, delivered: list[DeliveredRows]) -> None:
    chance = random.Random(7)  # noqa: S311 - made-up noise
    delivered[:] = [DeliveredRows(one.partition, int(10 ** chance.uniform(1, 5))) for one in delivered]

    twin, page = portal.json(PAGE), portal.page(PAGE).text

    assert (twin["is_monitorable"], twin["fits"], twin["suggested_pct"]) == (False, False, None)
    assert "not monitorable at this sensitivity" in page


def test_too_few_deliveries_are_said_to_be_too_few(portal: PortalClient) -> None:
    twin, page = portal.json(PAGE), portal.page(PAGE).text

    assert (twin["deliveries"], twin["is_monitorable"], twin["charts"]) == (10, None, [])
    assert "it needs more than 60, and there are 10" in page
    assert 'href="/backtest/ds%3A%2F%2Fshop%2Forders"' in portal.page("/datasets/ds%3A%2F%2Fshop%2Forders").text


@pytest.mark.parametrize("threshold", ["0", "100", "-5", "many", "nan", "inf"])
def test_a_threshold_that_is_none_is_refused(portal: PortalClient, threshold: str) -> None:
    assert portal.page(f"{PAGE}?threshold={threshold}").status_code == 422


def test_a_dataset_that_nobody_knows_is_an_error_page(portal: PortalClient) -> None:
    assert portal.page("/backtest/nobody").status_code == 404
