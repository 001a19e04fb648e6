"""Rules and steps run no code: what could is refused when policies are read, however it is spelt."""

from pathlib import Path

import pytest

from data_platform.sql.check import expression_problems, query_problems
from data_platform.sql.function import FUNCTIONS, GROUPS, functions_page

ROOT = Path(__file__).parents[2]

CODE = [
    pytest.param("reflect('java.lang.System', 'getenv', 'HOME') = 'x'", id="reflect"),
    pytest.param("REFLECT ('java.lang.System', 'getenv', 'HOME') = 'x'", id="in capitals, with a blank"),
    pytest.param("reflect/* a comment */('java.lang.System', 'getenv', 'HOME') = 'x'", id="with a comment within"),
    pytest.param("reflect\n('java.lang.System', 'getenv', 'HOME') = 'x'", id="over two lines"),
    pytest.param("`reflect`('java.lang.System', 'getenv', 'HOME') = 'x'", id="in backticks"),
    pytest.param("system.builtin.reflect('a', 'b') = 'x'", id="qualified"),
    pytest.param("`system`.`builtin`.`java_method`('a', 'b') = 'x'", id="qualified in backticks"),
    pytest.param("spark_catalog.default.upper('a') = 'x'", id="a name of a catalog"),
    pytest.param("try_reflect('a', 'b') = 'x'", id="try_reflect"),
    pytest.param("identifier('reflect')('a', 'b') = 'x'", id="identifier as a function"),
    pytest.param("identifier('total') > 0", id="identifier as a column"),
    pytest.param("exists(array(1), x -> reflect('a', 'b') = x)", id="within a lambda"),
    pytest.param("coalesce(total, if(true, java_method('a', 'b'), 0)) > 0", id="deep inside"),
    pytest.param("input_file_name() = 'x'", id="name of the file"),
    pytest.param("_metadata.file_path = 'x'", id="hidden column of files"),
    pytest.param("current_user() = 'x'", id="who runs it"),
    pytest.param("current_user = 'x'", id="who runs it, without parentheses"),
    pytest.param("SESSION_USER = 'x'", id="who opened the session"),
    pytest.param("current_time < now()", id="the time of the session"),
    pytest.param("`current_user` = 'x'", id="who runs it, in backticks"),
    pytest.param("current_catalog() = 'x'", id="the session's catalog"),
    pytest.param("version() = 'x'", id="Spark's version"),
    pytest.param("'${env:HOME}' = 'x'", id="a variable of the environment"),
    pytest.param("total > ${spark:spark.master}", id="a setting of the session"),
    pytest.param("raise_error('x') IS NULL", id="ends the job"),
    pytest.param("from_avro(note, '{}', map('a', 'b')) IS NULL", id="another format"),
    pytest.param("from_xml(note, 'a INT') IS NULL", id="XML"),
    pytest.param("xpath_string(note, 'a') = 'x'", id="XPath"),
    pytest.param("ai_query('m', note) = 'x'", id="a model"),
    pytest.param("http_request(note) = 'x'", id="the network"),
    pytest.param("read_files('/etc/passwd') = 'x'", id="files"),
    pytest.param("my_function(total) > 0", id="a function of somebody"),
    pytest.param("length(repeat('a', 2000000000)) > 0", id="a text of any size"),
    pytest.param("size(sequence(1, 2000000000)) > 0", id="an array of any size"),
    pytest.param("length(space(2000000000)) > 0", id="blanks"),
    pytest.param("size(array_repeat(1, 2000000000)) > 0", id="array_repeat"),
    pytest.param("length(lpad(note, 2000000000, 'x')) > 0", id="lpad to any length"),
    pytest.param("length(rpad(note, total, 'x')) > 0", id="rpad to a length from the data"),
    pytest.param("length(format_string('%2000000000d', 1)) > 0", id="a format of any width"),
    pytest.param("length(printf(note, 1)) > 0", id="a format from the data"),
    pytest.param("length(format_number(total, 2000000000)) > 0", id="digits of any number"),
    pytest.param("format_number(total, total) = note", id="digits from the data"),
    pytest.param("round(total, 600000000) = 1", id="a power of ten of any size"),
    pytest.param("bround(total, -600000000) = 1", id="a negative power of ten"),
    pytest.param("round(expr => total, scale => 600000000) = 1", id="an argument by its name"),
    pytest.param("ceil(total, 500000000) = 1 OR floor(total, 500000000) = 1", id="ceil and floor"),
    pytest.param("length(aggregate(tags, 'x', (a, t) -> concat(a, a))) > 0", id="a text that doubles"),
    pytest.param("length(reduce(tags, note, (a, t) -> a || a)) > 0", id="a column that doubles"),
    pytest.param("size(aggregate(tags, CAST(1 AS STRING), (a, t) -> a || a)) > 0", id="a cast that doubles"),
    pytest.param("count_min_sketch(total, 0.000000001D, 0.99D, 1) IS NULL", id="a sketch of any size"),
    pytest.param("approx_count_distinct(total, 0.0000001) > 0", id="registers of any number"),
    pytest.param("window(day, '365 days', '1 second') IS NULL", id="windows of any number"),
    pytest.param("rand() < 0.5", id="chance"),
    pytest.param("uuid() <> note", id="uuid"),
    pytest.param("{# reflect( #} total > 0", id="a template"),
    pytest.param("-- a \\\ntotal > 0", id="a comment that Spark reads on"),
    pytest.param("r'\\' || reflect(1) || '\\'' = note", id="a raw string with two readings"),
    pytest.param("total > 0\x00", id="NUL"),
    pytest.param("@total > 0", id="a variable"),
    pytest.param("(" * 60 + "total" + ")" * 60 + " > 0", id="nested deep"),
    pytest.param("NOT " * 1000 + "total > 0", id="NOT a thousand times"),
    pytest.param("- " * 3000 + "1 < total", id="minus three thousand times"),
    pytest.param(" AND ".join(["total > 0"] * 2000), id="two thousand ANDs"),
    pytest.param("total > 0 OR note = '" + "x" * 60_000 + "'", id="very long"),
]


@pytest.mark.parametrize("text", CODE)
def test_a_rule_that_could_run_code_is_refused(text: str) -> None:
    assert expression_problems(text)


@pytest.mark.parametrize("text", CODE)
def test_a_step_that_could_run_code_is_refused(text: str) -> None:
    assert query_problems(f"SELECT ({text}) AS a FROM orders", ("orders",))  # noqa: S608
    assert query_problems(f"WITH o AS (SELECT * FROM orders WHERE {text}) SELECT 1 FROM o", ("orders",))  # noqa: S608


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(select count(*) from text.`/etc/passwd`) > 1", id="of a file"),
        pytest.param("total IN (SELECT total FROM orders)", id="in a list"),
        pytest.param("EXISTS (SELECT 1)", id="of nothing"),
        pytest.param("total IN (VALUES 1)", id="VALUES"),
        pytest.param("(TABLE orders) > 1", id="TABLE"),
        pytest.param("(FROM orders) > 1", id="FROM alone"),
        pytest.param("sum(total) > 0", id="an aggregate"),
        pytest.param("row_number() OVER (ORDER BY total) > 1", id="a window"),
        pytest.param("total > lag(total) OVER (ORDER BY total)", id="the row before"),
        pytest.param("explode(array(true))", id="several rows"),
        pytest.param("total > :partition", id="a parameter"),
        pytest.param("total > ?", id="a parameter without a name"),
        pytest.param("total > 0; DROP TABLE orders", id="a second statement"),
        pytest.param("SELECT total > 0", id="a query"),
        pytest.param("SET spark.x = 1", id="a setting"),
        pytest.param("DROP TABLE orders", id="a drop"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_rule_reads_the_columns_of_its_row_only(text: str) -> None:
    assert expression_problems(text)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT * FROM text.`/etc/passwd`", id="a file"),
        pytest.param("SELECT * FROM delta.`/lake/gold/orders`", id="an uncertified table"),
        pytest.param("SELECT * FROM gold_certified.orders", id="a view that is no input"),
        pytest.param(
            "WITH `text./etc/passwd` AS (SELECT 1) SELECT * FROM text.`/etc/passwd`", id="a WITH of the name of a file"
        ),
        pytest.param("WITH orders AS (SELECT 1 AS a) SELECT * FROM orders", id="a WITH that hides an input"),
        pytest.param("SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) JOIN x", id="a WITH of another query"),
        pytest.param("SELECT * FROM orders WHERE a IN (SELECT value FROM text.`/etc/passwd`)", id="a subquery"),
        pytest.param("SELECT user FROM orders", id="who runs it"),
        pytest.param("SELECT * FROM range(1000000000)", id="range"),
        pytest.param("SELECT * FROM explode(array(1))", id="a table function"),
        pytest.param("SELECT * FROM TABLE(orders)", id="TABLE()"),
        pytest.param("SELECT * FROM orders, LATERAL range(1000000000)", id="a lateral table function"),
        pytest.param("SELECT * FROM read_files('/etc')", id="read_files"),
        pytest.param("SELECT * FROM identifier('gold.orders')", id="identifier()"),
        pytest.param("SELECT * FROM IDENTIFIER ('gold' || '.orders')", id="identifier of a text"),
        pytest.param("SELECT * FROM STREAM orders", id="a stream"),
        pytest.param("SELECT * FROM orders VERSION AS OF 0", id="another version"),
        pytest.param("SELECT * FROM orders TIMESTAMP AS OF '2020-01-01'", id="another time"),
        pytest.param("SELECT * FROM orders TABLESAMPLE (10 PERCENT)", id="a sample"),
        pytest.param("SELECT TRANSFORM (a) USING 'cat /etc/passwd' AS (b) FROM orders", id="a script"),
        pytest.param("FROM orders MAP a USING 'cat' AS b", id="a script by MAP"),
        pytest.param("FROM orders REDUCE a USING 'cat' AS b", id="a script by REDUCE"),
        pytest.param("FROM orders |> SELECT a", id="a pipe"),
        pytest.param("SELECT /*+ REPARTITION(1000000) */ a FROM orders", id="a hint for a million tasks"),
        pytest.param("SELECT /*+ SET_VAR(x = 1) */ a FROM orders", id="a hint for the session"),
        pytest.param("SELECT stack(1000000000, 1) FROM orders", id="stack"),
        pytest.param("SELECT a FROM orders LATERAL VIEW explode(sequence(1, 1000000000)) t AS x", id="a lateral view"),
        pytest.param("SELECT a FROM orders LATERAL VIEW reflect('a', 'b') t AS x", id="reflect in a lateral view"),
        pytest.param("SELECT a FROM VALUES (reflect('a', 'b')) AS t(a)", id="VALUES"),
        pytest.param(
            "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n) SELECT a FROM n", id="a recursion"
        ),
        pytest.param("SELECT a FROM orders WHERE dt = ?", id="a parameter without a name"),
        pytest.param("EXECUTE IMMEDIATE 'SELECT 1'", id="execute immediate"),
        pytest.param("DECLARE x INT", id="a variable"),
        pytest.param("SET x = 1", id="a setting"),
        pytest.param("ADD JAR '/tmp/x.jar'", id="a jar"),
        pytest.param("CREATE TEMPORARY FUNCTION f AS 'java.lang.String'", id="a function"),
        pytest.param("CREATE TABLE x AS SELECT 1", id="a table"),
        pytest.param("VACUUM orders", id="a vacuum"),
        pytest.param("DESCRIBE HISTORY orders", id="a history"),
        pytest.param("INSERT OVERWRITE DIRECTORY '/tmp/x' USING csv SELECT 1", id="a write"),
        pytest.param("FROM orders INSERT INTO x SELECT a", id="a write after its FROM"),
        pytest.param("BEGIN SELECT 1; END", id="a script of SQL"),
        pytest.param("EXPLAIN SELECT 1", id="a plan"),
        pytest.param("REFRESH TABLE orders", id="a refresh"),
        pytest.param("SELECT 1 FROM orders GROUP BY CUBE(a, b, c, d, e, f, g, h, i)", id="a cube of nine"),
        pytest.param("SELECT 1 FROM orders GROUP BY a, b, c, d, e, f, g, h, i WITH CUBE", id="WITH CUBE"),
        pytest.param("SELECT 1 FROM orders GROUP BY CUBE(a, b, c, d, e), CUBE(f, g, h, i)", id="a cube of cubes"),
        pytest.param("SELECT * FROM orders, json.`/etc/hosts`", id="a file beside an input"),
        pytest.param("SELECT a FROM orders LIMIT (SELECT count(*) FROM text.`/etc/passwd`)", id="a file in LIMIT"),
        pytest.param("SELECT * FROM sql_keywords()", id="sql_keywords"),
    ],
)
def test_a_step_reads_its_inputs_and_the_steps_before_it_only(sql: str) -> None:
    assert query_problems(sql, ("orders",))


ALLOWED = [
    "total > 0 AND note RLIKE '^[a-z]+$' OR note IS NULL",
    "total BETWEEN 1 AND 10 AND note NOT IN ('a', 'b')",
    "forall(tags, t -> length(t) > 0) AND size(tags) < 5",
    "exists(filter(tags, t -> t LIKE 'a%'), t -> t = 'ab')",
    "CAST(total AS DECIMAL(10, 2)) = total AND note::STRING = trim(BOTH ' ' FROM note)",
    "CASE WHEN total > 0 THEN (note = 'a') ELSE true END",
    "to_date(note, 'yyyy-MM-dd') <= current_date() AND date_diff(current_date, DATE'2020-01-01') > 0",
    "extract(YEAR FROM day) = 2025 AND day + INTERVAL 1 DAY > DATE'2024-01-01'",
    "note LIKE ANY ('a%', 'b%') AND substring(note FROM 1 FOR 2) = 'ab'",
    "lpad(note, 8, '0') = format_string('%08d', total) AND element_at(tags, 1) = tags[0]",
    "coalesce(from_json(note, 'a INT').a, 0) >= 0 AND get_json_object(note, '$.a') IS NOT NULL",
    "user = 'ann' AND substring(note FROM 1 FOR 2) IS DISTINCT FROM 'ab'",
    "-- with a comment\ntotal > 0 /* and /* another */ */",
    "`left` > `a b` AND left(note, 2) = right(note, 2)",
    "aggregate(tags, 0, (a, t) -> a + length(t)) < 100",
    "IF(total > 0, note IS NOT NULL, note IS NULL)",
    "round(total, 2) = total AND round(total, -2) = 100 AND ceil(total) = floor(total, 1)",
    "format_number(total, 2) = note OR format_number(total, '#,###.00') = note",
    "aggregate(tags, CAST(0 AS DECIMAL(10, 2)), (a, t) -> a + length(t)) < 100",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_a_rule_may_be(text: str) -> None:
    assert expression_problems(text) == ()


QUERIES = [
    "SELECT window(t, '1 hour').start, approx_count_distinct(a, 0.05) FROM orders GROUP BY ROLLUP(a, b), CUBE(c, d)",
    "SELECT *, row_number() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST) AS n FROM orders QUALIFY n = 1",
    "WITH t(a, b) AS (SELECT a, b FROM orders) SELECT t.a, count(DISTINCT b) FILTER (WHERE b > 0) FROM t GROUP BY t.a",
    "SELECT /*+ BROADCAST(s) */ o.a, s.b FROM orders AS o LEFT ANTI JOIN shops AS s USING (k)",
    "SELECT a, x FROM orders LATERAL VIEW OUTER posexplode(tags) v AS p, x WHERE p > 0",
    "SELECT * FROM (SELECT a, b FROM orders) PIVOT (sum(b) FOR a IN (1, 2))",
    "SELECT * FROM orders UNPIVOT (v FOR k IN (a, b))",
    "SELECT a FROM orders UNION ALL SELECT b FROM shops EXCEPT SELECT c FROM shops ORDER BY 1 LIMIT 3",
    "SELECT o.user AS user, v.b FROM orders o JOIN VALUES (1, 'x'), (2, 'y') AS v(a, b) ON v.a = o.a",
    "SELECT a, sum(b) OVER w FROM orders WINDOW w AS (PARTITION BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "SELECT a, grouping(a) FROM orders GROUP BY GROUPING SETS ((a), ())",
    "SELECT max(a), percentile_cont(0.5) WITHIN GROUP (ORDER BY b) FROM orders WHERE dt = :partition GROUP BY CUBE(c)",
    "SELECT * EXCEPT (a), struct(a AS x).x, named_struct('y', b).y FROM orders WHERE EXISTS (SELECT 1 FROM shops)",
    "SELECT a, l.b FROM orders, LATERAL (SELECT max(b) AS b FROM shops WHERE shops.a = orders.a) AS l;",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_a_step_may_do_what_data_engineers_do(sql: str) -> None:
    assert query_problems(sql, ("orders", "shops")) == ()


def test_the_page_of_functions_is_current() -> None:
    page = (ROOT / "docs" / "functions.md").read_text(encoding="utf-8")

    assert page == functions_page()
    assert sum(len(names) for names in GROUPS.values()) == len(FUNCTIONS)


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (r"NOT (a RLIKE '\d')", True),
        (r"a RLIKE '\\d'", False),
        (r"a RLIKE r'\d'", False),
        (r'a RLIKE "[\w.]+"', True),
        (r"a <> '\N'", True),
        (r"a RLIKE '\bx'", True),
        (r"a RLIKE '\\\d'", True),
        (r"a LIKE 'x\_%'", False),
        (r"a = 'it\'s\n\u0041'", False),
    ],
)
def test_a_text_that_loses_a_backslash_is_refused(text: str, lost: bool) -> None:  # C27
    found = [problem.text for problem in expression_problems(text)]

    assert any("loses the backslash" in problem for problem in found) is lost
    assert query_problems(f"SELECT {text} AS x FROM orders", ("orders",)) == expression_problems(text)  # noqa: S608
