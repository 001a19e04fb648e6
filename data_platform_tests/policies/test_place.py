"""Each table has a folder of its own, in every zone."""

from pathlib import Path

import pytest

from data_platform.model.dataset import Stage
from data_platform_tests.policies.tree import CUSTOMERS, bundle_yaml, dataset_yaml, landed, load, problems


def customers(storage: str) -> dict[str, str]:
    """Beside the orders, whose tables are where they are by default."""
    lines = ("source: {format: csv, path: customers, producer: shop}", f"storage: {storage}")
    return landed() | {
        f"{CUSTOMERS}/dataset.yaml": dataset_yaml("ds://shop/customers", *lines),
        f"{CUSTOMERS}/policy_bundle.yaml": bundle_yaml("id BIGINT"),
    }


def test_a_place_has_the_zone_and_does_not_move_when_another_zone_gets_the_name(tmp_path: Path) -> None:
    both = landed() | {
        "datasets/old/orders/dataset.yaml": dataset_yaml(
            "ds://old/orders", "source: {format: csv, path: old, producer: shop}"
        ),
        "datasets/old/orders/policy_bundle.yaml": bundle_yaml("id BIGINT"),
    }

    alone, second = load(tmp_path, landed()), load(tmp_path, both)

    assert alone.dataset("orders").policy.place(Stage.GOLD) == "gold/shop/orders"
    places = [second.dataset(urn).policy.place(Stage.GOLD) for urn in ("ds://shop/orders", "ds://old/orders")]
    assert places == ["gold/shop/orders", "gold/old/orders"]


@pytest.mark.parametrize(
    ("storage", "said"),
    [
        pytest.param(
            "{gold: gold/shop/orders}",
            "gold: gold/shop/orders is also the place of gold of ds://shop/orders, or one is inside the other",
            id="of another dataset",
        ),
        pytest.param(
            "{gold: gold/shop}", "gold: gold/shop is also the place of gold of ds://shop/orders", id="above it"
        ),
        pytest.param(
            "{gold: gold/shop/orders/more}",
            "gold: gold/shop/orders/more is also the place of gold of ds://shop/orders",
            id="within it",
        ),
        pytest.param(
            "{gold: gold/x/../shop//orders}", "gold: gold/shop/orders is also the place of gold", id="written otherwise"
        ),
        pytest.param(
            "{silver: 's3://a/b', gold: 's3://a/b/'}",
            "gold: s3://a/b is also the place of silver of ds://shop/customers",
            id="of its own",
        ),
        pytest.param(
            "{gold: quarantine/mine}",
            "gold: quarantine/mine is also the place of the quarantine tables",
            id="quarantine",
        ),
    ],
)
def test_a_folder_of_two_tables_is_a_problem(tmp_path: Path, storage: str, said: str) -> None:
    [problem] = problems(tmp_path, customers(storage))

    assert problem.startswith("policies/datasets/shop/customers/dataset.yaml:5: storage.")
    assert said in problem
    assert problem.endswith("name another folder")


def test_folders_whose_names_only_begin_alike_are_two(tmp_path: Path) -> None:
    assert problems(tmp_path, customers("{gold: gold/shop/orders_2}")) == ()


def test_an_external_dataset_is_not_written_and_so_may_name_any_place(tmp_path: Path) -> None:
    files = landed() | {
        f"{CUSTOMERS}/dataset.yaml": dataset_yaml("ds://shop/customers", "storage: {gold: gold/shop/orders}")
    }

    assert problems(tmp_path, files) == ()
