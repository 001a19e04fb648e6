"""A promise that a column of its type can never keep is reported when policies are read."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import CUSTOMERS, ORDERS, bundle_yaml, dataset_yaml, landed, problems

BUNDLE = "policies/datasets/shop/orders/policy_bundle.yaml"
DATASET = "policies/datasets/shop/orders/dataset.yaml"
TYPES = """schema:
  constraints:
    - {field: id, type: BIGINT}
    - {field: note, type: STRING}
    - {field: day, type: DATE}
    - {field: seen, type: TIMESTAMP}
    - {field: tags, type: "ARRAY<STRING>"}
    - {field: labels, type: "MAP<STRING, INT>"}
    - {field: paid, type: BOOLEAN}
"""


def orders(*lines: str, form: str = "parquet", policy: str = "") -> dict[str, str]:
    source = f"source: {{format: {form}, path: 'orders', producer: shop}}"
    return {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", source) + policy,
        f"{ORDERS}/policy_bundle.yaml": TYPES + "\n".join((*lines, "")),
    }


def daily(key: str, *more: str, columns: str) -> dict[str, str]:
    lines = (
        "source: {format: csv, path: 'orders/{partition}', producer: shop}",
        f"partition: {{key: {key}, start: 2025-01-01{''.join(more)}}}",
    )
    return {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", *lines),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml(columns),
    }


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        pytest.param("dq: {metrics: [{field: note, min_mean: 1}]}", "only numbers have a mean", id="mean of text"),
        pytest.param("dq: {metrics: [{field: day, max_mean: 1}]}", "only numbers have a mean", id="mean of days"),
        pytest.param("dq: {metrics: [{field: labels, min_distinct: 1}]}", "maps cannot be counted", id="maps"),
        pytest.param("contract: {unique: [[id, labels]]}", "maps cannot be compared", id="a key of maps"),
        pytest.param(
            "pii: {detection: [{pattern: PHONE, action: mask, fields: [id]}]}",
            "id is BIGINT, and personal values are detected in text only",
            id="a phone in numbers",
        ),
        pytest.param(
            "pii: {detection: [{pattern: EMAIL, action: mask, fields: [day]}]}",
            "day is DATE, and personal values are detected in text only",
            id="an address in days",
        ),
        pytest.param(
            "    - {field: homephone, type: BIGINT}\npii: {detection: [{pattern: PHONE, action: mask}]}",
            "homephone is BIGINT, and personal values are detected in text only",
            id="a number that its name calls a phone",
        ),
        pytest.param(
            "    - {field: owner, type: 'ARRAY<STRUCT<home_phone: BIGINT>>'}\n"
            "pii: {detection: [{pattern: PHONE, action: mask}]}",
            "owner.element.home_phone is BIGINT, and personal values are detected in text only",
            id="a number within a column that its name calls a phone",
        ),
        pytest.param(
            "    - {field: born, type: 'STRUCT<birth_date: DATE>'}\n"
            "pii: {detection: [{pattern: DATE_OF_BIRTH, action: mask}]}",
            "born.birth_date is DATE, and personal values are detected in text only",
            id="a day that its name calls one of birth",
        ),
        pytest.param(
            "pii: {detection: [{pattern: PHONE, action: mask, fields: [labels.value]}]}",
            "labels.value is INT, and personal values are detected in text only",
            id="a number within a column that a rule names",
        ),
        pytest.param(
            "pii: {detection: [{pattern: PERSON_NAME, action: mask, fields: [labels.key], in_text: true}]}",
            "labels.key is no text column, and in_text searches only these",
            id="a search in the texts of a map",
        ),
        pytest.param("    - {field: kind, type: STRING, enum: []}", "an empty list; name the values", id="no value"),
        pytest.param("    - {field: code, type: STRING, pattern: '(a'}", "(a has a parenthesis", id="half a pattern"),
        pytest.param("contract_lite: {invariants: ['id + 1']}", "and this one is a number", id="a rule of a number"),
        pytest.param("contract_lite: {invariants: [note]}", "this one is of type string", id="a rule of text"),
        pytest.param("contract_lite: {invariants: ['upper(note)']}", "the result of upper()", id="a function"),
        pytest.param("contract_lite: {invariants: ['CAST(note AS INT)']}", "this one is of type int", id="a cast"),
        pytest.param("contract_lite: {invariants: ['sum(id) > 1']}", "sum() is not of one row", id="an aggregate"),
        pytest.param("contract: {references: [{fields: [note], dataset: 'ds://shop/customers', key: [id]}]}",
                     "note is STRING, and id of ds://shop/customers is BIGINT", id="a reference of another type"),
    ],
)  # fmt: skip
def test_a_promise_that_no_column_of_its_type_keeps_is_a_problem(tmp_path: Path, line: str, problem: str) -> None:
    customers = {
        f"{CUSTOMERS}/dataset.yaml": dataset_yaml(
            "ds://shop/customers", "source: {format: csv, path: c, producer: shop}"
        ),
        f"{CUSTOMERS}/policy_bundle.yaml": bundle_yaml("id BIGINT"),
    }

    [found] = problems(tmp_path, {**customers, **orders(line)})

    assert problem in found
    assert found.startswith(f"{BUNDLE}:10: ")


@pytest.mark.parametrize(
    "line",
    [
        "contract_lite: {invariants: [paid, 'NOT paid', 'coalesce(paid, false)', 'if(id > 0, paid, true)']}",
        "contract_lite: {invariants: ['forall(tags, t -> t > 0)', 'array_contains(tags, note)', 'note IS NULL']}",
        "pii: {detection: [{pattern: EMAIL, action: mask, fields: [note, tags]}]}",
        "    - {field: ssn_hash, type: BINARY}\npii: {detection: [{pattern: SSN, action: mask}]}",
        "dq: {metrics: [{field: id, min_mean: 1, min_distinct: 1}, {field: labels, max_null_rate: 1}]}",
    ],
)
def test_a_promise_that_can_be_kept_is_none(tmp_path: Path, line: str) -> None:
    assert problems(tmp_path, orders(line)) == ()


def test_a_landed_dataset_names_its_producer_or_a_manifest(tmp_path: Path) -> None:
    files = landed()
    files[f"{ORDERS}/dataset.yaml"] = dataset_yaml("ds://shop/orders", "source: {format: csv, path: orders}")

    [found] = problems(tmp_path, files)
    files[f"{ORDERS}/dataset.yaml"] = files[f"{ORDERS}/dataset.yaml"].replace("orders}", "orders, manifest: m.json}")

    assert found.startswith(f"{DATASET}:4: source: nothing names the producer")
    assert problems(tmp_path, files) == ()


def test_csv_brings_no_nested_columns(tmp_path: Path) -> None:
    found = problems(tmp_path, orders(form="csv"))

    assert [text.split(": ", 2)[2].split(",")[0] for text in found] == [
        "tags is ARRAY<STRING>",
        "labels is MAP<STRING",
    ]


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        pytest.param("STRUCT<first-name: STRING>", "first-name is a field of STRUCT<…> that tables cannot", id="-"),
        pytest.param("STRUCT<unit price: STRING>", "unit price is a field of STRUCT<…>", id="a blank"),
        pytest.param("ARRAY<STRUCT<a: STRUCT<b c: INT>>>", "a: b c is a field of STRUCT<…>", id="deep"),
        pytest.param("STRUCT<a INT>", "'a INT' in STRUCT<…> is no field; expected name: TYPE", id="no colon"),
        pytest.param("STRUCT<a: INT, A: INT>", "A appears twice in one STRUCT<…>", id="twice"),
        pytest.param("ARRAY<VARIANT>", "VARIANT is not a type", id="variant"),
        pytest.param("MAP<STRING>", "MAP<…> has a key and a value, found 1 parts", id="half a map"),
        pytest.param("VARIANT", "'VARIANT' is not a type", id="a variant alone"),
        pytest.param("STRUCT<>", "'' in STRUCT<…> is no field", id="an empty struct"),
    ],
)
def test_a_nested_type_that_no_table_can_have_is_named(tmp_path: Path, kind: str, problem: str) -> None:
    files = orders()
    files[f"{ORDERS}/policy_bundle.yaml"] = f"schema: {{constraints: [{{field: a, type: '{kind}'}}]}}\n"

    [found] = problems(tmp_path, files)

    assert problem in found


@pytest.mark.parametrize(
    ("key", "columns", "hint"),
    [
        pytest.param("snap_date", "id INT, snapshot_date DATE", "did you mean snapshot_date?", id="a look-alike"),
        pytest.param("Order_Dt", "id INT, order_date DATE", "did you mean order_date?", id="abbreviated"),
        pytest.param(
            "order_day", "id INT, orders_day STRING", "did you mean orders_day?", id="a text that looks alike"
        ),
    ],
)
def test_a_partition_key_that_a_declared_column_could_be_is_a_problem(
    tmp_path: Path, key: str, columns: str, hint: str
) -> None:
    [found] = problems(tmp_path, daily(key, columns=columns))

    assert found.startswith(f"{DATASET}:5: partition.key: {key} is not declared in schema.constraints")
    assert found.endswith(hint)
    assert problems(tmp_path, daily(key, ", of_delivery: true", columns=columns)) == ()


@pytest.mark.parametrize(
    ("source", "columns", "problem"),
    [
        pytest.param("at", "id INT, at TIMESTAMP", "", id="an instant"),
        pytest.param("at", "id INT, at STRING", "at is STRING; expected a DATE or TIMESTAMP", id="a text"),
        pytest.param("att", "id INT, at TIMESTAMP", "att is not declared in schema.constraints", id="nothing"),
        pytest.param("at", "at TIMESTAMP, dt DATE", "dt is declared in schema.constraints", id="of a delivered key"),
    ],
)
def test_a_key_is_computed_from_a_date_or_an_instant(tmp_path: Path, source: str, columns: str, problem: str) -> None:
    found = problems(tmp_path, daily("dt", f", computed_from: {source}", columns=columns))

    assert len(found) == bool(problem)
    assert problem in "".join(found)


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        pytest.param("note", "", id="a text column"),
        pytest.param("NOTE", "", id="in another case"),
        pytest.param("notes", "notes is not declared in schema.constraints", id="no column"),
        pytest.param("id", "id is BIGINT, and codes are text", id="numbers"),
    ],
)
def test_learned_codes_are_those_of_text_columns(tmp_path: Path, column: str, problem: str) -> None:
    files = orders() | {f"{ORDERS}/baseline.json": f'{{"enum_domains": {{"{column}": ["A"]}}}}'}

    found = problems(tmp_path, files)

    assert [problem in text and "baseline.json: enum_domains" in text for text in found] == [True] * bool(problem)
