"""A promise about an undeclared column can never be kept, and is reported before any row is read."""

import json
from pathlib import Path

import pytest

from data_platform_tests.policies.tree import ORDERS, bundle_yaml, dataset_yaml, landed, load, problems

HALF = "has a parenthesis or bracket that is not closed, or not opened"
NO_RULE = "a rule is true or false, and this one is"
BETWEEN = "AND, OR and NOT take booleans, and"
BUNDLE = "policies/datasets/shop/orders/policy_bundle.yaml"
DATASET = "policies/datasets/shop/orders/dataset.yaml"
DAYS = "partition: {key: day, start: 2025-01-01}"
DAILY = "source: {format: csv, path: 'orders/{partition}', producer: shop}"


def daily(*lines: str, columns: str = "order_id BIGINT", bundle: tuple[str, ...] = ()) -> dict[str, str]:
    return {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", DAILY, *lines),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml(columns, *bundle),
    }


@pytest.mark.parametrize(
    ("line", "key"),
    [
        pytest.param("contract_lite: {required_fields: [totl]}", "contract_lite.required_fields[0]", id="required"),
        pytest.param("contract: {required_fields: [totl]}", "contract.required_fields[0]", id="required of gold"),
        pytest.param("contract: {unique: [[order_id, totl]]}", "contract.unique[0].fields[1]", id="unique"),
        pytest.param(
            "contract: {references: [{fields: [totl], dataset: 'ds://shop/orders', key: [total]}]}",
            "contract.references[0].fields[0]",
            id="reference",
        ),
        pytest.param(
            "pii: {detection: [{pattern: EMAIL, action: mask, fields: [totl]}]}", "pii.detection[0].fields[0]", id="pii"
        ),
        pytest.param("dq: {metrics: [{field: totl, min_mean: 1}]}", "dq.metrics[0].field", id="metric"),
        pytest.param("contract_lite: {invariants: ['totl > 0']}", "contract_lite.invariants[0]", id="invariant"),
    ],
)
def test_a_promise_about_an_undeclared_column_is_a_problem(tmp_path: Path, line: str, key: str) -> None:
    assert problems(tmp_path, landed(line)) == (
        f"{BUNDLE}:5: {key}: totl is not declared in schema.constraints; did you mean total?",
    )


@pytest.mark.parametrize(
    ("name", "known"), [("people.element.email", True), ("people", True), ("people.email", False), ("people.n", False)]
)
def test_a_pii_rule_may_name_a_text_within_a_column(tmp_path: Path, name: str, known: bool) -> None:
    files = {
        f"{ORDERS}/dataset.yaml": dataset_yaml(
            "ds://shop/orders", "source: {format: parquet, path: orders, producer: shop}"
        ),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml(
            "order_id BIGINT, people ARRAY<STRUCT<email:STRING>>",
            f"pii: {{detection: [{{pattern: EMAIL, action: mask, fields: [{name}]}}]}}",
        ),
    }

    assert [f"{name} is not declared" in problem for problem in problems(tmp_path, files)] == ([] if known else [True])


def test_a_column_is_declared_in_any_case(tmp_path: Path) -> None:
    assert problems(tmp_path, landed("contract_lite: {required_fields: [TOTAL], invariants: [Total > 0]}")) == ()


@pytest.mark.parametrize("columns", [pytest.param("order_id BIGINT", id="with columns"), None])
def test_an_external_dataset_may_name_columns_that_it_does_not_declare(tmp_path: Path, columns: str | None) -> None:
    line = "contract_lite: {required_fields: [other], invariants: ['other > 0']}"
    files = {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders"),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml(columns, line) if columns else line,
    }

    assert problems(tmp_path, files) == ()


@pytest.mark.parametrize(
    ("bundle", "place"),
    [
        pytest.param("dq: {min_rows: 1}\n", f"{BUNDLE}:1: schema.constraints", id="a bundle without columns"),
        pytest.param(None, f"{DATASET}:1", id="no bundle"),
    ],
)
def test_a_dataset_that_the_platform_makes_declares_its_columns(tmp_path: Path, bundle: str | None, place: str) -> None:
    files = landed()
    del files[f"{ORDERS}/policy_bundle.yaml"]

    assert problems(tmp_path, files | ({f"{ORDERS}/policy_bundle.yaml": bundle} if bundle else {})) == (
        f"{place}: a dataset with a source or a process declares its columns in schema.constraints"
        " of policy_bundle.yaml",
    )


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        pytest.param(
            "total >> > 0",
            "rule total >> > 0: not a Spark SQL expression: an expression is missing or not closed",
            id="no expression",
        ),
        pytest.param(
            "reflect('a', 'b') = total",
            "rule reflect('a', 'b') = total: reflect() is not a function that policies may call (docs/functions.md)",
            id="code",
        ),
        pytest.param(
            "total = NULL",
            "rule total = NULL: a comparison with NULL is never true: use IS NULL or IS NOT NULL",
            id="never true",
        ),
    ],
)
def test_a_rule_that_can_never_hold_is_a_problem(tmp_path: Path, rule: str, problem: str) -> None:
    assert problems(tmp_path, landed(f"contract: {{invariants: [{rule!r}]}}")) == (
        f"{BUNDLE}:5: contract.invariants[0]: {problem}",
    )


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("total ${x} > 0", id="a variable of a shell"),
        pytest.param("(" * 3000 + "total" + ")" * 3000 + " > 0", id="nested too deeply"),
    ],
)
def test_a_rule_that_cannot_be_parsed_is_a_problem_and_no_crash(tmp_path: Path, rule: str) -> None:
    found = problems(tmp_path, landed(f"contract: {{invariants: [{rule!r}]}}"))

    assert found
    assert all(text.startswith(f"{BUNDLE}:5: contract.invariants[0]: rule ") for text in found)
    assert max(map(len, found)) < 400


def test_an_invariant_in_both_contracts_is_a_problem(tmp_path: Path) -> None:
    files = landed("contract_lite: {invariants: [total > 0]}", "contract: {invariants: [total > 0]}")

    assert problems(tmp_path, files) == (
        f"{BUNDLE}:6: contract.invariants[0]: id 'total > 0' appears twice;"
        " give each invariant of both contracts an id of its own",
    )


def test_a_rule_may_be_repeated_under_two_ids(tmp_path: Path) -> None:
    files = landed(
        "contract_lite: {invariants: [total > 0]}", "contract: {invariants: [{id: gold total, rule: total > 0}]}"
    )

    assert problems(tmp_path, files) == ()


def test_an_enum_under_pii_is_a_problem(tmp_path: Path) -> None:
    bundle = (
        "schema:\n  constraints:\n    - {field: country, type: STRING, enum: [NO, SE]}\n"
        "pii: {detection: [{pattern: EMAIL, action: mask, fields: [Country]}]}\n"
    )

    assert problems(tmp_path, landed() | {f"{ORDERS}/policy_bundle.yaml": bundle}) == (
        f"{BUNDLE}:3: schema.constraints[0].enum: country is also under pii, which would change the values that enum"
        " allows; keep one",
    )


def test_a_partition_key_need_not_be_declared_and_may_be_promised(tmp_path: Path) -> None:
    files = daily("partition: {key: dt, start: 2013-01-01}", bundle=("contract: {unique: [[order_id, dt]]}",))

    assert load(tmp_path, files).datasets[0].bundle.contract.unique[0].fields == ("order_id", "dt")


def test_a_partition_key_that_is_declared_is_a_date(tmp_path: Path) -> None:
    files = daily("partition:", "  start: 2013-01-01", "  key: dt", columns="order_id BIGINT, DT STRING")

    assert problems(tmp_path, files) == (
        f"{DATASET}:7: partition.key: dt is declared as STRING in schema.constraints; a partition's key is a DATE",
    )


def test_a_freshness_policy_is_of_the_partitions_key(tmp_path: Path) -> None:
    files = daily(
        "partition: {key: dt, start: 2013-01-01}",
        "slo: {freshness: {expected_update_by: 02:00 ET daily, partition_key: day}}",
    )

    assert problems(tmp_path, files) == (
        f"{DATASET}:5: partition.key: found dt, and partition_key of the freshness policy is day; correct one",
    )


def test_a_pattern_that_a_long_text_could_end_the_run_with_is_a_problem(tmp_path: Path) -> None:
    files = landed("contract_lite: {invariants: [\"note RLIKE '(a|b)*'\"]}")
    files[f"{ORDERS}/policy_bundle.yaml"] = (
        files[f"{ORDERS}/policy_bundle.yaml"]
        .replace("constraints:", r"constraints: [{field: note, type: STRING, pattern: '(\w+,)*'}]")
        .replace("    - {field: order_id, type: BIGINT}\n    - {field: total, type: DOUBLE}\n", "")
    )

    found = problems(tmp_path, files)

    assert [problem.split(" repeats")[0] for problem in found] == [
        rf"{BUNDLE}:2: schema.constraints[0].pattern: (\w+,)*",
        f"{BUNDLE}:3: contract_lite.invariants[0]: rule note RLIKE '(a|b)*': (a|b)*",
    ]
    assert all("overflow Java's stack" in problem for problem in found)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        pytest.param("d > date '2025-13-01'", "'2025-13-01' is not a valid date", id="a month"),
        pytest.param("d > date'2025-02-29'", "'2025-02-29' is not a valid date", id="a leap day"),
        pytest.param("d > '2025-04-31'", "'2025-04-31' is not a valid date", id="beside a column"),
        pytest.param("date '20250101' < d", "'20250101' is not a date; write it as 2025-01-31", id="without dashes"),
        pytest.param(
            "t > timestamp '2025-01-01 25:00:00'", "'2025-01-01 25:00:00' is not a valid timestamp", id="hour"
        ),
        pytest.param("note rlike '('", "( has a parenthesis or bracket that is not closed, or not opened", id="group"),
        pytest.param(
            "note rlike '[a-'", "[a- has a parenthesis or bracket that is not closed, or not opened", id="class"
        ),
        pytest.param("null", "a rule is true or false, and this one is NULL", id="NULL"),
        pytest.param("coalesce(order_id, 1)", f"{NO_RULE} of type bigint", id="a number or another"),
        pytest.param("if(order_id > 1, 1, 2)", f"{NO_RULE} a number", id="one of two numbers"),
        pytest.param("case when order_id > 1 then 'a' else 'b' end", f"{NO_RULE} a text", id="one of two texts"),
        pytest.param("order_id and note = 'x'", f"{BETWEEN} order_id is of type bigint", id="AND of a number"),
        pytest.param("not note", f"{BETWEEN} note is of type string", id="NOT of a text"),
        pytest.param("note.a = 'x'", "note is STRING, and has no field a", id="a field of a text"),
        pytest.param("note[0] = 'x'", "note is STRING, and has no elements", id="an element of a text"),
    ],
)
def test_a_rule_that_no_row_could_be_asked_is_a_problem(tmp_path: Path, rule: str, why: str) -> None:
    files = landed(invariant(rule), columns="order_id BIGINT, d DATE, t TIMESTAMP, note STRING")

    [problem] = problems(tmp_path, files)

    assert problem.endswith(f": {why}")


@pytest.mark.parametrize(
    "rule",
    [
        "d >= date '2024-02-29'",
        "d > date 'today'",
        "t < timestamp '9999-12-31T23:59:59.999999Z'",
        "t < timestamp'2025-01-31'",
        "d = '2025-1-5'",
        "note <> '2025-13-01'",
        r"note rlike '^[(\\[]+$'",
        "note rlike 'a|b'",
        "coalesce(order_id > 1, false)",
        "case when order_id > 1 then note = 'x' end",
        "not (order_id > 1 or note is null) and if(order_id = 1, true, null)",
    ],
)
def test_a_rule_that_can_be_asked_is_none(tmp_path: Path, rule: str) -> None:
    files = landed(invariant(rule), columns="order_id BIGINT, d DATE, t TIMESTAMP, note STRING")

    assert problems(tmp_path, files) == ()


def invariant(rule: str) -> str:
    return f"contract_lite: {{invariants: [{json.dumps(rule)}]}}"


@pytest.mark.parametrize(("name", "stored"), [("order id", "order_id"), ("a,b", "a_b"), ("x=y", "x_y")])
def test_a_column_with_a_name_that_delta_refuses_is_named_with_the_one_to_declare(
    tmp_path: Path, name: str, stored: str
) -> None:
    bundle = f"schema: {{constraints: [{{field: id, type: INT}}, {{field: {name!r}, type: STRING}}]}}\n"
    source = "source: {format: csv, path: orders, producer: shop}"
    files = {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", source), f"{ORDERS}/policy_bundle.yaml": bundle}

    [problem] = problems(tmp_path, files)

    assert f"{name!r} is no name of a column in Delta: declare {stored!r}, as which it is read" in problem


@pytest.mark.parametrize(
    ("columns", "bundle", "problem"),
    [
        pytest.param("region STRING", "", "", id="a text"),
        pytest.param("Region INT", "", "", id="a number, in another case"),
        pytest.param(
            "regio STRING", "", "region is not declared in schema.constraints; did you mean regio?", id="typo"
        ),
        pytest.param(
            "region DOUBLE",
            "",
            "region is a DOUBLE; parts are values of a text, a whole number, a date or a boolean",
            id="a double",
        ),
        pytest.param(
            "region STRING",
            "pii: {detection: [{pattern: EMAIL, action: mask, fields: [REGION]}]}",
            "region is also under pii, and the values of parts are shown; name another column",
            id="personal data",
        ),
    ],
)
def test_the_parts_of_a_day_are_values_of_a_column_that_can_be_counted(
    tmp_path: Path, columns: str, bundle: str, problem: str
) -> None:
    parts = "slo: {freshness: {expected_update_by: '06:00 ET daily', parts: {column: region, values: [APAC, EMEA]}}}"
    found = problems(tmp_path, daily(DAYS, parts, columns=columns, bundle=(bundle,) if bundle else ()))

    assert [one.partition("slo.freshness.parts: ")[2] for one in found] == ([problem] if problem else [])


@pytest.mark.parametrize(
    ("lines", "column", "problem"),
    [
        pytest.param([DAYS], "", "", id="its producer reports them"),
        pytest.param([DAYS], "column: region, ", "no column is counted; remove column", id="a column"),
        pytest.param([], "", "a dataset without partitions has no parts of them", id="no partitions"),
    ],
)
def test_the_parts_of_an_external_dataset_are_of_no_column(
    tmp_path: Path, lines: list[str], column: str, problem: str
) -> None:
    parts = f"slo: {{freshness: {{expected_update_by: '06:00 ET daily', parts: {{{column}values: [APAC]}}}}}}"

    found = problems(tmp_path, {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", *lines, parts)})

    assert [problem in one for one in found] == ([True] if problem else [])


def test_the_parts_of_a_landed_dataset_need_a_column(tmp_path: Path) -> None:
    parts = "slo: {freshness: {expected_update_by: '06:00 ET daily', parts: {values: [APAC]}}}"

    [problem] = problems(tmp_path, daily(DAYS, parts, columns="region STRING"))

    assert "column is missing: the column whose values are the parts" in problem
