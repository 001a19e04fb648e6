"""Datasets that mapping files assign to legacy jobs are in the graph of the Spark assets, and can be reported."""

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pytest
import yaml

from data_platform.errors import PolicyError
from data_platform.orchestration.location import build
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import columns, derived, key, landed, specs

LOAD = {
    "job": "LOAD",
    "box": "NIGHT",
    "inputs": ["ds://finance/trades"],
    "outputs": ["ds://finance/ledger"],
    "team": "ledger",
    "description": "Books the day's trades.",
    "schedule": "21:30 Europe/Berlin, mo-fr",
    "condition": "s(FETCH) & n(BACKUP)",
    "freshness": {"expected_update_by": "06:00 ET daily", "grace_period": "30m"},
}


def declare(estate: Estate, *jobs: dict[str, Any], files: Sequence[dict[str, Any]] = ()) -> None:
    folder = estate.root / "policies" / "legacy"
    folder.mkdir(exist_ok=True)
    (folder / "night.yaml").write_text(yaml.safe_dump({"jobs": list(jobs), "watch_files": list(files)}))


def upstream(spec: dg.AssetSpec) -> set[str]:
    return {dep.asset_key.to_user_string() for dep in spec.deps}


def test_an_output_that_no_policy_declares_is_an_external_asset(declared: Estate) -> None:
    declare(declared, LOAD)

    location = build(declared.settings)
    spec = specs(declared)["finance/ledger"]

    assert not location.resolve_asset_graph().get(spec.key).is_executable
    assert upstream(spec) == {"finance/trades"}
    assert (spec.group_name, list(spec.owners), spec.kinds) == ("finance", ["team:ledger"], {"autosys"})
    assert spec.description == "Books the day's trades.\n\nMade by the legacy scheduler's LOAD."
    told = {name: value for name, value in spec.metadata.items() if not name.startswith("dagster/")}
    assert told == {
        "urn": "ds://finance/ledger",
        "process": "AUTOSYS/NIGHT/LOAD",
        "box": "NIGHT",
        "schedule": "21:30 Europe/Berlin, mo-fr",
        "condition": "s(FETCH) & n(BACKUP)",
    }
    assert isinstance(spec.freshness_policy, dg.FreshnessPolicy)
    assert (spec.freshness_policy.deadline_cron, spec.freshness_policy.timezone) == ("30 6 * * *", "America/New_York")


def test_what_a_job_only_reads_or_watches_for_has_its_place_too(declared: Estate) -> None:
    declare(declared, LOAD, files=[{"pattern": "/in/rates_*.csv", "dataset": "ds://finance/quotes"}])

    found = specs(declared)

    assert found["finance/trades"].description == "Read by jobs of the legacy scheduler."
    assert found["finance/quotes"].metadata["watch_file"] == "/in/rates_*.csv"
    assert found["finance/quotes"].kinds == {"autosys", "file"}


def test_a_job_that_names_no_inputs_depends_on_what_the_jobs_before_it_write(declared: Estate) -> None:
    declare(
        declared,
        {"job": "FETCH", "outputs": ["ds://finance/trades"]},
        {"job": "CHECK", "condition": "s(FETCH)"},
        {"job": "OTHER", "outputs": ["ds://finance/other"]},
        {"job": "BOOK", "condition": "s(CHECK) & n(OTHER) & s(GONE^PRD)", "outputs": ["ds://finance/ledger"]},
    )

    assert upstream(specs(declared)["finance/ledger"]) == {"finance/trades"}


def test_an_external_dataset_of_a_policy_is_linked_and_not_doubled(declared: Estate) -> None:
    declare(declared, {**LOAD, "outputs": ["ds://market/rates"]})
    derived(declared, "quoted", ["ds://market/rates"], "SELECT currency AS customer FROM rates", partition=None)

    found = specs(declared)

    rates = found["market/rates"]
    assert upstream(rates) == {"finance/trades"}
    assert rates.description.startswith("Kept by the bank.")
    assert (rates.metadata["process"], list(rates.owners)) == ("AUTOSYS/NIGHT/LOAD", ["team:tests"])
    assert "autosys" in rates.kinds
    assert isinstance(rates.freshness_policy, dg.FreshnessPolicy)
    assert "market/rates" in upstream(found["report/quoted__silver"])


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"jobs": [{**LOAD, "outputs": ["ds://shop/orders"]}]}, id="written by a job"),
        pytest.param({"files": [{"pattern": "/in/*", "dataset": "ds://shop/orders"}]}, id="watched for"),
    ],
)
def test_a_landed_dataset_depends_on_its_delivery(declared: Estate, how: dict[str, Any]) -> None:
    declare(declared, *how.get("jobs", []), files=how.get("files", []))

    found = specs(declared)

    assert upstream(found["shop/orders__bronze"]) == {"shop/orders__landing"}
    assert upstream(found["shop/customers__bronze"]) == set()
    delivery = found["shop/orders__landing"]
    assert delivery.group_name == "shop"
    assert delivery.partitions_def == found["shop/orders__bronze"].partitions_def
    assert "shop/orders__gold" in upstream(found["shop/orders"])


def test_jobs_and_spark_assets_are_one_graph(declared: Estate) -> None:
    """A job reads a certified view, and what it writes is landed again, in another time zone."""
    zone = {"partition": {"key": "day", "start": DAY.value, "time_zone": "Asia/Tokyo"}}
    landed(declared, "returns", {"schema": columns(id="INT")}, **zone)
    declare(declared, {"job": "R", "inputs": ["ds://report/totals"], "outputs": ["ds://shop/returns"]})

    graph = build(declared.settings).resolve_asset_graph()

    assert graph.get(key("shop/returns__landing")).parent_keys == {key("report/totals")}
    assert key("shop/orders__bronze") in dg.AssetSelection.assets("shop/returns__bronze").upstream().resolve(graph)


def test_a_cycle_of_jobs_is_broken_and_reported(declared: Estate) -> None:
    declare(
        declared,
        {"job": "A", "inputs": ["ds://report/totals"], "outputs": ["ds://shop/orders"]},
        {"job": "B", "inputs": ["ds://finance/b", "ds://finance/c"], "outputs": ["ds://finance/c"]},
        {"job": "C", "inputs": ["ds://finance/c"], "outputs": ["ds://finance/b"]},
    )

    graph = build(declared.settings).resolve_asset_graph()
    found = specs(declared)

    assert graph.toposorted_asset_keys
    assert found["shop/orders__landing"].metadata["also_reads"] == "report/totals"
    left = [found[name].metadata.get("also_reads") for name in ("finance/b", "finance/c")]
    assert sorted(map(str, left)) == ["None", "finance/b"]


def test_a_zone_that_is_called_as_a_stage_does_not_take_its_keys(declared: Estate) -> None:
    declare(declared, {"job": "A", "outputs": ["ds://gold/orders", "ds://landing/orders"]})

    assert {"gold/orders", "landing/orders", "shop/orders__gold"} <= specs(declared).keys()


def test_a_dataset_that_a_process_makes_cannot_be_a_jobs_output(declared: Estate) -> None:
    declare(declared, {"job": "A", "outputs": ["ds://report/totals"]})

    with pytest.raises(PolicyError, match="A writes ds://report/totals, which process totals makes; remove one"):
        build(declared.settings)


def test_without_mapping_files_there_is_no_legacy_asset(declared: Estate) -> None:
    assert not [name for name, spec in specs(declared).items() if "autosys" in spec.kinds]


def test_a_report_materializes_it(declared: Estate, instance: dg.DagsterInstance) -> None:
    declare(declared, LOAD, {"job": "TILL", "outputs": ["ds://shop/orders"]})
    location = build(declared.settings)

    for name, day in (("finance/ledger", None), ("shop/orders__landing", str(DAY))):
        assert location.resolve_asset_graph().has(key(name))
        instance.report_runless_asset_event(
            dg.AssetMaterialization(key(name), partition=day, metadata={"process": "AUTOSYS/NIGHT/LOAD"})
        )

    event = instance.get_latest_materialization_event(key("finance/ledger"))
    assert event is not None
    assert event.asset_materialization is not None
    assert event.asset_materialization.metadata["process"].value == "AUTOSYS/NIGHT/LOAD"
    assert instance.get_materialized_partitions(key("shop/orders__landing")) == {str(DAY)}
