"""A step is one SELECT, and reads nothing but its inputs and the steps before it."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import ORDERS, TOTALS, derived, load, problems

PLACE = "policies/processes/totals.yaml:6: steps[0].sql"


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT order_id FROM orders", id="a SELECT"),
        pytest.param("SELECT order_id FROM Orders;", id="another case, and a semicolon"),
        pytest.param("SELECT order_id FROM orders WHERE DATE'2025-01-06' = :partition", id="with the day"),
        pytest.param("WITH big AS (SELECT * FROM orders) SELECT order_id FROM big", id="a WITH"),
        pytest.param(
            "WITH a AS (SELECT * FROM orders), b AS (SELECT * FROM a) SELECT order_id FROM (SELECT * FROM b)",
            id="a WITH that reads the one before it",
        ),
        pytest.param("SELECT order_id FROM orders UNION ALL SELECT order_id FROM orders", id="a UNION"),
        pytest.param("SELECT order_id FROM orders LATERAL VIEW explode(array(1)) t AS x", id="a lateral view"),
        pytest.param("SELECT order_id FROM orders WHERE order_id IN (SELECT order_id FROM orders)", id="a subquery"),
    ],
)
def test_a_step_may_be(tmp_path: Path, sql: str) -> None:
    assert load(tmp_path, derived(sql)).processes[0].steps[0].sql == sql


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        pytest.param("SELECT FROM WHERE", "not a Spark SQL query: ", id="no SQL"),
        pytest.param(
            'SELECT "a FROM orders', "not a Spark SQL query: a quote or comment that does not end", id="quote"
        ),
        pytest.param("SELECT 1; SELECT 2", "expected one SELECT, found 2 statements", id="two"),
        pytest.param("-- nothing", "expected one SELECT, found no statements", id="none"),
        pytest.param(
            "INSERT INTO orders SELECT 1",
            "expected one SELECT, found another kind of statement; a step reads, and the platform writes",
            id="a write",
        ),
        pytest.param("DROP TABLE orders", "expected one SELECT, found another kind of statement", id="a drop"),
        pytest.param(
            "SELECT * FROM order",
            "reads order, neither an input nor an earlier step; allowed: orders (line 1 of the query);"
            " did you mean orders?",
            id="a typo",
        ),
        pytest.param("SELECT * FROM gold.orders", "reads gold.orders, neither an input nor an earlier step", id="gold"),
        pytest.param("SELECT * FROM csv.`a/b`", "reads csv.a/b, neither an input nor an earlier step", id="a file"),
        pytest.param(
            "SELECT reflect('a', 'b') AS order_id FROM orders",
            "reflect() is not a function that policies may call (docs/functions.md) (line 1 of the query)",
            id="code",
        ),
        pytest.param("SELECT * FROM one", "reads one, neither an input nor an earlier step", id="itself"),
        pytest.param(
            "WITH gold AS (SELECT * FROM gold) SELECT * FROM gold",
            "reads gold, neither an input nor an earlier step",
            id="a WITH of the name of a table",
        ),
        pytest.param("SELECT * FROM identifier('a')", "identifier() hides what is read", id="a name as a value"),
        pytest.param(
            "SELECT * FROM orders WHERE dt = :day", ":day is not a parameter; allowed: :partition", id="a parameter"
        ),
    ],
)
def test_a_step_may_not_be(tmp_path: Path, sql: str, problem: str) -> None:
    found = problems(tmp_path, derived(sql))

    assert len(found) == 1
    assert found[0].startswith(f"{PLACE}: {problem}")


def test_a_step_reads_the_steps_before_it_and_none_after(tmp_path: Path) -> None:
    found = problems(tmp_path, derived("SELECT * FROM two", "SELECT * FROM one", "SELECT * FROM one, two"))

    assert len(found) == 1
    assert found[0].startswith(f"{PLACE}: reads two")


def test_a_problem_in_a_file_has_the_line_of_that_file(tmp_path: Path) -> None:
    files = derived()
    files["processes/totals.yaml"] = files["processes/totals.yaml"].replace(
        "sql: SELECT order_id FROM orders", "sql_file: totals.sql"
    )

    found = problems(tmp_path, files | {"processes/totals.sql": "SELECT order_id\n\nFROM ordrs\n"})

    assert found == (
        "policies/processes/totals.sql:3: step one: reads ordrs, neither an input nor an earlier step;"
        " allowed: orders; did you mean orders?",
    )


def test_a_step_reads_an_input_by_its_given_name(tmp_path: Path) -> None:
    files = derived("SELECT order_id FROM sales")
    files["processes/totals.yaml"] = files["processes/totals.yaml"].replace("orders'}", "orders', name: sales}")

    assert problems(tmp_path, files) == ()


def test_a_step_names_columns_that_something_has(tmp_path: Path) -> None:
    steps = ("SELECT order_id, totl AS t FROM orders", "SELECT o.order_id FROM one AS o WHERE o.t > 0 AND o.totals > 0")

    found = problems(tmp_path, derived(*steps))

    assert [text.split(": ", 2)[2] for text in found] == [
        "totl is not a column of any input or step (line 1 of the query); did you mean total?",
        "totals is not a column of any input or step (line 1 of the query); did you mean total?",
    ]


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        pytest.param("SELECT total FROM orders", "makes no column order_id, which schema.constraints", id="missing"),
        pytest.param("SELECT * FROM orders", "makes total, not declared in schema.constraints", id="one too many"),
        pytest.param(
            "SELECT *, total AS Order_ID FROM orders",
            "makes column order_id more than once; give each column a name of its own",
            id="a column twice, in another case",
        ),
        pytest.param(
            "SELECT a.order_id, b.order_id FROM orders AS a JOIN orders AS b ON a.order_id = b.order_id",
            "makes column order_id more than once",
            id="a column of both sides of a join",
        ),
        pytest.param(
            "SELECT CAST(total AS STRING) AS order_id FROM orders",
            "makes order_id as STRING, and schema.constraints declares BIGINT: cast it",
            id="of another type",
        ),
        pytest.param(
            "WITH x AS (SELECT total AS order_id FROM orders) SELECT * FROM x",
            "makes order_id as DOUBLE, and schema.constraints declares BIGINT: cast it",
            id="of another type, through a WITH",
        ),
    ],
)
def test_the_last_step_makes_what_its_dataset_declares(tmp_path: Path, sql: str, problem: str) -> None:
    found = problems(tmp_path, derived(sql))

    assert [text.split("sql: ")[1][: len(problem)] for text in found if problem in text] == [problem]


def test_a_dataset_without_a_zone_computes_no_days_of_inputs_that_have_one(tmp_path: Path) -> None:
    files = derived("SELECT order_id FROM orders WHERE CAST(at AS DATE) > DATE'2025-01-01'")
    files[f"{ORDERS}/dataset.yaml"] += "time_zone: Asia/Kolkata\n"
    files[f"{ORDERS}/policy_bundle.yaml"] += "    - {field: at, type: TIMESTAMP}\n"

    [found] = problems(tmp_path, files)
    files[f"{TOTALS}/dataset.yaml"] += "time_zone: UTC\n"

    assert found.startswith(f"{PLACE}: computes dates or times, its inputs have days of Asia/Kolkata, but")
    assert problems(tmp_path, files) == ()
