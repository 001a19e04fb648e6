"""The columns of a stage's table, and where its rows come from."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data_platform.model.dataset import Stage
from data_platform.policies import Policies
from data_platform.stage.column_source import input_columns, stage_before, visible_columns
from data_platform_tests.policies.tree import ORDERS, derived, landed, load

DAILY = "partition: {key: day, start: 2025-01-01}"


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    """Orders, which have a source, and totals, which a process makes."""
    return load(tmp_path, derived())


@pytest.mark.parametrize(
    ("name", "stage", "before"),
    [
        pytest.param("orders", Stage.BRONZE, None, id="bronze has a delivery"),
        pytest.param("orders", Stage.SILVER, Stage.BRONZE, id="silver"),
        pytest.param("orders", Stage.GOLD, Stage.SILVER, id="gold"),
        pytest.param("orders", Stage.CERTIFIED, Stage.GOLD, id="certified"),
        pytest.param("totals", Stage.SILVER, None, id="silver of a process has other datasets"),
        pytest.param("totals", Stage.GOLD, Stage.SILVER, id="gold of a process"),
    ],
)
def test_the_rows_of_a_stage_come_from_the_one_before(
    policies: Policies, name: str, stage: Stage, before: Stage | None
) -> None:
    assert stage_before(policies.dataset(name), stage) is before


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        pytest.param("order_id BIGINT", ("order_id", "day"), id="the platform adds the partition's column"),
        pytest.param("day DATE, order_id BIGINT", ("day", "order_id"), id="the delivery has it"),
    ],
)
def test_the_partitions_column_is_visible_once(tmp_path: Path, columns: str, names: tuple[str, ...]) -> None:
    files = landed(columns=columns)
    source = "source: {format: csv, path: orders, producer: shop}"
    dated = source.replace("path: orders", "path: 'orders/{partition}'")
    files[f"{ORDERS}/dataset.yaml"] = files[f"{ORDERS}/dataset.yaml"].replace(source, dated) + f"{DAILY}\n"

    visible = visible_columns(load(tmp_path, files).dataset("orders"))

    assert visible.names == names
    assert visible.columns[names.index("day")].type == "date"


def test_the_inputs_of_a_process_have_their_visible_columns(policies: Policies) -> None:
    platform: Any = SimpleNamespace(policies=policies)

    by_urn = input_columns(platform, policies.dataset("totals"))

    assert {urn: schema.names for urn, schema in by_urn.items()} == {"ds://shop/orders": ("order_id", "total")}
    assert input_columns(platform, policies.dataset("orders")) == {}
