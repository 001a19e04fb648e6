"""All deliveries become one frame whose rows know their delivery; a value is no name of a column."""

from pathlib import Path

import pytest

from data_platform.errors import SourceError
from data_platform.model.partition_key import PartitionKey
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform.onboarding.delivered_rows import WHOLE, find_rows, require_names

SOURCE = Source.model_validate({"format": "csv", "path": "orders/{partition}"})


def deliver(landing: Path, day: str, text: str) -> PartitionKey:
    folder = landing / "orders" / day
    folder.mkdir(parents=True)
    (folder / "orders.csv").write_text(text)
    return PartitionKey(day)


def test_files_of_the_same_name_belong_to_their_days(tmp_path: Path) -> None:
    days = [deliver(tmp_path, f"2025-01-0{day}", "id,amount\n1,2\n") for day in (1, 2)]

    rows = find_rows(tmp_path, SOURCE, days)

    assert rows.delivery_of == {"2025-01-01/orders.csv": "2025-01-01", "2025-01-02/orders.csv": "2025-01-02"}


def test_a_column_that_only_one_day_has_is_a_column(tmp_path: Path) -> None:
    days = [deliver(tmp_path, "2025-01-01", "id\n1\n"), deliver(tmp_path, "2025-01-02", "id,note\n1,x\n")]

    assert find_rows(tmp_path, SOURCE, days).columns.names == ("id", "note")


def test_a_delivery_that_cannot_be_read_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    days = [deliver(tmp_path, "2025-01-01", "id\n1\n"), deliver(tmp_path, "2025-01-02", "")]

    rows = find_rows(tmp_path, SOURCE, days)

    assert list(rows.deliveries) == ["2025-01-01"]
    assert rows.problems[0].startswith("2025-01-02: ")


def test_without_a_readable_file_the_reasons_are_reported(tmp_path: Path) -> None:
    (tmp_path / "orders" / "2025-01-01").mkdir(parents=True)

    with pytest.raises(SourceError, match=r"no file can be read: 2025-01-01: \*.csv"):
        find_rows(tmp_path, SOURCE, [PartitionKey("2025-01-01")])


def test_a_dataset_without_partitions_has_one_delivery(tmp_path: Path) -> None:
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "a.csv").write_text("id\n1\n")

    rows = find_rows(tmp_path, Source.model_validate({"format": "csv", "path": "codes"}), ())

    assert list(rows.deliveries) == [WHOLE]


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        pytest.param(("id", "ann@example.com"), "2", id="a personal value"),
        pytest.param(("1", "2025-01-01", "x"), "1, 2", id="mostly numbers"),
    ],
)
def test_a_value_is_no_name_of_a_column_and_is_not_shown(names: tuple[str, ...], columns: str) -> None:
    with pytest.raises(SourceError, match=f"the name of column {columns} is a value") as error:
        require_names(Schema.of(Column(name=name) for name in names))

    assert "example" not in str(error.value)


def test_a_year_may_be_a_name_beside_others() -> None:
    require_names(Schema.of(Column(name=name) for name in ("id", "name", "2024")))
