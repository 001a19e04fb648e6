"""``catalog move`` takes the catalog and Dagster's runs from SQLite to PostgreSQL: all of it, once, or nothing."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from click.testing import Result
from typer.testing import CliRunner

from data_platform.catalog import Catalog, open_catalog
from data_platform.cli.main import app
from data_platform.orchestration.instance import environment_of, opened_instance
from data_platform.settings import Settings, read_settings
from data_platform_tests.catalog.conftest import POSTGRES_URL, new_url
from data_platform_tests.catalog.example import NOW, ORDERS

pytestmark = pytest.mark.skipif(POSTGRES_URL is None, reason="needs DATA_PLATFORM_TEST_POSTGRES_URL")


@dg.asset
def orders() -> dg.MaterializeResult:
    return dg.MaterializeResult(metadata={"rows": 3})


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    found = read_settings({"DATA_PLATFORM_HOME": str(tmp_path / "home")})
    for name, value in environment_of(found).items():
        monkeypatch.setenv(name, value)
    return found


@pytest.fixture
def target(tmp_path: Path) -> Iterator[str]:
    with new_url("postgresql", tmp_path) as url:
        yield url


def fill(settings: Settings, *teams: str) -> str:
    """Datasets in the catalog, and a Dagster run, whose id it answers with."""
    with open_catalog(settings.catalog_url) as catalog:
        for team in teams:
            save(catalog, f"ds://curated/{team}", team)
    with opened_instance(settings) as instance:
        config = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        return dg.materialize([orders], instance=instance, run_config=config).run_id


def save(catalog: Catalog, urn: str, team: str) -> None:
    catalog.registry.save_dataset(
        urn, table=team, owner_team=team, tier="TIER_1", description="", policy_fingerprint="f", now=NOW
    )


def move(url: str, *options: str) -> Result:
    return CliRunner().invoke(app, ["catalog", "move", "--to", url, *options])


def log_of(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    return sorted(e.dagster_event.event_type_value for e in instance.all_logs(run_id) if e.dagster_event)


def test_everything_is_there_afterwards_and_goes_on_counting(settings: Settings, target: str) -> None:
    run_id = fill(settings, "ops", "sales")
    with opened_instance(settings) as instance:
        before = log_of(instance, run_id)

    result = move(target, "--json")

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["catalog"]["dataset"] == 2
    assert told["dagster"]["runs"] == 1
    with open_catalog(target) as catalog:
        assert [entry.urn for entry in catalog.registry.datasets()] == ["ds://curated/ops", "ds://curated/sales"]
        save(catalog, "ds://curated/more", "more")  # its number is the next one
    with opened_instance(replace(settings, catalog_url=target)) as instance:
        assert log_of(instance, run_id) == before
        assert instance.get_latest_materialization_event(dg.AssetKey("orders")).run_id == run_id
        assert dg.materialize([orders], instance=instance).success


def test_a_second_call_finds_it_done_and_a_database_with_other_rows_is_refused(settings: Settings, target: str) -> None:
    fill(settings, "ops")
    first = move(target)
    assert first.exit_code == 0, first.output

    again = move(target, "--json")
    with open_catalog(target) as catalog:
        save(catalog, "ds://curated/more", "more")
    refused = move(target)

    assert json.loads(again.stdout)["moved_before"] is True
    assert refused.exit_code == 2
    assert "name an empty database" in refused.output


def test_a_catalog_that_a_run_is_writing_is_not_moved(settings: Settings, target: str) -> None:
    fill(settings, "ops")
    with open_catalog(settings.catalog_url) as catalog:
        catalog.leases.take(ORDERS, owner="run_1@host:1", now=datetime.now(UTC), ttl=timedelta(hours=1))

    result = move(target)

    assert result.exit_code == 2, result.output
    assert "run_1@host:1 is running" in result.output
    with open_catalog(target) as catalog:
        assert catalog.registry.datasets() == ()


def test_an_unreachable_database_is_reported_in_one_line_without_its_password(settings: Settings) -> None:
    fill(settings)

    result = move("postgresql://someone:secret@127.0.0.1:9/none")

    assert result.exit_code == 1
    assert "did not answer" in result.output
    assert "secret" not in result.output
    assert "Traceback" not in result.output
