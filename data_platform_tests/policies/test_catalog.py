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
        pytest.param("sales", id="its table"),
    ],
)
def test_a_dataset_is_found_by(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, FILES).dataset(name).id.name == "orders"


def test_a_name_that_nothing_has_is_answered_with_the_closest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'shop/order' is no dataset; .* did you mean ds://shop/orders\?"):
        load(tmp_path, FILES).dataset("shop/order")


def test_a_name_that_is_close_to_nothing_is_answered_with_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are 1 datasets"):
        load(tmp_path, FILES).dataset("xyzzy")
