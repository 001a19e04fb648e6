"""The code location is built quickly: what many datasets share is made once, and Python's collector waits."""

import cProfile
import gc
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from data_platform.cli.main import app
from data_platform.errors import PolicyError
from data_platform.model.freshness import Freshness
from data_platform.orchestration.dagster_types import freshness_policy
from data_platform.orchestration.location import build
from data_platform.settings import Settings, read_settings
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, landed, write


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"DATA_PLATFORM_HOME": str(tmp_path), "DATA_PLATFORM_POLICIES": str(tmp_path / "policies")})


def test_datasets_of_one_deadline_share_a_freshness_policy() -> None:
    first = freshness_policy(Freshness(expected_update_by="06:00 ET daily", grace_period="30m"))
    same = freshness_policy(Freshness(expected_update_by="06:00 America/New_York daily", grace_period="30m"))
    later = freshness_policy(Freshness(expected_update_by="06:00 ET daily", grace_period="1h"))

    assert first is same
    assert first != later


def test_the_stages_of_a_dataset_show_one_schema_but_bronze_none(settings: Settings, tmp_path: Path) -> None:
    write(tmp_path, landed(columns="order_id BIGINT, total DOUBLE"))

    specs = {spec.key.path[-1]: spec for spec in build(settings).resolve_all_asset_specs()}

    shown = {name: spec.metadata.get("dagster/column_schema") for name, spec in specs.items()}
    assert shown.pop("orders__bronze") is None
    assert [[column.name for column in schema.columns] for schema in shown.values()] == [["order_id", "total"]] * 3


def test_one_job_makes_every_stage_of_all_datasets_with_any_days(settings: Settings, tmp_path: Path) -> None:
    days = (
        "partition: {key: day, start: 2025-01-01}",
        "source: {format: csv, path: 'old/{partition}', producer: shop}",
    )
    daily = {
        "datasets/old/orders/dataset.yaml": dataset_yaml("ds://old/orders", *days),
        "datasets/old/orders/policy_bundle.yaml": bundle_yaml("id BIGINT"),
    }
    write(tmp_path, landed() | daily)

    repository = build(settings).get_repository_def()

    job = repository.get_job("datasets")
    assert job.asset_layer.executable_asset_keys == set(repository.asset_graph.materializable_asset_keys)
    assert len(job.asset_layer.executable_asset_keys) == 8


def test_a_location_without_datasets_that_it_runs_has_no_such_job(settings: Settings, tmp_path: Path) -> None:
    write(tmp_path, {"datasets/old/orders/dataset.yaml": dataset_yaml("ds://old/orders")})

    assert build(settings).jobs == []


def test_a_rule_that_is_none_keeps_the_location_from_loading(settings: Settings, tmp_path: Path) -> None:
    write(tmp_path, landed("contract_lite: {invariants: ['total >']}"))

    with pytest.raises(PolicyError, match="not a Spark SQL expression"):
        build(settings)


def test_pythons_collector_goes_on_after_a_load_and_after_one_that_failed(settings: Settings, tmp_path: Path) -> None:
    write(tmp_path, landed())

    assert isinstance(build(settings), dg.Definitions)
    assert gc.isenabled()

    write(tmp_path, {"datasets/shop/orders/policy_bundle.yaml": bundle_yaml("total NO_TYPE")})

    with pytest.raises(PolicyError):
        build(settings)
    assert gc.isenabled()


def calls(work: Callable[[], object]) -> int:
    """Function calls of ``work``: a measure of its cost that no other load of the machine changes."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def many(start: str) -> dict[str, str]:
    """Forty datasets with a day each since ``start``."""
    files = {}
    for number in range(40):
        lines = (
            f"partition: {{key: day, start: {start}}}",
            f"source: {{format: csv, path: 't{number}/{{partition}}', producer: shop}}",
            "slo: {freshness: {expected_update_by: '06:00 ET daily', grace_period: 30m}}",
        )
        files[f"datasets/scale/t{number}/dataset.yaml"] = dataset_yaml(f"ds://scale/t{number}", *lines)
        files[f"datasets/scale/t{number}/policy_bundle.yaml"] = bundle_yaml("day DATE, id INT")
    return files


def test_days_since_1990_cost_no_more_than_those_of_a_month(tmp_path: Path) -> None:  # C60
    costs = {}
    for start in ("2026-11-01", "1990-01-01"):
        home = tmp_path / start
        home.mkdir()
        write(home, many(start))
        environment = {"DATA_PLATFORM_HOME": str(home), "DATA_PLATFORM_POLICIES": str(home / "policies")}
        settings = read_settings(environment)
        build(settings).get_repository_def()  # what is imported and cached by the first is not counted
        loaded = calls(lambda settings=settings: build(settings).get_repository_def())  # type: ignore[misc]
        told = calls(lambda e=environment: CliRunner().invoke(app, ["status"], env=e))  # type: ignore[misc]
        costs[start] = (loaded, told)

    (loaded_few, told_few), (loaded_many, told_many) = costs.values()
    assert loaded_many < 1.1 * loaded_few
    assert told_many < 1.1 * told_few
