"""An Open Data Contract becomes a bundle that checks all of it, or lists what it cannot check. Case C28."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.errors import PolicyError
from data_platform.gates import contract, dq, schema
from data_platform.gates.expression import contract_plan, relation
from data_platform.lake.table import schema_of
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.model.verdict import Outcome
from data_platform.policies.odcs.imported import ImportedContract
from data_platform.policies.odcs.reader import read_odcs

CASE = Path(__file__).parents[2] / "cases" / "C28_odcs_contract_edges"
EXPECTED = json.loads((CASE / "expected.json").read_text())
FILES = ("contract_v302.odcs.yaml", "contract_v310.odcs.yaml")


def imported(file: str) -> ImportedContract:
    return read_odcs((CASE / file).read_text(), file)


def odcs(*properties: dict[str, Any], **table: Any) -> ImportedContract:
    content = {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "schema": [{"name": "orders", "properties": list(properties), **table}],
    }
    return read_odcs(yaml.safe_dump(content), "orders.yaml")


def test_both_versions_of_the_standard_mean_the_same() -> None:
    one, other = (imported(file) for file in FILES)

    assert one.bundle == other.bundle
    assert [len(found.not_executable) for found in (one, other)] == [3, 3]


@pytest.mark.parametrize("file", FILES)
def test_every_property_is_kept_also_one_without_a_logical_type(file: str) -> None:
    assert [c.field for c in imported(file).bundle.schema_.constraints] == EXPECTED["properties"]


@pytest.mark.parametrize("file", FILES)
def test_what_no_gate_can_check_is_reported_with_its_place(file: str) -> None:
    told = imported(file).not_executable

    assert told[0] == "properties[3].quality[0]: text is for people"
    assert told[1] == "quality[1]: engine someOtherEngine is not run here"
    assert told[2].startswith("slaProperties[0]: latency")


@pytest.mark.parametrize("file", FILES)
def test_case_c28_is_judged_as_it_should_be(file: str, spark: SparkSession) -> None:
    bundle = imported(file).bundle
    rows = spark.read.csv(
        str(CASE / "orders.csv"), header=True, schema="order_id string, amount decimal(10,2), created_on date"
    )

    delivered = schema.judge_delivery(
        bundle.schema_.declared, {"orders.csv": schema_of(rows)}, bundle.schema_, unreadable={}
    )
    planned = contract_plan.plan(rows, bundle.contract, bundle.schema_)
    flags = rows.agg(*(F.count_if(flag).alias(name) for name, flag in planned.all.items())).collect()[0].asDict()
    kept = contract.judge(planned, read=3, kept=2, broken=flags, min_compliance=1.0)
    counted = dq.judge(bundle.dq, rows=3, measured={}, min_rows=bundle.dq.min_rows)

    assert delivered.outcome is Outcome.FAILED  # channel: column missing
    assert any("channel" in result.signature for result in delivered.results if result.outcome is Outcome.FAILED)
    assert flags == {"MISSING_FIELD:order_id": 0, "MISSING_FIELD:amount": 0, "INVARIANT:amount:amount_sql": 1}
    assert kept.outcome is not Outcome.PASSED
    assert [relation.duplicates(rows, unique).rows for unique in bundle.contract.unique] == [0]
    assert [unique.fields for unique in bundle.contract.unique] == [("order_id",)]
    assert counted.outcome is Outcome.FAILED  # rowCount 3 not > 5
    assert bundle.dq.min_rows == 6


def test_a_bundle_that_is_written_is_the_bundle_that_is_read() -> None:
    bundle = imported(FILES[0]).bundle

    text = yaml.safe_dump(bundle.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    assert PolicyBundle.model_validate(yaml.safe_load(text)) == bundle


@pytest.mark.parametrize(
    "check",
    [
        pytest.param({"metric": "rowCount", "mustBeLessThan": 5}, id="a bound that no gate has"),
        pytest.param({"metric": "madeUp", "mustBe": 0}, id="a metric that does not exist"),
        pytest.param({"type": "sql", "query": "SELECT AVG(a) FROM {object}", "mustBe": 1}, id="another query"),
        pytest.param(
            {"type": "sql", "query": "SELECT COUNT(*) FROM other WHERE a < 0", "mustBe": 0}, id="another table"
        ),
        pytest.param(
            {"type": "sql", "query": "SELECT COUNT(*) FROM {object} WHERE a < 0", "mustBe": 3}, id="another bound"
        ),
        pytest.param({"type": "spell", "mustBe": 0}, id="a type that does not exist"),
    ],
)
def test_what_is_not_understood_is_never_dropped_in_silence(check: dict[str, Any]) -> None:
    found = odcs({"name": "a", "physicalType": "int", "quality": [check]})

    assert len(found.not_executable) == 1
    assert found.not_executable[0].startswith("properties[0].quality[0]: ")
    assert found.bundle.contract.invariants == ()


def test_options_and_lists_of_values_become_rules() -> None:
    values = {"metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": ["A", "B"]}}
    found = odcs(
        {"name": "kind", "logicalType": "string", "quality": [values]},
        {
            "name": "n",
            "logicalType": "integer",
            "primaryKey": True,
            "logicalTypeOptions": {"minimum": 1, "format": "i32"},
        },
    )

    kind, number = found.bundle.schema_.constraints
    assert kind.enum == ("A", "B")
    assert (number.type, number.nullable) == ("BIGINT", False)
    assert sorted(rule.rule for rule in found.bundle.contract.invariants) == ["`n` IS NULL OR `n` >= 1"]
    assert found.not_executable == ["properties[1].logicalTypeOptions.format: not checked by any gate"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: DataContract\napiVersion: v2.2.0\n", "apiVersion v2.2.0: expected"),
        ("apiVersion: v3.0.2\n", "expected kind DataContract"),
        ("kind: DataContract\napiVersion: v3.0.2\n", "0 tables"),
        ("a: [", "orders.yaml:"),
    ],
)
def test_what_is_no_contract_is_refused(text: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        read_odcs(text, "orders.yaml")


def test_a_primary_key_of_several_columns_is_one_key_in_its_order() -> None:
    found = odcs(
        {"name": "day", "logicalType": "date", "primaryKey": True, "primaryKeyPosition": 2},
        {"name": "id", "logicalType": "integer", "primaryKey": True, "primaryKeyPosition": 1},
    )

    assert [unique.fields for unique in found.bundle.contract.unique] == [("id", "day")]
    assert found.bundle.contract.required_fields == ("day", "id")


def test_columns_that_are_unique_together_are_read_from_a_check_of_the_table() -> None:
    check = {"metric": "duplicateValues", "arguments": {"properties": ["a", "b"]}, "mustBe": 0}

    found = odcs({"name": "a"}, {"name": "b"}, quality=[check])

    assert [unique.fields for unique in found.bundle.contract.unique] == [("a", "b")]
    assert found.not_executable == []


def test_a_relationship_without_a_urn_is_reported() -> None:
    found = odcs({"name": "a", "relationships": [{"to": "customers.id"}]}, relationships=[{"from": "a", "to": "c.id"}])

    assert [line.partition(":")[0] for line in found.not_executable] == [
        "properties[0].relationships[0]",
        "relationships[0]",
    ]


def test_limits_and_lengths_become_rules_that_allow_null() -> None:
    options = {"exclusiveMinimum": 0, "exclusiveMaximum": 9.5}
    found = odcs(
        {"name": "n", "physicalType": "NUMERIC(10,2)", "logicalTypeOptions": options},
        {"name": "t", "logicalType": "string", "logicalTypeOptions": {"minLength": 1, "maxLength": 3}},
    )

    assert found.bundle.schema_.constraints[0].type == "DECIMAL(10,2)"
    assert sorted(rule.rule for rule in found.bundle.contract.invariants) == [
        "`n` IS NULL OR `n` < 9.5",
        "`n` IS NULL OR `n` > 0",
        "`t` IS NULL OR length(`t`) <= 3",
        "`t` IS NULL OR length(`t`) >= 1",
    ]
    assert found.not_executable == []


@pytest.mark.parametrize(
    ("enum", "values"),
    [
        pytest.param([{"value": "A"}, {"value": 1}], ("A", "1"), id="texts and whole numbers"),
        pytest.param([{"value": 1.5}], (), id="a fraction, whose text is not defined"),
        pytest.param("A", (), id="not a list"),
    ],
)
def test_an_enum_is_read_or_reported(enum: Any, values: tuple[str, ...]) -> None:
    found = odcs({"name": "kind", "logicalType": "string", "enum": enum})

    assert found.bundle.schema_.constraints[0].enum == values
    assert bool(found.not_executable) is not bool(values)


@pytest.mark.parametrize(
    ("given", "required"), [(True, True), ("true", True), ("yes", True), (False, False), ("no", False), (None, False)]
)
def test_true_is_read_in_every_spelling(given: object, required: bool) -> None:
    found = odcs({"name": "id", "physicalType": "int", "required": given, "unique": given})

    (column,) = found.bundle.schema_.constraints
    assert column.nullable is not required
    assert bool(found.bundle.contract.unique) is required
    assert found.not_executable == []


def test_what_is_neither_true_nor_false_is_reported() -> None:
    found = odcs({"name": "id", "physicalType": "int", "required": "always"})

    assert found.not_executable == ["properties[0].required: neither true nor false"]


def test_checks_of_one_column_have_ids_of_their_own() -> None:
    check = {"type": "sql", "query": "SELECT COUNT(*) FROM {object} WHERE {property} < 0", "mustBe": 0}
    checks = [check, {**check, "query": "SELECT COUNT(*) FROM {object} WHERE {property} = 0"}]
    found = odcs({"name": "amount", "physicalType": "int", "quality": checks})

    assert [invariant.id for invariant in found.bundle.contract.invariants] == ["amount_sql", "amount_sql_2"]


@pytest.mark.parametrize(
    ("types", "read_as", "told"),
    [
        pytest.param({"physicalType": "int4"}, "INT", [], id="PostgreSQL's"),
        pytest.param({"physicalType": "varchar2(20 char)"}, "STRING", [], id="Oracle's"),
        pytest.param({"physicalType": "timestamp without time zone"}, "TIMESTAMP_NTZ", [], id="of several words"),
        pytest.param(
            {"physicalType": "bit", "logicalType": "boolean"},
            "BOOLEAN",
            ["properties[0].physicalType: bit is not a type here; the column is read as BOOLEAN"],
            id="by the logical type",
        ),
        pytest.param(
            {"logicalType": "object"},
            "STRING",
            ["properties[0].logicalType: object is not a type here; the column is read as text"],
            id="as text",
        ),
    ],
)
def test_types_of_other_systems_are_read_or_reported(types: dict[str, str], read_as: str, told: list[str]) -> None:
    found = odcs({"name": "x", **types})

    assert [column.type for column in found.bundle.schema_.constraints] == [read_as]
    assert found.not_executable == told
