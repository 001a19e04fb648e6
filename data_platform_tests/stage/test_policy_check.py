"""What a run could never do is found before it: Spark is asked about every rule and step, on frames without rows."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from data_platform.policies import load_policies, problems_at
from data_platform.stage.policy_check import findings_of

ROOT = Path(__file__).parents[2]
NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
DAY = {"key": "day", "start": "2025-01-01"}
COLUMNS = {
    "day": "DATE", "id": "INT", "name": "STRING", "flag": "BOOLEAN", "amount": "DECIMAL(10,2)", "ratio": "DOUBLE",
    "at": "TIMESTAMP", "clock": "TIMESTAMP_NTZ", "raw": "BINARY", "tags": "ARRAY<STRING>", "sizes": "MAP<STRING,INT>",
    "item": "STRUCT<sku:STRING,qty:INT>", "items": "ARRAY<STRUCT<sku:STRING,qty:INT>>",
}  # fmt: skip
TOTALS = {"name": "STRING", "total": "BIGINT"}


def constraints(columns: dict[str, str], **more: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"field": name, "type": kind, **more.get(name, {})} for name, kind in columns.items()]


class Shop:
    """Orders, delivered as Parquet, and totals that a process makes of them; a test changes what it is about."""

    def __init__(self, folder: Path, spark: SparkSession) -> None:
        self.root, self.spark = folder / "policies", spark

    def orders(self, columns: dict[str, str] | None = None, **bundle: Any) -> None:
        self.dataset("orders", columns or COLUMNS, {"source": self.source("orders"), "partition": DAY}, **bundle)

    def source(self, name: str, form: str = "parquet") -> dict[str, str]:
        return {"format": form, "path": f"{name}/{{partition}}", "producer": "shop"}

    def dataset(self, name: str, columns: dict[str, str], policy: dict[str, Any], **bundle: Any) -> None:
        urn = {"urn": f"ds://shop/{name}", "owner_team": "shop", "tier": "TIER_3"}
        schema = {"constraints": constraints(columns), **bundle.pop("schema", {})}
        self.write(f"datasets/shop/{name}/dataset.yaml", urn | policy)
        self.write(f"datasets/shop/{name}/policy_bundle.yaml", {"schema": schema, **bundle})

    def totals(self, *steps: str, columns: dict[str, str] | None = None, **policy: Any) -> None:
        """Steps are called s0, s1, …, and read ``orders``."""
        self.dataset("totals", columns or TOTALS, {"process": "totals", **policy})
        self.process("totals", *steps)

    def process(self, name: str, *steps: str, inputs: tuple[str, ...] = ("orders",)) -> None:
        content = {
            "name": name, "owner_team": "shop", "output": f"ds://shop/{name}",
            "inputs": [{"dataset": f"ds://shop/{given}"} for given in inputs],
            "steps": [{"name": f"s{place}", "sql": sql} for place, sql in enumerate(steps)],
        }  # fmt: skip
        self.write(f"processes/{name}.yaml", content)

    def write(self, name: str, content: Any) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def problems(self) -> list[str]:
        return problems_of(self.spark, self.root)


def problems_of(spark: SparkSession, root: Path) -> list[str]:
    """What Spark has against policies that are right by themselves."""
    policies = load_policies(root)
    found = [finding for _, findings in findings_of(spark, policies, NOW) for finding in findings]
    return [str(problem) for problem in problems_at(root, found)]


@pytest.fixture
def shop(tmp_path: Path, spark: SparkSession) -> Shop:
    return Shop(tmp_path, spark)


IMPOSSIBLE_RULES = {
    "a constant that is no number": ("cast('abc' as int) = id", "CAST_INVALID_INPUT"),
    "a text beside a number": ("id = 'abc'", "CAST_INVALID_INPUT"),
    "a list of texts beside a number": ("id in ('a', 'b')", "CAST_INVALID_INPUT"),
    "a constant behind AND": ("id > 0 and cast('abc' as int) > id", "CAST_INVALID_INPUT"),
    "a constant in a lambda": ("exists(tags, t -> length(t) = cast('abc' as int))", "CAST_INVALID_INPUT"),
    "division by a constant zero": ("id / 0 > 1 or 1 / 0 > 1", "DIVIDE_BY_ZERO"),
    "a day of no calendar in a list": ("day in ('2025-13-01')", "CAST_INVALID_INPUT"),
    "a day of no calendar in BETWEEN": ("day between '2025-01-01' and '2025-02-30'", "CAST_INVALID_INPUT"),
    "a time of no clock": ("at in ('2025-01-01 25:00:00')", "CAST_INVALID_INPUT"),
    "a month of no calendar": ("make_date(2025, 13, 1) = day", "DATETIME_FIELD_OUT_OF_BOUNDS"),
    "a month of no calendar, in another year each row": ("make_date(id, 13, 1) = day", "DATETIME_FIELD_OUT_OF_BOUNDS"),
    "an interval of no unit": ("day > day - interval '1 banana'", "INVALID_TYPED_LITERAL"),
    "a boolean beside a number": ("flag = 1", "DATATYPE_MISMATCH"),
    "a date beside a number": ("day = 5", "DATATYPE_MISMATCH"),
    "a date as a number": ("cast(day as int) > 1", "DATATYPE_MISMATCH"),
    "a field that the struct has not": ("item.price > 1", "FIELD_NOT_FOUND"),
    "a field that the structs of an array have not": ("exists(items, i -> i.price > 1)", "FIELD_NOT_FOUND"),
    "an element of the wrong kind": ("tags['first'] = 'a'", "DATATYPE_MISMATCH"),
    "too many arguments": ("length(name, name) = 1", "WRONG_NUM_ARGS"),
    "too few arguments": ("hypot(id) > 1", "WRONG_NUM_ARGS"),
    "a part that dates have not": ("extract(fortnight from day) = 1", "INVALID_EXTRACT_FIELD"),
    "a number format without digits": ("to_char(amount, 'foo') = '1'", "INVALID_FORMAT"),
    "a collation of no language": ("name collate klingon = 'a'", "COLLATION_INVALID_NAME"),
    "letters that are no date pattern": ("date_format(at, 'bbbb') = '1'", "INVALID_DATETIME_PATTERN"),
    "a week year": ("date_format(at, 'YYYY-MM') = '1'", "DATETIME_PATTERN_RECOGNITION"),
    "a pattern that no text is parsed by": ("to_date(name, 'foo') = day", "INVALID_DATETIME_PATTERN"),
    "a pattern that try_ does not save": ("try_to_timestamp(name, 'foo') = at", "INVALID_DATETIME_PATTERN"),
    "a pattern of seconds": ("from_unixtime(id, 'foo') = 'a'", "INVALID_DATETIME_PATTERN"),
    "a regular expression in rlike": ("name rlike '*a'", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in regexp_like": ("regexp_like(name, '+a')", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in regexp_replace": ("regexp_replace(name, '*a', '') = 'b'", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in regexp_extract": ("regexp_extract(name, '(?<1>a)', 1) = 'b'", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in regexp_count": ("regexp_count(name, 'a{2,1}') = 1", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in regexp_instr": ("regexp_instr(name, '?') = 1", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in split": ("size(split(name, '*')) = 1", "PatternSyntaxException"),
    "in a rule that most rows do not reach": (
        "flag is null or (id > 5 and not name rlike '*a')", "INVALID_PARAMETER_VALUE.PATTERN",
    ),
    "in a branch": ("case when id > 1 then name rlike '*a' else true end", "INVALID_PARAMETER_VALUE.PATTERN"),
    "in a lambda": ("forall(tags, t -> t rlike '*a')", "INVALID_PARAMETER_VALUE.PATTERN"),
    "a time zone that does not exist": ("from_utc_timestamp(at, 'Mars/Crater') = at", "INVALID_TIMEZONE"),
    "a code page that does not exist": ("encode(name, 'klingon') = raw", "INVALID_PARAMETER_VALUE.CHARSET"),
    "a day of no week": ("next_day(day, 'noday') = day", "ILLEGAL_DAY_OF_WEEK"),
    "the element before the first": ("element_at(tags, 0) = 'a'", "INVALID_INDEX_OF_ZERO"),
    "a place before the first": ("tags[-1] = 'a'", "INVALID_ARRAY_INDEX"),
    "the part before the first": ("split_part(name, ',', 0) = 'a'", "INVALID_INDEX_OF_ZERO"),
    "a slice from nothing": ("size(slice(tags, 0, 1)) = 1", "INVALID_PARAMETER_VALUE.START"),
    "a format of another type": ("format_string('%d', name) = '1'", "IllegalFormatConversionException"),
    "a format of no type": ("format_string('%y', id) = '1'", "UnknownFormatConversionException"),
    "the fifth of two": ("elt(5, name, name) = 'a'", "INVALID_ARRAY_INDEX"),
    "separators of a map": ("str_to_map(name, '*a', ':')['a'] = '1'", "PatternSyntaxException"),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "reason"), [pytest.param(*case, id=name) for name, case in IMPOSSIBLE_RULES.items()])
def test_a_rule_that_no_row_could_be_asked_is_a_problem(shop: Shop, rule: str, reason: str) -> None:
    rules = [{"id": "right", "rule": "day > date'2020-01-01'"}, {"id": "wrong", "rule": rule}]
    shop.orders(read_by(rule), contract={"invariants": rules})

    [problem] = shop.problems()

    assert problem.startswith("policies/datasets/shop/orders/policy_bundle.yaml:")
    assert ": contract.invariants[1]: rule wrong: [" in problem
    assert reason in problem
    assert "\n" not in problem
    assert "SQLSTATE" not in problem


AWKWARD_RULES = [
    "1 / amount > 0",
    "id % amount = 0",
    "cast(name as int) > 0",
    "cast(name as date) = day",
    "to_date(name, 'dd.MM.yyyy') = day",
    "to_date(name, 'yyyyMMdd') <= current_date()",
    "to_timestamp(name, \"yyyy-MM-dd'T'HH:mm:ss\") <= now()",
    "to_number(name, '999.99') > 1",
    "date_format(at, 'EEEE, d MMMM yyyy') <> ''",
    "unix_timestamp(name) > 0",
    "tags[0] = 'a'",
    "tags[id] = 'a'",
    "element_at(tags, id) = 'a'",
    "element_at(tags, -1) = 'a'",
    "element_at(sizes, name) = 1",
    "split(name, ',')[3] = 'a'",
    "split_part(name, ',', id) = 'a'",
    "slice(tags, id, 2)[0] = 'a'",
    "from_utc_timestamp(at, name) = at",
    "next_day(day, name) = day",
    "date_format(at, name) = 'a'",
    "encode(name, name) = raw",
    "name rlike name",
    "regexp_replace(name, name, '') = ''",
    "make_date(id, id, id) = day",
    "elt(id, name, 'b') = 'a'",
    "make_date(id, 2, 29) is not null",
    "conv(name, 16, 10) > '1'",
    "power(id, 1000) > 1 and exp(ratio) > 0",
    "factorial(id) > 1",
    "case when id = 0 then true else 1 / id > 0 end",
    "if(flag, cast(name as double) > 0, true)",
    "coalesce(try_cast(name as int), 0) >= 0",
    "case when flag then 1 / 0 > 1 else true end",
    "item.qty > 0 and item.sku rlike '[A-Z]{3}'",
    "forall(items, i -> i.qty > 0)",
    "aggregate(items, 0, (n, i) -> n + i.qty) < 100",
    "exists(map_keys(sizes), k -> k = 'xl')",
    "name like '%a\\\\_b%' escape '\\\\'",
    "name not rlike '(?i)^(na|n/a)$'",
    "name collate unicode_ci = 'Ä'",
    "name in ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l')",
    "id between -1 and 3000000000",
    "amount = 1e5",
    "clock < timestamp_ntz'2030-01-01 00:00:00'",
    "cast(at as date) = day",
    "day >= date'0001-01-01' and day < add_months(current_date(), 120)",
    "datediff(current_date(), day) >= 0",
    "at > current_timestamp() - interval 400 days",
    "at + interval '1 02:03:04' day to second > at",
    "raw is null or length(raw) > 0",
    "flag",
    "not flag or id is not null",
    "true",
]


@pytest.mark.parametrize("rule", AWKWARD_RULES)
def test_a_rule_that_some_row_can_be_asked_is_none(shop: Shop, rule: str) -> None:
    shop.orders(read_by(rule), contract_lite={"invariants": [rule]})

    assert shop.problems() == []


def read_by(rule: str) -> dict[str, str]:
    """The columns that a rule names, and the day: planning the others takes most of the time."""
    return {name: kind for name, kind in COLUMNS.items() if name == "day" or re.search(rf"\b{name}\b", rule)}


def test_columns_of_any_name_are_columns(shop: Shop) -> None:
    names = ["select", "a-b", "größe", "日付", "order", "x`y", "UPPER", "count", "value", "current"]
    rules = ["`select` > 0", "`a-b` > 0", "`größe` > 0", "`日付` > 0", "`order` > 0", "`x``y` > 0", "upper > 0",
             "`count` + `value` > 0", "current > 0"]  # fmt: skip
    shop.orders(
        {"day": "DATE", **dict.fromkeys(names, "INT")},
        contract={"unique": [["select", "a-b", "größe"]], "invariants": rules},
        contract_lite={"invariants": [{"id": f"lite_{place}", "rule": rule} for place, rule in enumerate(rules)]},
        dq={"metrics": [{"field": "a-b", "min_mean": 0}]},
    )

    assert shop.problems() == []


def test_a_dotted_column_is_one_column(shop: Shop) -> None:
    shop.orders({"day": "DATE", "a.b": "INT"}, contract={"invariants": ["`a.b` > 0"], "unique": ["a.b"]})

    assert shop.problems() == []


def test_a_column_that_the_platform_adds_is_no_declared_one(shop: Shop) -> None:
    shop.orders({"day": "DATE", "_raw": "STRING"})

    [problem] = shop.problems()

    assert "policy_bundle.yaml:" in problem
    assert "schema.constraints" in problem
    assert "_raw" in problem


def test_a_pattern_that_java_rejects_is_reported_at_its_column(shop: Shop) -> None:
    shop.orders(schema={"constraints": constraints({"day": "DATE", "name": "STRING"}, name={"pattern": "*a"})})

    [problem] = shop.problems()

    assert "schema.constraints[1].pattern: [PatternSyntaxException] Dangling meta character '*'" in problem


def test_a_key_that_is_not_there_when_rows_are_asked_is_a_problem_of_the_lite_contract_only(shop: Shop) -> None:
    """The platform adds a partition's key that is not delivered when it writes silver, after the rows were asked."""
    rule = "day > date'2020-01-01'"
    shop.orders({"id": "INT"}, contract={"invariants": [rule]})
    assert shop.problems() == []

    shop.orders({"id": "INT"}, contract_lite={"invariants": [rule]})
    [problem] = shop.problems()

    assert "contract_lite.invariants[0]" in problem
    assert "day" in problem


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_rows_of_any_format_can_be_asked(shop: Shop, form: str) -> None:
    columns = {name: kind for name, kind in COLUMNS.items() if "<" not in kind and kind != "BINARY"}
    pii = {"detection": [{"pattern": "EMAIL", "action": "tokenize"}, {"pattern": "PHONE", "action": "mask"}]}
    shop.dataset(
        "orders", columns, {"source": shop.source("orders", form), "partition": DAY}, pii=pii,
        dq={"metrics": [{"field": "amount", "min_mean": 0, "min_distinct": 1}]},
        contract={"unique": ["id", {"fields": ["name"], "compare": ["trim", "unicode"]}]},
    )  # fmt: skip

    assert shop.problems() == []


IMPOSSIBLE_STEPS = {
    "a column that is grouped by nothing": (["SELECT name, sum(id) AS total FROM orders"], 0, "MISSING_GROUP_BY"),
    "a column beside a group": (
        ["SELECT name, id AS total FROM orders GROUP BY name"], 0, "MISSING_AGGREGATION",
    ),
    "an aggregate in WHERE": (
        ["SELECT name, id AS total FROM orders WHERE sum(id) > 1"], 0, "INVALID_WHERE_CONDITION",
    ),
    "a union of different widths": (
        ["SELECT name, id AS total FROM orders UNION ALL SELECT name FROM orders"], 0, "NUM_COLUMNS_MISMATCH",
    ),
    "a union of different types": (
        ["SELECT name, id AS total FROM orders UNION ALL SELECT name, tags FROM orders"], 0, "INCOMPATIBLE_COLUMN_TYPE",
    ),
    "a place that GROUP BY has not": (
        ["SELECT name, sum(id) AS total FROM orders GROUP BY 3"], 0, "GROUP_BY_POS_OUT_OF_RANGE",
    ),
    "a place that ORDER BY has not": (["SELECT name, id AS total FROM orders ORDER BY 9"], 0, "ORDER_BY_POS_OUT_OF"),
    "a column of two tables": (
        ["SELECT name, a.id AS total FROM orders a JOIN orders b ON a.id = b.id"], 0, "AMBIGUOUS_REFERENCE",
    ),
    "columns twice by the star of a join": (
        ["SELECT * FROM orders a JOIN orders b ON a.id = b.id", "SELECT 'a' AS name, 1L AS total FROM s0"], 0,
        "more than once; give each column a name of its own",
    ),
    "a wrong type": (["SELECT name, avg(ratio) AS total FROM orders GROUP BY name"], 0, "total: BIGINT -> DOUBLE"),
    "a wrong type of a step before": (
        ["SELECT name, amount FROM orders", "SELECT name, max(amount) AS total FROM s0 GROUP BY name"], 1,
        "total: BIGINT -> DECIMAL(10,2)",
    ),
    "a star that brings too much": (["SELECT * EXCEPT (id), id AS total FROM orders"], 0, "day: added"),
    "a window without order": (
        ["SELECT name, row_number() OVER (PARTITION BY flag) AS total FROM orders"], 0, "WINDOW",
    ),
    "a window in WHERE": (
        ["SELECT name, id AS total FROM orders WHERE row_number() OVER (ORDER BY id) = 1"], 0, "WHERE",
    ),
    "a join on no boolean": (
        ["SELECT a.name, a.id AS total FROM orders a JOIN orders b ON a.id + b.id"], 0, "JOIN_CONDITION_IS_NOT_BOOLEAN",
    ),
    "a filter of no boolean": (["SELECT name, id AS total FROM orders WHERE name"], 0, "FILTER_NOT_BOOLEAN"),
    "a subquery of two columns": (
        ["SELECT name, (SELECT id, id AS i FROM orders LIMIT 1) AS total FROM orders"], 0, "SUBQUERY",
    ),
    "a field that the struct has not": (["SELECT item.price AS name, id AS total FROM orders"], 0, "FIELD_NOT_FOUND"),
    "a constant that is no number": (
        ["SELECT name, id FROM orders", "SELECT name, sum(id + cast('x' as int)) AS total FROM s0 GROUP BY name"], 1,
        "CAST_INVALID_INPUT",
    ),
    "a pattern in a step before the last": (
        ["SELECT regexp_replace(name, '*a', '') AS name, id FROM orders",
         "SELECT name, sum(id) AS total FROM s0 GROUP BY name"], 0, "INVALID_PARAMETER_VALUE.PATTERN",
    ),
    "a pattern in a subquery": (
        ["SELECT name, id AS total FROM orders WHERE id IN (SELECT id FROM orders WHERE name rlike '*a')"], 0,
        "INVALID_PARAMETER_VALUE.PATTERN",
    ),
    "a date pattern in a join": (
        ["SELECT a.name, a.id AS total FROM orders a JOIN orders b ON date_format(a.at, 'bbbb') = b.name"], 0,
        "INVALID_DATETIME_PATTERN",
    ),
    "a frame of nothing": (["SELECT name, ntile(0) OVER (ORDER BY id) AS total FROM orders"], 0, "VALUE_OUT_OF_RANGE"),
    "a day of no dataset without partitions": (
        ["SELECT name, id AS total FROM orders WHERE day = :partition"], 0, "UNBOUND_SQL_PARAMETER",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "step", "reason"), [pytest.param(*case, id=name) for name, case in IMPOSSIBLE_STEPS.items()]
)
def test_a_step_that_no_run_could_compute_is_a_problem(shop: Shop, steps: list[str], step: int, reason: str) -> None:
    shop.orders()
    shop.totals(*steps, columns={**TOTALS, "total": "INT"} if "pattern" in reason.lower() else None)

    [problem] = shop.problems()

    assert problem.startswith("policies/processes/totals.yaml:")
    assert f": steps[{step}].sql: " in problem
    assert reason in problem
    assert "\n" not in problem
    assert "SQLSTATE" not in problem


def test_spark_names_the_line_of_a_query_in_its_own_file(shop: Shop) -> None:
    shop.orders()
    shop.totals("SELECT 1")
    shop.process("totals")
    document = yaml.safe_load((shop.root / "processes" / "totals.yaml").read_text())
    shop.write("processes/totals.yaml", {**document, "steps": [{"name": "made", "sql_file": "made.sql"}]})
    query = "SELECT\n  name,\n  cast(sum(id) as bigint) AS total\nFROM orders\nGROUP BY name, length(name, name)\n"
    (shop.root / "processes" / "made.sql").write_text(query)

    [problem] = shop.problems()

    assert problem.startswith("policies/processes/made.sql:5: step made: [WRONG_NUM_ARGS")


def test_steps_that_can_be_computed_are_no_problem(shop: Shop) -> None:
    shop.orders()
    shop.totals(
        "SELECT *, 1 / amount AS inverse, cast(name as int) AS number FROM orders WHERE day = :partition",
        "SELECT name, count_if(flag) AS flags, approx_percentile(ratio, 0.5) AS middle,"
        " max_by(item.sku, at) AS latest FROM s0 GROUP BY ALL HAVING 1 / count(id) > 0",
        "WITH ranked AS (SELECT *, row_number() OVER (PARTITION BY name ORDER BY flags DESC) AS place FROM s1)"
        " SELECT r.name, cast(r.flags as bigint) AS total FROM ranked r LEFT ANTI JOIN s1 ON s1.name = r.latest"
        " WHERE place = 1 UNION ALL SELECT cast(hour(now()) as string), 0 FROM s0"
        " LATERAL VIEW explode(items) AS one WHERE one.qty > (SELECT avg(id) FROM orders)",
        partition={**DAY, "time_zone": "Europe/Berlin", "of_delivery": True},
    )

    assert shop.problems() == []


def test_a_process_reads_what_another_one_makes_and_several_inputs(shop: Shop) -> None:
    shop.orders()
    shop.totals("SELECT name, sum(id) AS total FROM orders GROUP BY name", partition=DAY)
    shop.dataset("report", {"name": "STRING", "share": "DOUBLE"}, {"process": "report", "partition": DAY})
    query = "SELECT t.name, t.total / sum(o.id) AS share FROM totals t JOIN orders o USING (name) GROUP BY {}"
    shop.process("report", query.format("t.name, t.total"), inputs=("totals", "orders"))
    assert shop.problems() == []

    shop.process("report", query.format("t.name"), inputs=("totals", "orders"))

    [problem] = shop.problems()
    assert problem.startswith("policies/processes/report.yaml:")
    assert "MISSING_AGGREGATION" in problem


def test_an_input_of_which_no_column_is_declared_is_not_asked(shop: Shop) -> None:
    shop.dataset("rates", {}, {})
    shop.dataset("totals", TOTALS, {"process": "totals"})
    shop.process("totals", "SELECT name, sum(total) AS total FROM rates GROUP BY 9", inputs=("rates",))

    assert shop.problems() == []


def test_the_zone_of_the_dataset_is_that_of_its_rules(shop: Shop) -> None:
    """A clock time in a rule is read in the session of its dataset, which has its own zone."""
    shop.dataset(
        "orders", {"at": "TIMESTAMP", "clock": "TIMESTAMP_NTZ"}, {"source": {**shop.source("orders"), "path": "orders"},
        "time_zone": "America/New_York"}, contract={"invariants": ["at > clock and date(at) = date(clock)"]},
    )  # fmt: skip

    assert shop.problems() == []
    assert shop.spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_all_problems_are_reported_together(shop: Shop) -> None:
    shop.orders(
        contract_lite={"invariants": [{"id": "one", "rule": "flag = 1"}]},
        contract={"invariants": [{"id": "two", "rule": "name rlike '*'"}, {"id": "three", "rule": "id = 'x'"}]},
    )
    shop.totals("SELECT name, sum(id) AS total FROM orders")

    places = [problem.split(": ")[1] for problem in shop.problems()]

    assert places == ["contract_lite.invariants[0]", "contract.invariants[0]", "contract.invariants[1]", "steps[0].sql"]


@pytest.mark.parametrize(
    "root",
    [
        pytest.param(ROOT / "policies", id="the demo's"),
        pytest.param(ROOT / "data_platform" / "starter" / "template" / "policies", id="of a new repository"),
        *(
            pytest.param(path, id=path.parent.name)
            for path in sorted((ROOT / "data_platform_tests" / "cases").glob("*/policies"))
        ),
    ],
)
def test_policies_that_run_are_no_problem(spark: SparkSession, root: Path) -> None:
    assert problems_of(spark, root) == []
