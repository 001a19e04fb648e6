"""``--partition A..B`` is every day from A to B; a range that cannot be run is refused before any day has run."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import pytest

from data_platform.cli.partition_range import partitions_of
from data_platform.errors import UsageError
from data_platform_tests.flows.estate import Estate, declare_orders

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """Policies only: no Spark is started."""
    estate = Estate(tmp_path_factory.mktemp("range"), cast("SparkSession", None))
    declare_orders(estate)
    estate.declare(
        "ds://sales/customers",
        {"schema": {"constraints": [{"field": "name", "type": "STRING"}]}},
        source={"format": "csv", "path": "customers", "producer": "shop"},
    )
    estate.now = NOW
    return estate


def chosen(estate: Estate, text: str | None, *names: str) -> tuple[str | None, ...]:
    platform = estate.platform()
    return partitions_of(platform, [platform.policies.dataset(name) for name in names], text)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        pytest.param("2025-01-06", ("2025-01-06",), id="one day"),
        pytest.param("2025-01-06..2025-01-06", ("2025-01-06",), id="a range of one day"),
        pytest.param("2025-01-31..2025-02-02", ("2025-01-31", "2025-02-01", "2025-02-02"), id="across months"),
        pytest.param("2025-02-27..2025-02-28", ("2025-02-27", "2025-02-28"), id="up to yesterday"),
    ],
)
def test_a_range_has_both_its_ends_and_every_day_between(estate: Estate, text: str, days: tuple[str, ...]) -> None:
    assert chosen(estate, text, "orders") == days


def test_a_dataset_without_partitions_has_one_run(estate: Estate) -> None:
    assert chosen(estate, None, "customers") == (None,)
    assert chosen(estate, "2025-01-06", "customers", "orders") == ("2025-01-06",)


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        pytest.param("2025-01-07..2025-01-06", ["orders"], "write 2025-01-06..2025-01-07", id="reversed"),
        pytest.param("2025-01-07..", ["orders"], "not a range of days", id="no end"),
        pytest.param("..2025-01-07", ["orders"], "not a range of days", id="no beginning"),
        pytest.param("2025-01-01..2025-01-02..2025-01-03", ["orders"], "not a range of days", id="three ends"),
        pytest.param("2025-01-01..2025-02-30", ["orders"], "not a range of days", id="a day that no month has"),
        pytest.param("2025-01-01...2025-01-07", ["orders"], "not a range of days", id="three dots"),
        pytest.param(
            "2025-01-06..2205-01-06", ["orders"], "65744 days, and one command runs at most 366", id="too long"
        ),
        pytest.param("2025-02-27..2025-03-01", ["orders"], "2025-03-01 is not over yet in UTC", id="today"),
        pytest.param("1999-12-31..2000-01-02", ["orders"], "before the first partition", id="before the first day"),
        pytest.param("2025-01-06..2025-01-07", ["customers"], "omit --partition", id="no dataset has days"),
        pytest.param(
            "2025-01-06..2025-01-07",
            ["orders", "customers"],
            "would run ds://sales/customers once per day",
            id="mixed",
        ),
    ],
)
def test_a_range_that_cannot_be_run_is_refused(estate: Estate, text: str, names: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        chosen(estate, text, *names)
