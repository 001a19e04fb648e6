"""The code location is built quickly: what many datasets share is made once, and Python's collector waits."""

import gc
from pathlib import Path

import dagster as dg
import pytest

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


def test_one_job_makes_every_stage_of_all_datasets_whatever_days_they_have(settings: Settings, tmp_path: Path) -> None:
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
