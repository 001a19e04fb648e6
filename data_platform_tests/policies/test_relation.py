"""Datasets, processes and references agree with each other, or each contradiction is reported with its place."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import (
    CUSTOMERS,
    ORDERS,
    TOTALS,
    bundle_yaml,
    dataset_yaml,
    derived,
    landed,
    load,
    problems,
)

PROCESS = "policies/processes/totals.yaml"
BUNDLE = "policies/datasets/shop/orders/policy_bundle.yaml"


def process_yaml(name: str, output: str, *inputs: str) -> str:
    listed = ", ".join(f"{{dataset: '{urn}'}}" for urn in inputs)
    view = inputs[0].rsplit("/", 1)[-1]
    head = f"name: {name}\nowner_team: shop\noutput: {output}\ninputs: [{listed}]\n"
    return head + f"steps: [{{name: one, sql: SELECT order_id FROM {view}}}]\n"  # noqa: S608 - a test's own words


def made(name: str, *inputs: str) -> dict[str, str]:
    """A dataset that a process of its own name makes."""
    return {
        f"datasets/shop/{name}/dataset.yaml": dataset_yaml(f"ds://shop/{name}", f"process: {name}"),
        f"datasets/shop/{name}/policy_bundle.yaml": bundle_yaml("order_id BIGINT"),
        f"processes/{name}.yaml": process_yaml(name, f"ds://shop/{name}", *(f"ds://shop/{urn}" for urn in inputs)),
    }


def refers(reference: str) -> dict[str, str]:
    return landed(f"contract: {{references: [{reference}]}}") | {
        f"{CUSTOMERS}/dataset.yaml": dataset_yaml("ds://shop/customers"),
        f"{CUSTOMERS}/policy_bundle.yaml": bundle_yaml("customer_id BIGINT, name STRING"),
    }


@pytest.mark.parametrize(
    ("end", "said"),
    [
        pytest.param("2024-12-31", "the last day, 2024-12-31, is before the first, 2025-01-01", id="before"),
        pytest.param("2025-01-01", "", id="one day"),
    ],
)
def test_the_last_day_is_not_before_the_first(tmp_path: Path, end: str, said: str) -> None:
    days = f"partition: {{key: day, start: 2025-01-01, end: {end}}}"
    found = problems(tmp_path, {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", days)})

    assert bool(found) is bool(said)
    assert all(said in problem for problem in found)


def test_two_zones_may_have_a_dataset_of_one_name(tmp_path: Path) -> None:
    files = landed() | {"datasets/old/orders/dataset.yaml": dataset_yaml("ds://old/orders")}

    assert problems(tmp_path, files) == ()


@pytest.mark.parametrize(
    ("zone", "name", "said"),
    [
        ("shop", "orders__gold", "the name 'orders__gold' ends in __gold, the asset key of a stage"),
        ("shop", "orders__landing", "the name 'orders__landing' ends in __landing"),
        ("shop__eu", "orders", "the zone 'shop__eu' contains '__', which separates zone and name"),
    ],
)
def test_a_name_that_could_be_taken_for_another_one_is_a_problem_wherever_it_is_written(
    tmp_path: Path, zone: str, name: str, said: str
) -> None:
    urn = f"ds://{zone}/{name}"
    written = (
        {f"datasets/{zone}/{name}/dataset.yaml": dataset_yaml(urn)},
        {"legacy/night.yaml": f"jobs: [{{job: A, outputs: ['{urn}']}}]"},
        derived(inputs=urn),
    )

    for number, files in enumerate(written):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = problems(folder, landed() | files)
        assert [problem for problem in found if said in problem]


def test_a_place_whose_last_part_is_no_name_of_a_table_is_a_problem(tmp_path: Path) -> None:
    files = {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", "storage: {gold: lake/all-orders}")}

    assert problems(tmp_path, files) == (
        "policies/datasets/shop/orders/dataset.yaml:4: storage.gold: 'all-orders' cannot be the table's name;"
        " allowed: letters, digits and _",
    )


def test_a_process_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    files = derived() | {f"{TOTALS}/dataset.yaml": dataset_yaml("ds://shop/totals", "process: total")}

    assert problems(tmp_path, files) == (
        "policies/datasets/shop/totals/dataset.yaml:4: process: there is no process total; did you mean totals?",
        f"{PROCESS}:3: output: policies/datasets/shop/totals/dataset.yaml does not have process: totals;"
        " add it there, or correct the output",
    )


def test_a_process_that_makes_another_dataset_is_a_problem(tmp_path: Path) -> None:
    files = derived() | {
        f"{CUSTOMERS}/dataset.yaml": dataset_yaml("ds://shop/customers", "process: totals"),
        f"{CUSTOMERS}/policy_bundle.yaml": bundle_yaml("order_id BIGINT"),
    }

    assert problems(tmp_path, files) == (
        "policies/datasets/shop/customers/dataset.yaml:4: process: the output of process totals is ds://shop/totals,"
        " not this dataset; correct one",
    )


def test_two_processes_of_one_output_are_a_problem(tmp_path: Path) -> None:
    files = derived() | {"processes/sums.yaml": process_yaml("sums", "ds://shop/totals", "ds://shop/orders")}

    assert problems(tmp_path, files) == (
        "policies/processes/sums.yaml:3: output: policies/datasets/shop/totals/dataset.yaml does not have"
        " process: sums; add it there, or correct the output",
        f"{PROCESS}:3: output: ds://shop/totals is also the output of process sums; a dataset has one process",
    )


def test_an_input_and_an_output_that_are_not_there_are_problems(tmp_path: Path) -> None:
    files = landed() | {"processes/totals.yaml": process_yaml("totals", "ds://shop/totals", "ds://shop/order")}

    assert problems(tmp_path, files) == (
        f"{PROCESS}:3: output: there is no dataset ds://shop/totals",
        f"{PROCESS}:4: inputs[0].dataset: there is no dataset ds://shop/order; did you mean ds://shop/orders?",
    )


@pytest.mark.parametrize(
    ("files", "cycle"),
    [
        pytest.param(made("a", "a"), "ds://shop/a -> ds://shop/a", id="itself"),
        pytest.param(
            made("a", "c") | made("b", "a") | made("c", "b"),
            "ds://shop/a -> ds://shop/c -> ds://shop/b -> ds://shop/a",
            id="of three",
        ),
        pytest.param(
            made("a", "b") | made("b", "c") | made("c", "b"),
            "ds://shop/b -> ds://shop/c -> ds://shop/b",
            id="that another dataset leads into",
        ),
    ],
)
def test_a_dataset_that_is_made_from_itself_is_a_problem(tmp_path: Path, files: dict[str, str], cycle: str) -> None:
    found = problems(tmp_path, files)

    assert len(found) == 1
    assert f"inputs: its inputs depend on it: {cycle}; a dataset cannot be made from itself" in found[0]


def referring(name: str, to: str) -> dict[str, str]:
    """A landed dataset whose rows refer to another's."""
    reference = f"    - {{fields: [id], dataset: 'ds://shop/{to}'}}"
    return {
        f"datasets/shop/{name}/dataset.yaml": dataset_yaml(
            f"ds://shop/{name}", f"source: {{format: csv, path: {name}, producer: shop}}"
        ),
        f"datasets/shop/{name}/policy_bundle.yaml": bundle_yaml("id BIGINT", "contract:", "  references:", reference),
    }


def test_datasets_that_refer_to_each_other_are_a_problem_as_neither_is_certified_first(tmp_path: Path) -> None:
    found = problems(tmp_path, referring("a", "b") | referring("b", "a"))

    assert len(found) == 1
    assert "contract.references: its references depend on it: ds://shop/a -> ds://shop/b -> ds://shop/a" in found[0]


def test_a_dataset_may_refer_to_itself(tmp_path: Path) -> None:
    policies = load(tmp_path, referring("a", "a"))

    assert policies.dataset("a").bundle.contract.references[0].dataset == "ds://shop/a"


def test_two_ways_to_one_dataset_are_no_cycle(tmp_path: Path) -> None:
    files = landed() | made("a", "orders") | made("b", "orders", "a") | made("c", "a", "b")

    assert len(load(tmp_path, files).processes) == 3


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        pytest.param(
            "{fields: [order_id], dataset: 'ds://shop/customer', key: [customer_id]}",
            "dataset: there is no dataset ds://shop/customer; did you mean ds://shop/customers?",
            id="no dataset",
        ),
        pytest.param(
            "{fields: [order_id], dataset: 'ds://shop/customers', key: [customerid]}",
            "key: customerid is not a declared column of ds://shop/customers; did you mean customer_id?",
            id="no column",
        ),
        pytest.param(
            "{fields: [order_id], dataset: 'ds://shop/customers'}",
            "fields: order_id is not a declared column of ds://shop/customers",
            id="no column, by the name of the field",
        ),
        pytest.param(
            "{fields: [order_id], dataset: 'ds://shop/customers', key: [customer_id, name]}",
            "key: 2 key columns for 1 fields; expected one for each",
            id="a key of another length",
        ),
    ],
)
def test_a_reference_to_what_is_not_there_is_a_problem(tmp_path: Path, reference: str, problem: str) -> None:
    assert problems(tmp_path, refers(reference)) == (f"{BUNDLE}:5: contract.references[0].{problem}",)


def test_a_reference_is_to_a_column_in_any_case(tmp_path: Path) -> None:
    files = refers("{fields: [order_id], dataset: 'ds://shop/customers', key: [Customer_ID]}")

    assert problems(tmp_path, files) == ()


def test_the_columns_of_a_dataset_without_declarations_are_unknown(tmp_path: Path) -> None:
    files = refers("{fields: [order_id], dataset: 'ds://shop/customers'}")
    del files[f"{CUSTOMERS}/policy_bundle.yaml"]

    assert problems(tmp_path, files) == ()
