"""A dataset written as an Open Data Contract is a valid one, and is read back as the same policy."""

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.errors import PolicyError
from data_platform.model.baseline import Baseline
from data_platform.model.freshness import Freshness
from data_platform.model.policy import DatasetPolicy, Slo
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.policies import load_policies
from data_platform.policies.catalog import Dataset
from data_platform.policies.odcs.imported import ImportedContract
from data_platform.policies.odcs.reader import read_odcs
from data_platform.policies.odcs.writer import contract_document
from data_platform_tests.example_count import examples
from data_platform_tests.source_tree import ROOT

SHIPPED = {dataset.urn: dataset for dataset in load_policies(ROOT / "policies").datasets}


@cache
def standard() -> Any:
    """The JSON Schema of ODCS 3.2."""
    text = (files("open_data_contract_standard") / "schema.json").read_text(encoding="utf-8")
    return jsonschema_rs.validator_for(json.loads(text))


def problems(document: dict[str, Any]) -> list[str]:
    return [f"{list(error.instance_path)}: {error.message}" for error in standard().iter_errors(document)]


def imported(document: dict[str, Any]) -> ImportedContract:
    return read_odcs(yaml.safe_dump(document, sort_keys=False, allow_unicode=True), "contract.yaml")


def meaning(bundle: PolicyBundle) -> dict[str, Any]:
    """The bundle with types in one spelling, names of columns in the order and case of their declaration."""
    whole: dict[str, Any] = bundle.model_dump(mode="json", by_alias=True)
    order = [constraint.field for constraint in bundle.schema_.constraints]
    for constraint, parsed in zip(whole["schema"]["constraints"], bundle.schema_.constraints, strict=True):
        constraint["type"] = parsed.column.type
    for part in ("contract_lite", "contract"):
        whole[part]["required_fields"] = sorted(set(whole[part]["required_fields"]), key=order.index)
    return whole


def bundle_of(**parts: Any) -> PolicyBundle:
    return PolicyBundle.model_validate(parts)


def dataset_of(bundle: PolicyBundle, **policy: Any) -> Dataset:
    declared = {"urn": "ds://shop/orders", "owner_team": "shop", "tier": "TIER_2", **policy}
    return Dataset(DatasetPolicy.model_validate(declared), bundle, None, None, "0" * 16)


def table(document: dict[str, Any]) -> dict[str, Any]:
    (found,) = document["schema"]
    return dict(found)


COLUMNS = (
    {"field": "id", "type": "BIGINT", "nullable": False},
    {"field": "kind", "type": "STRING", "enum": ["A", "B"], "unknown_codes": True},
    {
        "field": "code",
        "type": "VARCHAR(20)",
        "pattern": "[a-z]|b",
        "nullable": False,
        "description": "A code: two letters.",
    },
    {"field": "amount", "type": "DECIMAL"},
    {"field": "price", "type": "NUMERIC(10,2)"},
    {"field": "level", "type": "INT", "enum": ["1", "02"]},
    {"field": "at", "type": "TIMESTAMP_NTZ"},
    {"field": "parts", "type": "ARRAY<STRUCT<a:INT,b:DECIMAL(10,2)>>"},
    {"field": "labels", "type": "MAP<STRING,BINARY>"},
)
NAMES = [column["field"] for column in COLUMNS]


@pytest.mark.parametrize("urn", SHIPPED)
def test_a_shipped_dataset_is_a_valid_contract_and_is_read_back_as_it_was(urn: str) -> None:
    document = contract_document(SHIPPED[urn])

    found = imported(document)

    assert problems(document) == []
    assert meaning(found.bundle) == meaning(SHIPPED[urn].bundle)
    assert [line for line in found.not_executable if not line.startswith("slaProperties")] == []


RULES = {
    "positive": "amount > 0",
    "large": "amount IS NULL OR amount >= 1",
    "commented": "id BETWEEN 1 AND 9 -- ids",
    "different": "kind <> code",
    "": "level < 5 OR id > 3",
}
SHARES = st.floats(0, 1)
INVARIANTS = st.lists(
    st.builds(
        lambda name, severity: {"id": name, "rule": RULES[name], "severity": severity},
        st.sampled_from(list(RULES)),
        st.sampled_from(["WARN", "QUARANTINE", "BLOCK"]),
    ),
    unique_by=lambda item: item["rule"],
    max_size=3,
)
KEYS = st.lists(st.sampled_from(["id", "kind", "code"]), min_size=1, max_size=3, unique=True)
COMPARE = st.lists(st.sampled_from(["trim", "ignore_case", "unicode"]), max_size=2, unique=True)
UNIQUE = st.lists(
    st.fixed_dictionaries({"fields": KEYS, "compare": COMPARE}),
    max_size=3,
    unique_by=lambda key: json.dumps(key, sort_keys=True),  # the same key twice is imported once
)
REFERENCES = st.lists(
    st.builds(
        lambda fields, compare, prefix: {
            "fields": fields,
            "dataset": "ds://shop/others",
            "compare": compare,
            "key": [f"{prefix}{name}" for name in fields] if prefix else [],
        },
        KEYS,
        COMPARE,
        st.sampled_from(["", "k_"]),
    ),
    max_size=2,
)
NUMBER = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)
METRICS = st.lists(
    st.fixed_dictionaries(
        {"field": st.sampled_from(["amount", "level"]), "severity": st.sampled_from(["WARN", "BLOCK"])},
        optional={"max_null_rate": SHARES, "min_mean": NUMBER, "max_mean": NUMBER, "min_distinct": st.integers(0, 9)},
    ).filter(lambda metric: len(metric) > 2),
    max_size=3,
)
CONTRACT = {
    "required_fields": st.lists(st.sampled_from(NAMES), unique=True),
    "invariants": INVARIANTS,
    "min_compliance": SHARES,
}
SCHEMA = {
    "mode": st.sampled_from(["strict", "compatible", "breaking"]),
    "widening": st.sampled_from([None, True, False]),
    "accepted": st.sampled_from([[], ["SCHEMA_DRIFT:note:ADDED"]]),
    "constraints": st.just(list(COLUMNS)),
}
BUNDLES = st.fixed_dictionaries(
    {
        "schema": st.fixed_dictionaries(SCHEMA),
        "contract_lite": st.fixed_dictionaries(CONTRACT),
        "contract": st.fixed_dictionaries({**CONTRACT, "unique": UNIQUE, "references": REFERENCES}),
        "pii": st.sampled_from([{}, {"detection": [{"pattern": "EMAIL", "action": "mask", "fields": ["code"]}]}]),
        "dq": st.fixed_dictionaries(
            {
                "min_rows": st.integers(0, 99),
                "allow_empty": st.booleans(),
                "metrics": METRICS,
                "profile": st.lists(st.sampled_from(NAMES), unique=True),
            }
        ),
    }
)


@settings(max_examples=examples(40), deadline=None)
@given(BUNDLES)
def test_any_bundle_is_a_valid_contract_and_is_read_back_as_it_was(parts: dict[str, Any]) -> None:
    bundle = bundle_of(**parts)
    document = contract_document(dataset_of(bundle))

    found = imported(document)

    assert problems(document) == []
    assert meaning(found.bundle) == meaning(bundle)
    assert found.not_executable == []


def test_a_column_with_a_name_that_the_standard_cannot_refer_to_keeps_its_reference() -> None:
    bundle = bundle_of(
        schema={"constraints": [{"field": "customer id", "type": "INT"}]},
        contract={"references": [{"fields": ["customer id"], "dataset": "ds://shop/customers"}]},
    )
    document = contract_document(dataset_of(bundle))

    assert problems(document) == []
    assert "relationships" not in table(document)
    assert imported(document).bundle == bundle


def test_learned_codes_are_an_enum_of_the_contract_and_not_of_the_bundle_unless_edited() -> None:
    bundle = bundle_of(schema={"constraints": [{"field": "Kind", "type": "STRING"}]})
    baseline = Baseline.model_validate(
        {"schema": [{"name": "kind", "type": "string"}], "enum_domains": {"kind": ["A", "B"]}}
    )
    document = contract_document(replace(dataset_of(bundle), baseline=baseline))

    (kind,) = table(document)["properties"]
    assert kind["enum"] == [{"value": "A"}, {"value": "B"}]
    assert problems(document) == []
    assert imported(document).bundle == bundle

    kind["enum"].append({"value": "C"})

    assert imported(document).bundle.schema_.constraints[0].enum == ("A", "B", "C")


def test_names_are_the_same_in_any_case() -> None:
    bundle = bundle_of(
        schema={"constraints": [{"field": "id", "type": "INT", "nullable": False}, {"field": "total", "type": "INT"}]},
        contract={"required_fields": ["Total"], "unique": ["ID"]},
        dq={"metrics": [{"field": "TOTAL", "max_null_rate": 0.1}]},
    )

    found = imported(contract_document(dataset_of(bundle))).bundle

    assert found.contract.required_fields == ("total",)
    assert [one.fields for one in found.contract.unique] == [("id",)]
    assert found.dq == bundle.dq


def test_the_column_of_the_partition_is_part_of_the_contract_and_not_of_the_bundle() -> None:
    bundle = bundle_of(schema={"constraints": [{"field": "id", "type": "INT"}]}, contract={"required_fields": ["day"]})
    partition = {"key": "day", "start": "2025-01-01", "of_delivery": True}
    source = {"format": "csv", "path": "orders/{partition}", "producer": "till"}
    document = contract_document(dataset_of(bundle, partition=partition, source=source))

    assert [(p["name"], p.get("partitioned")) for p in table(document)["properties"]] == [("id", None), ("day", True)]
    assert imported(document).bundle == bundle


def test_ranges_of_single_columns_are_options_that_other_tools_read() -> None:
    stated = table(contract_document(SHIPPED["ds://ops/flights"]))["properties"]

    options = {prop["name"]: prop.get("logicalTypeOptions") for prop in stated}
    assert options["distance"] == {"exclusiveMinimum": 0}
    assert options["dep_delay"] == {"minimum": -120, "maximum": 1500}
    assert options["carrier"] == {"pattern": "^(?:[0-9A-Z]{2})$"}
    assert options["hour"] is None


def test_a_query_counts_a_null_as_the_gate_does() -> None:
    checks = {check["name"]: check for check in table(contract_document(SHIPPED["ds://ops/flights"]))["quality"]}

    where = {name: check["query"].partition(" WHERE ")[2] for name, check in checks.items() if "query" in check}
    assert where["distance_is_positive"] == "NOT coalesce((distance > 0), false)"
    assert where["only_departed_flights_arrive"] == (
        "NOT coalesce((arr_time IS NULL OR dep_time IS NOT NULL), (`arr_time` IS NULL OR `dep_time` IS NULL))"
    )


def places(node: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a document."""
    if before:
        yield before
    for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from places(child, (*before, key))


WHOLE = contract_document(SHIPPED["ds://ops/flights"])
JUNK = st.sampled_from(
    [None, True, 5, -1.5, "", "x", [], [1], ["x"], {}, {"value": 5}, [{"value": []}], {"property": "x"}]
)


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from([*places(WHOLE)]), JUNK)
def test_junk_anywhere_in_a_contract_is_a_policy_error_or_read(place: tuple[Any, ...], junk: Any) -> None:
    document = copy.deepcopy(WHOLE)
    parent = document
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = junk

    with suppress(PolicyError):  # any other error would be a stack trace for the user
        assert isinstance(imported(document).bundle, PolicyBundle)


def edited(place: str, change: Any) -> ImportedContract:
    """The contract of the flights with a change by hand to one quality check or property, read again."""
    document = copy.deepcopy(contract_document(SHIPPED["ds://ops/flights"]))
    elements = {one["name"]: one for kind in ("quality", "properties") for one in table(document)[kind]}
    elements[place].update(change)
    return imported(document)


def test_an_edited_query_replaces_the_rule_in_its_contract() -> None:
    found = edited("distance_is_positive", {"query": "SELECT COUNT(*) FROM {object} WHERE distance <= 5"}).bundle

    rules = {rule.id: rule.rule for rule in found.contract_lite.invariants}
    assert rules["distance_is_positive"] == "NOT coalesce(distance <= 5, false)"
    assert found.contract.invariants[0].rule == "`distance` IS NULL OR `distance` > 0"  # still stated as an option


def test_an_edited_query_that_no_gate_can_check_is_reported() -> None:
    found = edited("distance_is_positive", {"query": "SELECT MAX(distance) FROM {object}"})

    assert any(line.startswith("quality[0]: only SELECT COUNT(*)") for line in found.not_executable)
    assert "distance_is_positive" not in [rule.id for rule in found.bundle.contract_lite.invariants]


@pytest.mark.parametrize(
    ("place", "change", "key", "value"),
    [
        pytest.param("origin", {"enum": [{"value": "EWR"}]}, "enum", ("EWR",), id="an enum"),
        pytest.param("dest", {"logicalTypeOptions": {"pattern": "^X$"}}, "pattern", "^X$", id="a pattern"),
        pytest.param("dest", {"logicalTypeOptions": {}}, "pattern", "", id="no pattern any more"),
        pytest.param("hour", {"required": False}, "nullable", True, id="no longer required"),
        pytest.param("hour", {"physicalType": "BIGINT"}, "type", "BIGINT", id="a type"),
    ],
)
def test_an_edited_column_counts_as_edited(place: str, change: Any, key: str, value: Any) -> None:
    columns = {constraint.field: constraint for constraint in edited(place, change).bundle.schema_.constraints}

    assert getattr(columns[place], key) == value


def test_an_edited_bound_of_a_metric_counts_as_edited() -> None:
    found = edited("mean of distance", {"mustBeBetween": [1, 2]}).bundle

    assert (found.dq.metrics[0].min_mean, found.dq.metrics[0].max_mean) == (1, 2)


def test_owner_service_level_and_partition_are_stated() -> None:
    document = contract_document(SHIPPED["ds://ops/flights"])

    assert document["team"]["name"] == "flight-operations"
    assert document["slaProperties"][0]["value"] == "06:00 America/New_York"
    assert document["slaProperties"][0]["schedule"] == "0 6 * * *"
    assert document["slaProperties"][0]["scheduler"] == "cron"
    key = [(p["name"], p["primaryKeyPosition"]) for p in table(document)["properties"] if p.get("primaryKey")]
    assert key == [("flight_date", 1), ("carrier", 2), ("flight", 3), ("origin", 4)]
    assert table(document)["relationships"][1]["to"] == "ops.airports.faa"


def test_a_deadline_that_no_cron_has_is_exported_in_words() -> None:
    flights = SHIPPED["ds://ops/flights"]
    monthly = Freshness(expected_update_by="18:00 CET on business day 3", calendar="DE", quiet_days=("12-24",))
    policy = flights.policy.model_copy(update={"slo": Slo(freshness=monthly)})

    [availability] = contract_document(replace(flights, policy=policy))["slaProperties"]

    assert availability["value"] == "18:00 Europe/Berlin"
    assert "18:00 CET on business day 3" in availability["description"]
    assert "schedule" not in availability
    assert availability["customProperties"][0]["value"]["quiet_days"] == ["12-24"]
