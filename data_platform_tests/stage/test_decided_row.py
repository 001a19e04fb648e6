"""A decision is found again in bronze by file and line, and applied to no row that could be meant by mistake."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyspark.sql import DataFrame, SparkSession

from data_platform.errors import TableNotFoundError
from data_platform.model.dataset import Stage
from data_platform.model.personal import redacted
from data_platform.model.quarantine_decision import DISCARDED, Decision, DecisionKind, DecisionStatus
from data_platform.stage.decided_row import DECISION, RowDecisions
from data_platform_tests.catalog.example import NOW

RULE = "UNKNOWN_ENUM:note"


def decision(number: int, path: Path, **changes: Any) -> Decision:
    values: dict[str, Any] = {
        "kind": DecisionKind.RELEASE,
        "signatures": {f"{RULE}:X1": 1},
        "stage": Stage.SILVER,
        "partition": None,
        "level": "row",
        "delivery_id": "d",
    }
    return Decision(
        id=number, entry=f"e{number}", status=DecisionStatus.APPROVED, dataset_urn="ds://sales/orders", reason="agreed",
        table_path=str(path), requested_by="ann", requested_at=NOW, **{**values, **changes},
    )  # fmt: skip


def quarantine(path: Path, *rows: tuple[str, int, list[str], bool]) -> Path:
    """A quarantine table: file as it is shown, line, violations, and whether the row was delivered again."""
    columns = dict(zip(("_file", "_line", "_violations", "_resolved"), map(list, zip(*rows, strict=True)), strict=True))
    write_deltalake(path, pa.table(columns))
    return path


def bronze(spark: SparkSession, *places: tuple[str, int]) -> DataFrame:
    return spark.createDataFrame(places, "_file string, _line long")


def marked(rows: DataFrame, *decisions: Decision) -> list[tuple[str, int, int | None]]:
    found = RowDecisions(decisions).marked(rows).collect()
    return sorted((row["_file"], row["_line"], row[DECISION]) for row in found)


def test_a_row_is_marked_if_it_breaks_no_other_rule_and_was_not_delivered_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = quarantine(
        tmp_path / "q",
        ("a.csv", 2, [f"{RULE}:X1"], False),
        ("a.csv", 3, [f"{RULE}:X1", "INVARIANT:amount:positive"], False),
        ("a.csv", 4, [f"{RULE}:X1"], True),
        ("a.csv", 5, [f"{RULE}:X1", DISCARDED], False),
    )
    rows = bronze(spark, *(("a.csv", line) for line in range(1, 6)), ("b.csv", 2))

    released = marked(rows, decision(1, table))
    both = marked(rows, decision(1, table), decision(2, table, kind=DecisionKind.DISCARD, signatures={}))

    assert [(file, line) for file, line, number in released if number] == [("a.csv", 2)]
    assert [number for file, line, number in both if (file, line) == ("a.csv", 2)] == [2]  # the latest counts
    assert len(both) == len(released) == 6  # no row is lost or doubled


def test_two_rows_that_are_shown_at_the_same_place_are_both_left_as_they_are(
    spark: SparkSession, tmp_path: Path
) -> None:
    ann, bob = "ann@example.net.csv", "bob@example.net.csv"
    shown = redacted(ann)
    assert shown == redacted(bob) != ann
    table = quarantine(tmp_path / "q", (shown, 2, [f"{RULE}:X1"], False), (shown, 3, [f"{RULE}:X1"], False))

    found = marked(bronze(spark, (ann, 2), (bob, 2), (ann, 3)), decision(1, table))

    assert [(file, line) for file, line, number in found if number] == [(ann, 3)]


def test_without_its_quarantine_table_a_decision_is_an_error_that_says_what_to_do(
    spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(TableNotFoundError, match=r"its rows cannot be identified: .* or deliver the day again"):
        marked(bronze(spark, ("a.csv", 2)), decision(1, tmp_path / "gone"))
