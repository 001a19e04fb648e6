"""A source that is a table is checked when policies are read, as far as no database is needed."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import ORDERS, bundle_yaml, dataset_yaml, load, problems

URL = "url: 'jdbc:postgresql://db.example/core'"
READ, WRITE = "SELECT * FROM trades", "DELETE FROM trades"
DAYS = "partition: {key: day, start: 2025-01-01, of_delivery: true}"


def orders(source: str, *lines: str) -> dict[str, str]:
    text = dataset_yaml("ds://shop/orders", f"source: {{format: jdbc, producer: core, {source}}}", *lines)
    return {f"{ORDERS}/dataset.yaml": text, f"{ORDERS}/policy_bundle.yaml": bundle_yaml("order_id BIGINT")}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (f"{URL}, table: trades", ()),
        (f"{URL}, query: {READ}", ()),
        (f"{URL}, table: trades, rows: changes, watermark: at", (DAYS,)),
        (f"{URL}, table: trades, schedule: 06:00 ET daily", (DAYS,)),
        ("url: 'jdbc:db2://h:1/d', table: t, driver: {class: com.ibm.db2.jcc.DB2Driver, jar: /opt/db2.jar}", ()),
    ],
    ids=["a table", "a query", "changes", "a schedule", "another database"],
)
def test_a_table_is_a_source(tmp_path: Path, source: str, lines: tuple[str, ...]) -> None:
    dataset = load(tmp_path, orders(source, *lines)).dataset("ds://shop/orders")

    assert dataset.policy.source is not None
    assert dataset.policy.source.kind == "jdbc"
    assert dataset.policy.files is None


@pytest.mark.parametrize(
    ("source", "lines", "text"),
    [
        (f"{URL}", (), "name either table or query"),
        (f"{URL}, table: trades, tabel: x", (), "source.tabel: not a known key"),
        (f"{URL}, table: trades, path: x", (), "source.path: not a known key"),
        (f"{URL}, table: trades, password: s3cret", (), "source.password: expected a mapping"),
        (f"{URL}, table: trades, password: {{env: s3cret!}}", (), "'***' does not have the form"),
        (f"{URL}, table: trades, password: {{env: A, file: /b}}", (), "name either env, a variable, or file"),
        ("url: 'jdbc:postgresql://h/d?user=a&password=s3cret', table: t", (), "it seems to hold a password"),
        ("url: 'jdbc:oracle:thin:scott/tiger@h:1521:BANK', table: t", (), "it seems to hold a password"),
        ("url: 'postgresql://h/d', table: t", (), "expected a JDBC URL"),
        ("url: 'jdbc:db2://h:1/d', table: t", (), "only PostgreSQL's driver is known"),
        (f"{URL}, query: {WRITE}", (), "expected one SELECT"),
        (f"{URL}, table: 'a, b'", (), "is not the name of one table"),
        (f"{URL}, table: trades, rows: changes", (DAYS,), "need each other"),
        (f"{URL}, table: trades, rows: changes, watermark: at", (), "need a partition"),
        (f"{URL}, table: t, rows: changes, watermark: at", ("partition: {key: day, start: 2025-01-01}",),
         "add of_delivery: true"),
        (f"{URL}, table: t, lag_minutes: 5", (), "only with rows: changes"),
        (f"{URL}, table: t, schedule: soon", (), "source.schedule"),
        (f"{URL}, table: t, split: {{column: id, parts: 1}}", (), "source.split.parts: found 1, expected at least 2"),
    ],
)  # fmt: skip
def test_what_no_run_could_read_is_a_problem(tmp_path: Path, source: str, lines: tuple[str, ...], text: str) -> None:
    found = problems(tmp_path, orders(source, *lines))

    assert any(text in problem for problem in found), found
    assert not any("s3cret" in problem or "tiger" in problem for problem in found)


def test_a_misspelt_format_is_answered_with_all_formats(tmp_path: Path) -> None:
    files = {
        f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", "source: {format: jdbcc, path: a}"),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml("order_id BIGINT"),
    }

    [problem] = problems(tmp_path, files)

    assert "parquet, jdbc, delta; did you mean jdbc?" in problem
