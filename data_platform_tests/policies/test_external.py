"""Assets that are reported to the platform: keys, days and checks, without Dagster."""

from datetime import date
from pathlib import Path

import pytest
import yaml

from data_platform.model.partition import PartitionRange
from data_platform.model.partition_key import PartitionKey
from data_platform.policies.external import ExternalAssets
from data_platform_tests.policies.tree import CUSTOMERS, bundle_yaml, dataset_yaml, landed, load

FROM_2025 = PartitionRange(start=date(2025, 1, 1))


def external(
    folder: Path, said: dict[str, object], *, source: str = "{format: csv, path: orders, producer: shop}"
) -> ExternalAssets:
    files = landed()
    files["datasets/shop/orders/dataset.yaml"] = dataset_yaml("ds://shop/orders", f"source: {source}")
    files[f"{CUSTOMERS}/dataset.yaml"] = dataset_yaml("ds://shop/customers", "partition: {key: day, start: 2026-01-01}")
    files[f"{CUSTOMERS}/policy_bundle.yaml"] = bundle_yaml("id BIGINT")
    return ExternalAssets(load(folder, {**files, "legacy/a.yaml": yaml.safe_dump(said)}))


def test_what_no_policy_declares_has_the_days_and_checks_of_its_mapping(tmp_path: Path) -> None:
    watch = {"path": "positions/{dt}", "marker": "_SUCCESS"}
    said = {"dataset": "ds://legacy/positions", "partition": {"start": "2025-01-01"}, "checks": ["n"], "watch": watch}

    found = external(tmp_path, {"datasets": [said]}).by_urn["ds://legacy/positions"]

    assert (found.key, found.partitions, found.checks) == (("legacy", "positions"), FROM_2025, ("n",))
    assert found.arrival is not None
    assert found.arrival.marker == "_SUCCESS"
    assert (found.landed, found.process) == (False, None)


def test_an_external_policy_keeps_its_asset_and_its_days(tmp_path: Path) -> None:
    job = {"job": "LOAD", "box": "NIGHT", "outputs": ["ds://shop/customers"]}

    found = external(tmp_path, {"jobs": [job]}).by_key["shop", "customers"]

    assert (found.urn, found.process) == ("ds://shop/customers", "AUTOSYS/NIGHT/LOAD")
    assert found.partitions is not None
    assert found.partitions.first == PartitionKey("2026-01-01")


def test_two_jobs_that_make_it_are_no_one_job(tmp_path: Path) -> None:
    jobs = [{"job": name, "outputs": ["ds://shop/customers"]} for name in ("A", "B")]

    assert external(tmp_path, {"jobs": jobs}).by_urn["ds://shop/customers"].process is None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{format: csv, path: orders, marker: _SUCCESS, producer: shop}", {}),
        ("{format: csv, path: orders, producer: shop}", {"jobs": [{"job": "A", "outputs": ["ds://shop/orders"]}]}),
        (
            "{format: csv, path: orders, producer: shop}",
            {"watch_files": [{"pattern": "/in/*", "dataset": "ds://shop/orders"}]},
        ),
    ],
)
def test_a_landed_dataset_has_a_delivery_asset_if_it_is_reported(
    tmp_path: Path, source: str, said: dict[str, object]
) -> None:
    found = external(tmp_path, said, source=source).by_urn["ds://shop/orders"]

    assert (found.key, found.landed) == (("shop", "orders__landing"), True)


def test_an_unreported_landed_dataset_is_not_an_external_asset(tmp_path: Path) -> None:
    assert set(external(tmp_path, {}).by_urn) == {"ds://shop/customers"}
