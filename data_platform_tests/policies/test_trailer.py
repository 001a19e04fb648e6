"""What a policy says of trailers can be met, or is refused when it is read."""

from pathlib import Path

from data_platform_tests.policies.tree import ORDERS, dataset_yaml, landed, problems


def test_a_total_of_no_column_and_a_prefix_that_no_field_can_be_are_problems(tmp_path: Path) -> None:
    records = "trailer: {prefix: 'T,', totals: {amounts: 3}}, header_record: {prefix: ','}"
    source = f"source: {{format: csv, path: orders, producer: shop, {records}}}"
    files = {**landed(), f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", source)}

    found = problems(tmp_path, files)

    assert len([problem for problem in found if "has the delimiter in it" in problem]) == 2
    assert any("amounts is not declared in schema.constraints" in problem for problem in found)
