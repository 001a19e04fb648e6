"""What the platform is told of: keys, days and checks, without Dagster."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import yaml

from data_platform.policies.external import ExternalAsset, ExternalAssets
from data_platform_tests.policies.tree import CUSTOMERS, bundle_yaml, dataset_yaml, landed, load

POSITIONS = ExternalAsset(
    urn="ds://legacy/positions", key=("legacy", "positions"), start=date(2025, 1, 1), time_zone="America/New_York"
)


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

    assert (found.key, found.start, found.checks) == (("legacy", "positions"), date(2025, 1, 1), ("n",))
    assert found.arrival is not None
    assert found.arrival.marker == "_SUCCESS"
    assert (found.daily, found.landed, found.process) == (True, False, None)


def test_an_external_policy_keeps_its_asset_and_its_days(tmp_path: Path) -> None:
    job = {"job": "LOAD", "box": "NIGHT", "outputs": ["ds://shop/customers"]}

    found = external(tmp_path, {"jobs": [job]}).by_key["shop", "customers"]

    assert (found.urn, found.start, found.process) == ("ds://shop/customers", date(2026, 1, 1), "AUTOSYS/NIGHT/LOAD")


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
def test_a_landed_dataset_has_a_delivery_if_somebody_tells_of_it(
    tmp_path: Path, source: str, said: dict[str, object]
) -> None:
    found = external(tmp_path, said, source=source).by_urn["ds://shop/orders"]

    assert (found.key, found.landed) == (("shop", "orders__landing"), True)


def test_a_landed_dataset_of_which_nobody_tells_is_no_external_asset(tmp_path: Path) -> None:
    assert set(external(tmp_path, {}).by_urn) == {"ds://shop/customers"}


@pytest.mark.parametrize("text", ["2025-13-01", "2024-12-31", "2025-1-1", "20250601", "", "2025-06-01 "])
def test_what_is_no_day_of_it_is_no_partition(text: str) -> None:
    with pytest.raises(ValueError, match="is not a partition"):
        POSITIONS.day(text)


def test_a_day_after_the_last_one_is_no_partition() -> None:
    past = replace(POSITIONS, end=date(2025, 6, 1))

    assert past.day("2025-06-01") == date(2025, 6, 1)
    with pytest.raises(ValueError, match="the last one is 2025-06-01"):
        past.day("2025-06-02")


def test_a_day_is_over_at_midnight_of_its_zone() -> None:
    """The clocks of New York went forward on that day, so it had 23 hours."""
    day = POSITIONS.day("2025-03-09")

    assert not POSITIONS.is_over(day, datetime(2025, 3, 10, 3, 59, tzinfo=UTC))
    assert POSITIONS.is_over(day, datetime(2025, 3, 10, 4, tzinfo=UTC))
