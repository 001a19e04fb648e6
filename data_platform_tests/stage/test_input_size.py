"""A run reads little if its deliveries and the tables that it refers to are small, and it is for few days."""

from pathlib import Path

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.stage.input_size import FEW_DAYS, LITTLE_BYTES, MOST_FILES, reads_little
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import columns, declare_shop, landed

NEXT = DAY.next
MOST = "x" * LITTLE_BYTES


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    found = Estate(tmp_path, spark=None)
    declare_shop(found)
    return found


def ask(estate: Estate, name: str = "orders", *days: PartitionKey | None) -> bool:
    platform = estate.platform()
    return reads_little(platform, [platform.policies.dataset(name)], days or (DAY,))


def store(estate: Estate, name: str, content: str) -> None:
    """Puts a file into the gold table of a dataset."""
    platform = estate.platform()
    folder = Path(platform.path(platform.policies.dataset(name), Stage.GOLD))
    folder.mkdir(parents=True)
    (folder / "part-0.parquet").write_text(content)


def test_a_small_delivery_is_little_and_one_byte_too_many_is_not(estate: Estate) -> None:
    estate.deliver(f"orders/{DAY}", {"a.csv": MOST})
    assert ask(estate)

    estate.deliver(f"orders/{DAY}", {"b.csv": "x"})

    assert not ask(estate)
    assert ask(estate, "orders", NEXT)  # its day has no file


def test_the_deliveries_of_all_days_count_together(estate: Estate) -> None:
    for day in (DAY, NEXT):
        estate.deliver(f"orders/{day}", {"a.csv": MOST[: len(MOST) // 2 + 1]})

    assert ask(estate, "orders", NEXT)
    assert not ask(estate, "orders", DAY, NEXT)


@pytest.mark.parametrize(
    ("name", "large"),
    [
        pytest.param("orders", "customers", id="the table that a reference names"),
        pytest.param("totals", "orders", id="an input of a process"),
    ],
)
def test_a_large_table_that_it_reads_is_not_little(estate: Estate, name: str, large: str) -> None:
    assert ask(estate, name)

    store(estate, large, MOST + "x")

    assert not ask(estate, name)
    assert ask(estate, "refunds")


def test_many_files_and_many_days_are_not_little(estate: Estate) -> None:
    days = [DAY]
    while len(days) < FEW_DAYS:
        days.append(days[-1].next)

    assert ask(estate, "orders", *days)
    assert not ask(estate, "orders", *days, days[-1].next)

    estate.deliver(f"orders/{DAY}", {f"{number}.csv": "" for number in range(MOST_FILES + 1)})

    assert not ask(estate)


def test_a_table_on_remote_storage_is_not_counted_and_not_little(estate: Estate) -> None:
    estate.declare("ds://shop/far", {"schema": columns(id="INT")}, storage={"gold": "s3a://bucket/far"})
    bundle = {"schema": columns(id="INT"), "contract": {"references": [{"fields": ["id"], "dataset": "ds://shop/far"}]}}
    landed(estate, "near", bundle)

    assert not ask(estate, "near")
    assert ask(estate, "orders")
