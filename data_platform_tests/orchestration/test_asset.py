"""Every dataset of the policies is assets of its stages, with the metadata of its policy, and no other."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
import pytest

import data_platform.orchestration
from data_platform.orchestration.asset import assets
from data_platform.orchestration.legacy import LegacyAssets
from data_platform.orchestration.location import build
from data_platform.policies import load_policies
from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import (
    DAILY,
    DERIVED,
    LANDED,
    ORDER_STAGES,
    TOTAL_STAGES,
    checks,
    columns,
    derived,
    landed,
    specs,
)


def names_of(estate: Estate, table: str) -> list[str]:
    return [name for name in specs(estate) if name.split("/")[1].split("__")[0] == table]


@pytest.mark.parametrize(
    ("table", "names"),
    [
        pytest.param("orders", ORDER_STAGES, id="landed"),
        pytest.param("totals", TOTAL_STAGES, id="derived, which has no bronze"),
        pytest.param("rates", ("market/rates",), id="external"),
    ],
)
def test_a_dataset_has_an_asset_for_each_of_its_stages(declared: Estate, table: str, names: tuple[str, ...]) -> None:
    assert sorted(names_of(declared, table)) == sorted(names)


def test_an_external_dataset_is_seen_and_not_run(declared: Estate) -> None:
    found = assets(LegacyAssets(load_policies(declared.settings.policies)))

    [external] = [asset for asset in found if isinstance(asset, dg.AssetSpec)]
    assert external.key == dg.AssetKey(["market", "rates"])
    assert external.description.startswith("Kept by the bank.")


@pytest.mark.parametrize(
    ("name", "upstream"),
    [
        pytest.param("shop/orders__bronze", set(), id="a delivery comes from outside"),
        pytest.param("shop/orders__silver", {"shop/orders__bronze"}, id="silver reads bronze"),
        pytest.param("shop/orders__gold", {"shop/orders__silver", "shop/customers"}, id="gold asks what it refers to"),
        pytest.param("shop/orders", {"shop/orders__gold"}, id="the view points at gold"),
        pytest.param("report/totals__silver", {"shop/orders", "shop/customers"}, id="derived reads certified views"),
        pytest.param("report/totals__gold", {"report/totals__silver"}, id="derived gold reads its silver"),
    ],
)
def test_an_asset_depends_on_what_it_reads(declared: Estate, name: str, upstream: set[str]) -> None:
    assert {dep.asset_key.to_user_string() for dep in specs(declared)[name].deps} == upstream


def test_a_reference_to_the_dataset_itself_is_no_dependency(declared: Estate) -> None:
    bundle = {
        "schema": columns(id="INT", parent="INT"),
        "contract": {"references": [{"fields": ["parent"], "dataset": "ds://shop/tree", "key": ["id"]}]},
    }
    landed(declared, "tree", bundle)

    assert [dep.asset_key.to_user_string() for dep in specs(declared)["shop/tree__gold"].deps] == ["shop/tree__silver"]


def test_an_asset_shows_its_policy(declared: Estate) -> None:
    gold = specs(declared)["shop/orders__gold"]

    assert gold.description == "One row an order.\n\nThe candidate that the full contract judges."
    assert gold.owners == ["team:sales", "sales@example.com"]
    assert gold.group_name == "shop"
    assert gold.kinds == {"deltalake", "spark", "gold"}
    own = {name: value for name, value in gold.tags.items() if not name.startswith("dagster/")}
    assert own == {"tier": "TIER_1", "stage": "gold", "enforcement": "HARD_FAIL", "daily": "", "for_finance": ""}
    assert gold.metadata["urn"] == "ds://shop/orders"
    assert gold.metadata["dagster/table_name"] == "gold.shop__orders"


def test_an_asset_links_its_policy_files_and_its_page(declared: Estate) -> None:
    settings = replace(declared.settings, service_url="http://catalog.example/")
    found = {spec.key.to_user_string(): spec.metadata for spec in build(settings).resolve_all_asset_specs()}

    references = found["report/totals__gold"]["dagster/code_references"].code_references
    assert [reference.label for reference in references] == [
        "datasets/report/totals/dataset.yaml",
        "datasets/report/totals/policy_bundle.yaml",
        "processes/totals.yaml",
    ]
    assert found["shop/orders"]["dataset_page"].url == "http://catalog.example/datasets/ds%3A%2F%2Fshop%2Forders"
    assert "dataset_page" not in specs(declared)["shop/orders"].metadata


def test_the_days_of_a_dataset_end_with_its_last_one(declared: Estate) -> None:
    days = {**DAILY, "end": date(2025, 1, 3)}
    landed(declared, "past", {"schema": columns(id="INT")}, partition=days)

    keys = specs(declared)["shop/past"].partitions_def.get_partition_keys()

    assert keys == ["2025-01-01", "2025-01-02", "2025-01-03"]


def test_an_asset_shows_its_columns_except_bronze_where_they_are_as_delivered(declared: Estate) -> None:
    found = specs(declared)

    schema = found["shop/orders__gold"].metadata["dagster/column_schema"]
    assert [(c.name, c.type, c.constraints.nullable) for c in schema.columns] == [
        ("id", "int", False),
        ("customer", "string", True),
        ("amount", "decimal(10,2)", True),
    ]
    assert schema.columns[0].description == "Counts from 1."
    assert schema.columns[1].constraints.other == ["matches [a-z]+"]
    assert "pii" in schema.columns[1].tags
    assert schema.constraints.other == ["amount > 0", "unique(id)"]
    assert "dagster/column_schema" not in found["shop/orders__bronze"].metadata


def test_a_policys_tag_cannot_take_the_place_of_tier_or_stage(declared: Estate) -> None:
    landed(declared, "tagged", {"schema": columns(id="INT")}, tags=["tier", "stage"])

    tags = specs(declared)["shop/tagged__gold"].tags

    assert (tags["tier"], tags["stage"]) == ("TIER_3", "gold")


@pytest.mark.parametrize("address", ["o'neil@example.com", "data@bank.international", "größe@example.com"])
def test_an_address_that_dagster_would_refuse_does_not_keep_the_location_from_loading(
    declared: Estate, address: str
) -> None:
    landed(declared, "addressed", {"schema": columns(id="INT")}, owner_email=address)

    spec = specs(declared)["shop/addressed__gold"]

    assert spec.owners == ["team:tests"]
    assert spec.metadata["owner_email"] == address


@pytest.mark.parametrize(
    ("moment", "latest"),
    [
        pytest.param(datetime(2025, 1, 8, 4, 30, tzinfo=UTC), "2025-01-06", id="it is still the 7th in New York"),
        pytest.param(datetime(2025, 1, 8, 5, 30, tzinfo=UTC), "2025-01-07", id="the 7th has ended in New York"),
        pytest.param(datetime(2025, 3, 10, 3, 30, tzinfo=UTC), "2025-03-08", id="the day on which clocks go forward"),
        pytest.param(datetime(2025, 3, 10, 4, 30, tzinfo=UTC), "2025-03-09", id="it has 23 hours"),
        pytest.param(datetime(2025, 11, 3, 4, 30, tzinfo=UTC), "2025-11-01", id="the day on which clocks go back"),
        pytest.param(datetime(2025, 11, 3, 5, 30, tzinfo=UTC), "2025-11-02", id="it has 25 hours"),
    ],
)
def test_a_day_begins_and_ends_in_the_datasets_own_time_zone(declared: Estate, moment: datetime, latest: str) -> None:
    days = specs(declared)["shop/orders__silver"].partitions_def

    keys = days.get_partition_keys(current_time=moment)

    assert (keys[0], keys[-1]) == ("2025-01-01", latest)


def test_a_dataset_without_days_has_no_partitions(declared: Estate) -> None:
    assert specs(declared)["shop/customers__gold"].partitions_def is None


def test_days_of_different_time_zones_are_one_day_for_what_is_derived_from_them(declared: Estate) -> None:
    partition = {"key": "day", "start": date(2024, 12, 1), "time_zone": "Asia/Tokyo"}
    derived(declared, "abroad", ["ds://shop/orders"], "SELECT customer FROM orders", partition=partition)

    dg.Definitions.validate_loadable(build(declared.settings))

    [dep] = specs(declared)["report/abroad__silver"].deps
    assert isinstance(dep.partition_mapping, dg.IdentityPartitionMapping)


LANDED_GATES = {
    "shop/orders__bronze": ["G1_RESOLUTION", "G2_IDENTITY", "G3_SCHEMA"],
    "shop/orders__silver": ["G4_CONTRACT", "G5_PII", "DQ"],
    "shop/orders__gold": ["G3_SCHEMA", "G4_CONTRACT", "G5_PII"],
    "shop/orders": ["CERTIFICATION"],
}
DERIVED_GATES = {
    "report/totals__silver": ["G3_SCHEMA", "G4_CONTRACT", "G5_PII", "DQ"],
    "report/totals__gold": ["G3_SCHEMA", "G4_CONTRACT", "G5_PII"],
    "report/totals": ["CERTIFICATION"],
}


@pytest.mark.parametrize(("name", "gates"), [*LANDED_GATES.items(), *DERIVED_GATES.items()])
def test_each_gate_of_a_stage_is_a_check_of_its_asset(declared: Estate, name: str, gates: list[str]) -> None:
    assert [check.name for check in checks(build(declared.settings))[name]] == gates


def test_every_check_blocks_and_has_a_description(declared: Estate) -> None:
    found = [check for stage in checks(build(declared.settings)).values() for check in stage]

    assert len(found) == 3 * 10 + 8  # three landed datasets and a derived one
    assert all(check.blocking for check in found)
    assert all(check.description for check in found)


def test_the_code_version_is_the_fingerprint_of_the_policy(declared: Estate) -> None:
    dataset = load_policies(declared.settings.policies).dataset("orders")
    before = specs(declared)

    bundle = declared.root / "policies/datasets/shop/orders/policy_bundle.yaml"
    bundle.write_text("# a comment is no change\n" + bundle.read_text())
    commented = specs(declared)
    bundle.write_text(bundle.read_text().replace("amount > 0", "amount > 1"))
    changed = specs(declared)

    for name in ORDER_STAGES:
        assert before[name].code_version == dataset.fingerprint == commented[name].code_version
        assert changed[name].code_version != dataset.fingerprint
    assert changed["shop/customers__gold"].code_version == before["shop/customers__gold"].code_version


def test_a_dataset_never_seen_before_needs_no_python(declared: Estate) -> None:
    before = set(specs(declared))

    landed(declared, "zeppelins", {"schema": columns(id="INT")})

    assert set(specs(declared)) - before == {f"shop/zeppelins{suffix}" for suffix in LANDED}


def test_no_dataset_of_the_repository_is_named_in_the_dagster_side() -> None:
    root = Path(data_platform.orchestration.__file__).parent
    tables = {dataset.table for dataset in load_policies(root.parents[1] / "policies").datasets}

    words = {word for file in root.glob("*.py") for word in re.findall(r"\w+", file.read_text())}

    assert len(tables) > 5
    assert not tables & words


def test_a_stage_is_an_asset_and_an_op_of_its_own(declared: Estate) -> None:
    landed(declared, "silver_orders", {"schema": columns(id="INT")})  # with "silver", the name of a stage, in its own

    found = [asset for asset in assets(LegacyAssets(load_policies(declared.settings.policies))) if hasattr(asset, "op")]

    assert all(len(asset.keys) == 1 for asset in found)
    assert len({asset.key for asset in found}) == len({asset.op.name for asset in found}) == len(found)


def test_no_stage_waits_in_a_pool_since_the_lease_keeps_writers_apart(declared: Estate) -> None:
    found = [asset for asset in assets(LegacyAssets(load_policies(declared.settings.policies))) if hasattr(asset, "op")]

    assert {asset.op.pool for asset in found} == {None}


@pytest.mark.parametrize(
    ("trigger", "schedule", "started"),
    [
        pytest.param("DATASET", None, "the certification of shop/orders"),
        pytest.param("HYBRID", "02:00 ET daily", "the certification of shop/orders or the schedule 02:00 ET daily"),
        pytest.param("PROCESS", "02:00 ET daily", "the schedule 02:00 ET daily", id="own schedule"),
        pytest.param("PROCESS", None, "people", id="by hand"),
    ],
)
def test_an_asset_shows_what_starts_it(declared: Estate, trigger: str, schedule: str | None, started: str) -> None:
    derived(declared, "more", ["ds://shop/orders"], "SELECT customer FROM orders", trigger=trigger, schedule=schedule)

    found = specs(declared)

    assert {found[f"report/more{suffix}"].metadata["started_by"] for suffix in DERIVED} == {started}
    assert {found[name].metadata["started_by"] for name in ORDER_STAGES} == {"people"}
    assert "started_by" not in found["market/rates"].metadata
