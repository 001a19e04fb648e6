"""A user's own asset whose output breaks its contract fails, with signatures and counts and without a value."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from pyspark.sql import SparkSession

from data_platform.orchestration.contract_type import dagster_type
from data_platform_tests.frame.orders import GOOD, SPARK_TYPES, contract
from data_platform_tests.orchestration.shop import QUIET
from data_platform_tests.policies.tree import landed, write
from data_platform_tests.source_tree import ROOT

BAD = {**GOOD, "kind": "ann@example.com"}


def executed(instance: dg.DagsterInstance, output: Any, kind: dg.DagsterType) -> dg.ExecuteInProcessResult:
    """The run of an asset that returns ``output``."""

    @dg.asset(dagster_type=kind)
    def mine() -> Any:
        return output

    resources = {"io_manager": dg.mem_io_manager}
    return dg.materialize([mine], instance=instance, resources=resources, run_config=QUIET, raise_on_error=False)


def checked(result: dg.ExecuteInProcessResult) -> Any:
    (event,) = [e for e in result.all_node_events if e.event_type is dg.DagsterEventType.STEP_OUTPUT]
    return event.step_output_data.type_check_data


def test_an_asset_whose_frame_keeps_its_contract_is_materialized(instance: dg.DagsterInstance) -> None:
    result = executed(instance, pd.DataFrame([GOOD]), dagster_type(contract()))

    assert result.success
    assert checked(result).metadata["rows"].value == 1
    assert len(result.asset_materializations_for_node("mine")) == 1


def test_an_asset_whose_frame_breaks_its_contract_fails_and_shows_no_value(instance: dg.DagsterInstance) -> None:
    result = executed(instance, pd.DataFrame([GOOD, BAD]), dagster_type(contract()))

    assert not result.success
    assert result.asset_materializations_for_node("mine") == []
    assert checked(result).metadata["broken"].value == {"UNKNOWN_ENUM:kind": 1}
    logged = " ".join(str(event) for event in result.all_events)
    assert "UNKNOWN_ENUM:kind" in logged
    assert "ann@" not in logged


@pytest.mark.parametrize(("rows", "passes"), [([GOOD], True), ([GOOD, BAD], False)])
def test_a_frame_of_spark_is_judged_too(
    spark: SparkSession, instance: dg.DagsterInstance, rows: list[dict[str, Any]], passes: bool
) -> None:
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], SPARK_TYPES)

    result = executed(instance, frame, dagster_type(contract(), frame="spark"))

    assert result.success is passes
    assert ("UNKNOWN_ENUM:kind" in checked(result).metadata["broken"].value) is not passes


@pytest.mark.parametrize("frame", ["pandas", "spark"])
def test_what_is_no_frame_fails(instance: dg.DagsterInstance, frame: Any) -> None:
    result = executed(instance, [1], dagster_type(contract(), frame=frame))

    assert not result.success
    assert checked(result).description == "expected a frame, found list"


@pytest.mark.parametrize("frame", ["pandas", "spark"])
def test_a_type_shows_the_columns_of_the_contract(frame: Any) -> None:
    kind = dagster_type(contract(), frame=frame)

    columns = {column.name: column for column in kind.metadata["schema"].schema.columns}
    assert kind.key == f"shop__orders__{frame}"
    assert (columns["price"].type, columns["id"].constraints.nullable) == ("decimal(10,2)", False)
    assert columns["id"].description == "Counts from 1."


def test_a_type_of_a_urn_follows_the_policy_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instance: dg.DagsterInstance
) -> None:
    root = write(tmp_path, landed(columns="order_id BIGINT"))
    monkeypatch.setenv("DATA_PLATFORM_POLICIES", str(root))
    kind = dagster_type("ds://shop/orders")
    twice = pd.DataFrame({"order_id": [1, 1]})

    assert dagster_type("ds://shop/orders") is kind
    assert executed(instance, twice, kind).success

    write(tmp_path, landed("contract: {unique: [order_id]}", columns="order_id BIGINT"))

    assert not executed(instance, twice, kind).success


def test_neither_the_module_nor_the_resources_import_spark_or_pandera() -> None:
    imported = (
        "import sys, data_platform.orchestration.contract_type, data_platform.orchestration.location;"
        "print([m for m in ('pyspark', 'pandera', 'pandas', 'dagster_pyspark', 'dagster_pandera') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", imported], capture_output=True, text=True, check=True)  # noqa: S603

    assert done.stdout == "[]\n"


def test_the_example_of_the_docs_is_a_code_location(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")
    (example,) = (code for code in re.findall(r"```python\n(.*?)```", page, re.S) if "@dg.definitions" in code)
    (tmp_path / "example.py").write_text(example)
    columns = "order_id BIGINT, total DOUBLE"
    files = {
        name.replace("shop", "sales"): text.replace("shop", "sales") for name, text in landed(columns=columns).items()
    }
    root = write(tmp_path, files)
    environment = {**os.environ, "DATA_PLATFORM_POLICIES": str(root), "DATA_PLATFORM_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "dagster", "definitions", "validate", "-f", str(tmp_path / "example.py")]

    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)  # noqa: S603

    assert done.returncode == 0, done.stderr
