"""A dataset is found by each of its names, and by no other."""

from pathlib import Path

import pytest

from data_platform.errors import UsageError
from data_platform_tests.policies.tree import ORDERS, dataset_yaml, load

FILES = {f"{ORDERS}/dataset.yaml": dataset_yaml("ds://shop/orders", "storage: {gold: 's3://lake/gold/sales/'}")}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("ds://shop/orders", id="its URN"),
        pytest.param("shop/orders", id="zone and name"),
        pytest.param("shop__orders", id="zone and name as an identifier"),
        pytest.param("sales", id="its table"),
        pytest.param("orders", id="its name"),
        pytest.param("Sales", id="in another case, which Spark does not tell apart"),
    ],
)
def test_a_dataset_is_found_by(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, FILES).dataset(name).id.name == "orders"


def test_a_name_that_nothing_has_is_answered_with_the_closest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'shop/order' is not a dataset; .* did you mean ds://shop/orders\?"):
        load(tmp_path, FILES).dataset("shop/order")


def test_its_view_has_a_short_name_and_one_with_the_zone(tmp_path: Path) -> None:
    found = load(tmp_path, FILES)

    assert found.view_names(found.dataset("ds://shop/orders")) == ("sales", "shop__orders")


@pytest.mark.parametrize(
    ("other", "line"),
    [
        pytest.param("ds://old/sales", "", id="the name of a dataset in another zone"),
        pytest.param("ds://old/items", "storage: {gold: 'x/sales'}", id="the last part of another place"),
        pytest.param("ds://old/items", "storage: {gold: 'x/Sales'}", id="in another case"),
    ],
)
def test_a_short_name_of_two_datasets_names_neither(tmp_path: Path, other: str, line: str) -> None:
    found = load(tmp_path, FILES | {f"datasets/{other[5:]}/dataset.yaml": dataset_yaml(other, *filter(None, [line]))})

    assert found.view_names(found.dataset("ds://shop/orders")) == ("shop__orders",)
    assert found.view_names(found.dataset(other))[-1] == other[5:].replace("/", "__")
    with pytest.raises(UsageError, match=f"'sales' is the name of 2 datasets: {other}, ds://shop/orders; .*by its URN"):
        found.dataset("sales")


def test_a_short_name_never_takes_the_view_of_a_zone_and_name(tmp_path: Path) -> None:
    """``old/shop__orders`` would have the short view ``shop__orders``, which is that of ``shop/orders``."""
    found = load(tmp_path, FILES | {"datasets/old/shop__orders/dataset.yaml": dataset_yaml("ds://old/shop__orders")})

    assert found.view_names(found.dataset("ds://old/shop__orders")) == ("old__shop__orders",)
    assert found.view_names(found.dataset("ds://shop/orders")) == ("sales", "shop__orders")
    with pytest.raises(UsageError, match="'shop__orders' is the name of 2 datasets: ds://old/shop__orders, ds://shop"):
        found.dataset("shop__orders")


def test_a_name_that_is_close_to_nothing_is_answered_with_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are 1 datasets"):
        load(tmp_path, FILES).dataset("xyzzy")
