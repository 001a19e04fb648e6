"""A policy's trailer can be applied, or is rejected when the policy is read."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import ORDERS, dataset_yaml, landed, problems


def test_a_total_of_no_column_and_a_prefix_that_no_field_can_be_are_problems(tmp_path: Path) -> None:
    records = "trailer: {prefix: 'T,', totals: {amounts: 3}}, header_record: {prefix: ','}"
    source = f"source: {{format: csv, path: orders, producer: shop, {records}}}"
    files = {**landed(), f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", source)}

    found = problems(tmp_path, files)

    assert len([problem for problem in found if "contains the delimiter" in problem]) == 2
    assert any("amounts is not declared in schema.constraints" in problem for problem in found)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        pytest.param("trailer: true", "source.trailer: expected a mapping, or the word none, found true", id="true"),
        pytest.param(
            "trailer: {prefix: 9}",
            "source.trailer.prefix: expected text, found a number; put it in quotes",
            id="number",
        ),
        pytest.param("trailer: {prefix: T, sum: 3}", "source.trailer.sum: not a known key; allowed: prefix", id="key"),
        pytest.param(
            "trailer: {prefix: T, count: 1}", "source.trailer.count: found 1, expected at least 2", id="first"
        ),
        pytest.param("encoding: klingon", "source.encoding: 'klingon' is not an encoding of text", id="encoding"),
        pytest.param("encoding: zip", "source.encoding: 'zip' is not an encoding of text", id="of bytes"),
        pytest.param('delimiter: "\\n"', "source.delimiter: it ends a line", id="a line end"),
        pytest.param("delimiter: '|', quote: '|'", "source: delimiter and quote are the same character", id="twice"),
        pytest.param("files: '*.{csv,txt}'", "source.files: {csv,txt} is not allowed in a pattern", id="braces"),
        pytest.param("files: '[ab.csv'", "source.files: [ab.csv is not allowed in a pattern", id="an open bracket"),
    ],
)
def test_what_a_source_can_never_do_is_a_problem(tmp_path: Path, said: str, problem: str) -> None:
    source = f"source: {{format: csv, path: orders, producer: shop, {said}}}"

    found = problems(tmp_path, {**landed(), f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", source)})

    assert [problem in text for text in found] == [True]


@pytest.mark.parametrize(
    ("form", "said"),
    [("jsonl", "encoding: cp1252"), ("parquet", "delimiter: ;"), ("parquet", "unpack: {max_ratio: 2}")],
)
def test_what_does_nothing_in_its_format_is_a_problem(tmp_path: Path, form: str, said: str) -> None:
    source = f"source: {{format: {form}, path: orders, producer: shop, {said}}}"

    found = problems(tmp_path, {**landed(), f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", source)})

    assert [f"not supported by format {form}, where it has no effect" in text for text in found] == [True]
