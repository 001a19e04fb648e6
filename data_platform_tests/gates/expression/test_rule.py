"""A rule is broken or it is not, for every row; a rule that cannot be judged is an error, and not a pass."""

import json

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.errors import PolicyError
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.rule import plan
from data_platform.gates.expression.split import split
from data_platform.model.schema import Schema
from data_platform.sql.rule_text import Rule, policy_problems
from data_platform_tests.case import case_file, expected
from data_platform_tests.gates.orders import DECLARED, RULES, nullable, orders


def broken_rules(rows: DataFrame, rules: list[Rule], declared: Schema, key: str = "id") -> dict[str, list[str]]:
    """The rules that each row breaks, by the row's key; rows that break none are left out."""
    planned = plan(rows, rules, declared)
    answers = rows.select(F.col(key).cast("string").alias("_key"), *[c.alias(i) for i, c in planned.broken.items()])
    told = ((row["_key"], [rule for rule in planned.broken if row[rule]]) for row in answers.collect())
    return {key: rules for key, rules in told if rules}


def test_null_breaks_a_rule_on_a_required_column_and_no_other(spark: SparkSession) -> None:  # C22
    found = broken_rules(orders(spark), [*RULES], DECLARED)

    assert found == expected("C22")["quarantined"]
    counts = {rule.id: sum(rule.id in ids for ids in found.values()) for rule in RULES}
    assert counts == expected("C22")["violations_per_rule"]


def test_accepted_and_rejected_rows_are_all_rows_once(spark: SparkSession) -> None:  # C22
    rows = orders(spark)
    rules = [Rule(id="r1", expression="qty > 0"), Rule(id="r2", expression="discount <= 100")]
    parted = split(rows, plan(rows, rules, nullable("discount")).broken)

    accepted, rejected = parted.accepted.count(), parted.rejected.count()

    assert accepted + rejected == expected("C22")["total"]
    assert min(accepted, rejected) > 0


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        pytest.param("status NOT IN ('X', NULL)", "NOT IN never true", id="NULL in a list"),
        pytest.param("status NOT IN ('X', CAST(NULL AS STRING))", "NOT IN never true", id="NULL of a type"),
        pytest.param("status NOT IN ('X', nvl(NULL, NULL))", "NOT IN never true", id="NULL by a function"),
        pytest.param("status = NULL", "comparison with NULL", id="equals NULL"),
        pytest.param("qty > (CAST(NULL AS INT))", "comparison with NULL", id="more than NULL"),
        pytest.param(r"status RLIKE '\d+'", "loses the backslash", id="a pattern without its backslash"),
        pytest.param("rand() < 0.5", "same result each time", id="chance"),
        pytest.param("qty >", "not a Spark SQL expression", id="half a rule"),
    ],
)
def test_a_rule_that_no_row_can_answer_is_a_policy_error(spark: SparkSession, expression: str, problem: str) -> None:
    with pytest.raises(PolicyError, match=problem):
        plan(spark.range(1), [Rule(id="r9", expression=expression)], nullable())


def test_a_null_that_no_nullable_column_caused_breaks_the_rule(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(1, 6, 0), (2, 6, 3), (3, 6, None)], "id int, qty int, packs int")
    rule = Rule(id="r", expression="try_divide(qty, packs) > 1")

    assert broken_rules(rows, [rule], nullable("qty", "packs")) == {"1": ["r"]}


def test_a_null_field_of_a_nullable_struct_is_not_judged(spark: SparkSession) -> None:
    values = [
        (1, ("123", (1,))),
        (2, None),
        (3, (None, (1,))),
        (4, ("x", (1,))),
        (5, ("123", None)),
        (6, (None, (-1,))),
    ]
    rows = spark.createDataFrame(values, "id int, s struct<zip:string,deep:struct<n:int>>")
    rules = [Rule(id="zip", expression="S.zip RLIKE '^[0-9]{3}$'"), Rule(id="n", expression="s.deep.N > 0")]

    assert broken_rules(rows, rules, nullable("s")) == {"4": ["zip"], "6": ["n"]}
    assert broken_rules(rows, rules, Schema(())).keys() == {"2", "3", "4", "5", "6"}  # the column is required


def test_numbers_that_are_none_break_a_rule_that_bounds_both_sides(spark: SparkSession) -> None:  # C24
    values = [(1, float("nan")), (2, float("inf")), (3, float("-inf")), (6, None), (8, 5.0)]
    rows = spark.createDataFrame(values, "id int, x double")

    found = broken_rules(rows, [Rule(id="x", expression="x > 0 AND x < 1000000")], Schema(()))

    assert [key for key, _ in values if str(key) not in found] == expected("C24")["valid_ids"]


@pytest.mark.parametrize(
    ("expression", "broken"),
    [
        pytest.param("sqrt(n) >= 0", ["1"], id="a root of a negative number"),
        pytest.param("coalesce(sqrt(n), 1) > 0", ["1"], id="with another value for NULL"),
        pytest.param("nvl(sqrt(n), 1) > 0 AND nvl2(text, sqrt(n), 1) > 0", ["1"], id="by nvl and nvl2"),
        pytest.param("least(sqrt(n), 100) <= 100", ["1"], id="with a limit"),
        pytest.param("greatest(sqrt(n), 0) >= 0", ["1"], id="with a least value"),
        pytest.param("sqrt(n) IS NOT NULL", ["1"], id="only compared with NULL"),
        pytest.param("n * 4e307 > -1e308", ["1", "3"], id="a product beyond DOUBLE"),
        pytest.param("n * 4e307 - n * 4e307 <= 0", ["3"], id="NaN by plain arithmetic"),
        pytest.param("cast(n * 1e38 as float) > -1", ["1", "2", "3"], id="beyond FLOAT"),
        pytest.param("n < 0 OR sqrt(n) > 0", [], id="not computed behind OR"),
        pytest.param("n < 0 OR n > 99 OR sqrt(n) > 0", [], id="not computed behind two"),
        pytest.param("n > 99 OR NULL OR sqrt(n) > -9", ["1"], id="computed behind NULL"),
        pytest.param("1 / (n * 4e307) > -9", ["3"], id="a divisor beyond DOUBLE"),
        pytest.param(" + ".join(f"n * {place}.5" for place in range(60)) + " > -1e9", [], id="a long sum"),
        pytest.param("n" + " / 2" * 60 + " > -9", [], id="a long division"),
        pytest.param(" AND ".join(f"n * {place} < 999" for place in range(60)), [], id="many conditions"),
        pytest.param("sqrt(" * 6 + "abs(n)" + ")" * 6 + " > 0", [], id="many roots within each other"),
        pytest.param("NOT (n > 0 AND sqrt(n) < 0)", [], id="not computed behind AND"),
        pytest.param("CASE WHEN n < 0 THEN true ELSE sqrt(n) > 0 END", [], id="not computed in CASE"),
        pytest.param("if(n < 0, 1, sqrt(n)) > 0", [], id="not computed in if"),
        pytest.param("coalesce(n, sqrt(-n)) > -9", [], id="not computed behind a value"),
        pytest.param("n < double('Infinity')", [], id="a constant of the rule itself"),
        pytest.param("exists(array(n), x -> sqrt(x) > 2.5 OR n = 4)", ["1"], id="NaN within a lambda function"),
        pytest.param("cast(text as double) > 0", ["1", "2"], id="NaN and Infinity as text"),
        pytest.param("ceil(try_cast(text as double)) >= 0", ["1", "2"], id="rounded to a whole number"),
        pytest.param("NOT pow(n, 0.5) < 0", ["1"], id="negated"),
        pytest.param("exists(array(n), x -> acos(x / 10) > 0)", [], id="within a lambda function"),
        pytest.param("exp(n * 1000) >= 0", ["2", "3"], id="too large for a number"),
        pytest.param("isnan(sqrt(n)) OR n >= 0", [], id="the rule asks for NaN itself"),
        pytest.param("text <> 'sqrt(x) NaN'", [], id="a text that looks like one"),
    ],
)
def test_a_computed_number_that_is_not_finite_is_no_value(
    spark: SparkSession, expression: str, broken: list[str]
) -> None:
    values = [(1, -4.0, "NaN"), (2, 4.0, "Infinity"), (3, 9.0, "1.5")]
    rows = spark.createDataFrame(values, "id int, n double, text string")

    assert sorted(broken_rules(rows, [Rule(id="r", expression=expression)], nullable("n", "text"))) == broken


@pytest.mark.parametrize(
    ("expression", "advice"),
    [
        pytest.param("text::double > 0", "in place of ::", id="another way to cast"),
        pytest.param(f"{'sqrt(' * 20}n{')' * 20} > 1", "split it", id="many roots"),
    ],
)
def test_a_rule_in_which_nan_cannot_be_told_is_refused(expression: str, advice: str) -> None:
    [problem] = policy_problems([Rule(id="r", expression=expression)])

    assert advice in problem


def test_a_rule_that_errors_is_reported_beside_the_others(spark: SparkSession) -> None:  # C25
    rows = spark.read.csv(str(case_file("C25", "rows.csv")), schema="id int, amount int, email string", header=True)
    told = json.loads(case_file("C25", "rules.json").read_text())
    rules = [
        Rule(
            id=r["id"],
            expression=r.get("rule", ""),
            column=r.get("regex", {}).get("column", ""),
            pattern=r.get("regex", {}).get("pattern", ""),
        )
        for r in told
    ]

    planned = plan(rows, rules[:-1], nullable("email"))

    failed = {rule for ids in broken_rules(rows, rules[:-1], nullable("email")).values() for rule in ids}
    results = {
        **{rule: "fail" if rule in failed else "pass" for rule in planned.broken},
        **{rule: f"error: {reason}" for rule, reason in planned.errors.items()},
    }
    assert results == expected("C25")["results"]
    assert policy_problems(rules)[0].startswith(expected("C25")["contract_error"])


def test_a_rule_must_answer_true_or_false(spark: SparkSession) -> None:
    planned = plan(spark.range(1), [Rule(id="r", expression="id + 1")], nullable())

    assert planned.errors == {"r": "a rule is true or false, and this one is of type bigint"}


def test_a_pattern_is_of_the_whole_value_through_the_api_and_through_sql(spark: SparkSession) -> None:  # C27
    patterns = json.loads(case_file("C27", "patterns.json").read_text())
    values = json.loads(case_file("C27", "values.json").read_text())
    documented = {("digits", "١٢٣"): False, ("email", "A@EXAMPLE.COM"): False}
    for kind, pattern in patterns.items():
        rows = spark.createDataFrame([(value,) for value in values[kind]], "value string")
        broken = plan(rows, [Rule(id=kind, column="value", pattern=pattern)], nullable("value")).broken[kind]
        rows.select("value", broken.alias("broken")).createOrReplaceTempView("patterns")

        by_sql = {row["value"]: not row["broken"] for row in spark.sql("SELECT * FROM patterns").collect()}

        right = {v: documented.get((kind, v), holds) for v, holds in expected("C27")[kind].items()}
        assert by_sql == {**right, None: True}  # NULL is not judged by a pattern


def test_a_pattern_that_only_our_parentheses_would_close_is_an_error(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a",)], "value string")

    assert plan(rows, [Rule(id="r", column="value", pattern="a)|(b")], Schema(())).errors == {"r": "invalid regex"}


def test_a_name_with_a_dot_is_one_column(spark: SparkSession) -> None:  # C17
    rows = spark.createDataFrame([(4,)], "`a.b` int")

    assert rows.select(quoted("a.b")).first() == (4,)
    assert broken_rules(rows, [Rule(id="r", expression="`a.b` > 4")], Schema(()), key="`a.b`") == {"4": ["r"]}
