"""The page of key figures shows what ``data-platform kpi`` computes, by week too, and what nobody covers yet."""

from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.model.access import Role
from data_platform.model.incident import Resolution
from data_platform.model.registration import Actor
from data_platform.signals.kpi import find_kpi, find_trend
from data_platform_tests.catalog.incident.example_finding import CUSTOMERS, ORDERS, finding, group, look
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, write
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, PARTITION

ANN = Actor(name="ann", role="DATA_OWNER")


@pytest.fixture
def portal(portal: PortalClient) -> PortalClient:
    """One incident of this week, and one of the week before that was a false alarm after an hour."""
    earlier, catalog = NOW - timedelta(days=8), portal.catalog
    look(catalog, group(finding(ORDERS)), at=earlier)
    catalog.incidents.acknowledge(1, by=ANN, now=earlier + timedelta(minutes=10))
    catalog.incidents.resolve(1, Resolution.FALSE_ALARM, by=ANN, now=earlier + timedelta(hours=1))
    look(catalog, group(finding(CUSTOMERS)), at=NOW - timedelta(hours=1))
    return portal


def test_the_figures_are_those_of_the_command(portal: PortalClient) -> None:
    twin = portal.json("/kpis")
    every = twin["tiers"][0]

    [computed, *_] = find_kpi(portal.app.state.portal.policies.current(), portal.catalog, NOW - timedelta(days=30))
    assert every["times"]["incidents"] == computed.times.incidents == 2
    assert every["times"]["resolve"]["median_seconds"] == computed.times.resolve.median_seconds == 3_600
    assert every["times"]["false_positives"] == {"part": 1, "whole": 1, "ratio": 1.0}
    assert every["with_evidence"] == {"part": 19, "whole": 19, "ratio": 1.0}
    assert portal.page("/kpis", as_=Role.DATA_CONSUMER).status_code == 200


def test_weeks_end_today_and_each_has_its_own_incidents(portal: PortalClient) -> None:
    weeks = find_trend(portal.catalog, NOW, 14)
    charts = {chart["name"]: chart for chart in portal.json("/kpis")["charts"]}

    assert [(str(week.begin), week.times.incidents) for week in weeks] == [("2026-02-02", 1), ("2026-02-09", 1)]
    assert charts["incidents"]["days"][-2:] == ["2026-02-02", "2026-02-09"]
    assert charts["incidents"]["series"][1]["numbers"][-2:] == [1, 0]
    assert charts["times"]["series"][2]["numbers"][-2:] == [60.0, None]


def test_health_and_gaps_lead_to_datasets(portal: PortalClient) -> None:
    twin, page = portal.json("/kpis"), portal.page("/kpis").text

    assert [one["by"] for one in twin["health"]] == ["owner", "zone"]
    assert [group["name"] for group in twin["health"][1]["groups"]] == ["shop"]
    assert {gap["what"]: gap["total"] for gap in twin["gaps"]} == {
        "without a contract": 2, "without an owner's address": 0, "without a deadline": 0,
    }  # fmt: skip
    assert 'href="/datasets/ds%3A%2F%2Fshop%2Forders"' in page
    assert 'href="/datasets?zone=shop"' in page


def test_a_period_that_is_not_offered_is_an_error(portal: PortalClient) -> None:
    assert portal.json("/kpis?days=90")["days"] == 90
    assert portal.page("/kpis?days=31").status_code == 422


def test_an_empty_catalog_says_what_to_do(empty_portal: PortalClient) -> None:
    page = empty_portal.page("/kpis")

    assert "data-platform watch" in page.text
    assert "Nothing is recorded yet" in page.text


def test_a_dataset_without_owner_address_and_deadline_is_named(tmp_path: Path) -> None:
    source = "source: {format: csv, path: 'd/{partition}', producer: ops}"
    files = {
        "datasets/ops/bare/dataset.yaml": dataset_yaml("ds://ops/bare", PARTITION, source),
        "datasets/ops/bare/policy_bundle.yaml": bundle_yaml("day DATE, id INT"),
    }
    with PortalClient(f"sqlite:///{tmp_path / 'c.db'}", policies=write(tmp_path, files), moment=NOW) as portal:
        assert [gap["names"] for gap in portal.json("/kpis")["gaps"]] == [["ds://ops/bare"]] * 3
