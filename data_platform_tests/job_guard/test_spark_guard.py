"""A Spark frame is judged as a pandas frame with the same rows, and as silver and gold judge them."""

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

import data_platform
from data_platform.errors import UsageError
from data_platform.job_guard.guarded import FrameHeldError, GateFailedWarning, Guarded
from data_platform.model.quarantine import VIOLATIONS
from data_platform_tests.job_guard.orders import GOOD, URN, broken, declare, frame
from data_platform_tests.policies.tree import write

TYPES = "order_id bigint, kind string, total double, note string"
VALUES: dict[str, list[Any]] = {
    "order_id": [*range(1, 40), None],
    "kind": ["A", "A", "B", "B", None, "C"],
    "total": [1.0, 2.0, 3.0, None, None, 0.0, float("inf")],
    "note": ["x", None, "write to ann@example.com", "y", "z", "z", "z", "z", "z"],
}


def of_spark(spark: SparkSession, columns: dict[str, list[Any]], types: str = TYPES) -> DataFrame:
    return spark.createDataFrame(list(zip(*columns.values(), strict=True)), types)


def judged(given: Any) -> Guarded:
    try:
        return data_platform.guard(given, URN)
    except FrameHeldError as held:
        return held.guarded


def shown(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(repr(tuple(None if value != value else value for value in row)) for row in rows)


def test_random_frames_have_the_same_verdicts_and_rows_in_spark_and_pandas(spark: SparkSession, job: Path) -> None:
    declare(job, enforcement="HARD_FAIL")
    outcomes: set[bool] = set()
    for seed in range(4):
        choice = random.Random(seed)  # noqa: S311 - not for secrets
        ids = choice.sample(VALUES["order_id"], 30) if seed % 2 else choice.choices(VALUES["order_id"], k=30)
        notes = ["x"] if seed == 1 else VALUES["note"]
        columns = {
            "order_id": ids,
            "kind": choice.choices(VALUES["kind"], k=30),
            "total": choice.choices(VALUES["total"][: 4 if seed == 1 else None], k=30),
            "note": choice.choices(notes, k=30),
        }

        in_spark = judged(of_spark(spark, columns))
        in_pandas = judged(pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()}))

        assert broken(in_spark) == broken(in_pandas), seed
        assert [v.outcome for v in in_spark.verdicts] == [v.outcome for v in in_pandas.verdicts], seed
        assert (in_spark.rows, in_spark.rejected_rows) == (in_pandas.rows, in_pandas.rejected_rows)
        assert shown([tuple(row) for row in in_spark.accepted.collect()]) == shown(
            list(in_pandas.accepted.itertuples(index=False, name=None))
        )
        assert {(row["order_id"], *sorted(row[VIOLATIONS])) for row in in_spark.rejected.collect()} == {
            (order, *sorted(why))
            for order, why in zip(in_pandas.rejected["order_id"], in_pandas.rejected[VIOLATIONS], strict=True)
        }
        outcomes.add(in_spark.passed)
    assert outcomes == {True, False}, "the seeds have good and bad frames"


def test_the_columns_of_the_frame_stay_as_the_job_made_them(spark: SparkSession) -> None:
    types = "more array<int>, Order_ID int, kind string, total float, note string"
    rows = of_spark(spark, {"m": [[1], None], "i": [1, 2], "k": ["A", "C"], "t": [1.0, 2.0], "n": ["", ""]}, types)

    with pytest.raises(FrameHeldError, match="ROW_COUNT:1<2") as held:
        data_platform.guard(rows, URN)

    guarded = held.value.guarded
    assert guarded.accepted.schema == rows.schema
    assert [row["Order_ID"] for row in guarded.rejected.collect()] == [2]


def test_references_are_judged_with_the_rows_that_are_given(spark: SparkSession, job: Path) -> None:
    write(
        job,
        {
            "datasets/shop/kinds/dataset.yaml": "urn: ds://shop/kinds\nowner_team: shop\ntier: TIER_2\n",
            "datasets/shop/kinds/policy_bundle.yaml": "schema: {constraints: [{field: kind, type: STRING}]}\n",
        },
    )
    reference = {"fields": ["kind"], "dataset": "ds://shop/kinds"}
    declare(job, bundle={"contract": {"references": [reference]}})
    rows = of_spark(spark, {name: [*values] for name, values in GOOD.items()})

    with pytest.raises(FrameHeldError, match="give the rows of ds://shop/kinds"):
        data_platform.guard(rows, URN)
    with pytest.raises(FrameHeldError, match="UNKNOWN_REFERENCE:kind:ds://shop/kinds"):
        data_platform.guard(rows, URN, references={"ds://shop/kinds": spark.createDataFrame([("A",)], "kind string")})
    kinds = spark.createDataFrame([("A",), ("B",)], "kind string")
    assert data_platform.guard(rows, URN, references={"ds://shop/kinds": kinds}).passed
    with pytest.raises(UsageError, match="does not refer to ds://shop/orders"):
        data_platform.guard(rows, URN, references={URN: kinds})


def test_a_rule_that_raises_on_a_row_is_named_and_holds(spark: SparkSession, job: Path) -> None:
    declare(job, bundle={"contract": {"invariants": [{"id": "ratio", "rule": "1 % CAST(total AS INT) = 0"}]}})
    rows = of_spark(spark, {**{n: [*v] for n, v in GOOD.items()}, "total": [1.0, 0.0, 2.0]})

    with pytest.raises(FrameHeldError, match="the rule raised") as held:
        data_platform.guard(rows, URN)

    assert broken(held.value.guarded)["G4_CONTRACT"] == {"INVARIANT:total:ratio"}


def test_a_rule_that_raises_keeps_no_job_from_writing_in_a_mode_that_does_not_block(
    spark: SparkSession, job: Path
) -> None:
    rule = {"id": "ratio", "rule": "1 % CAST(total AS INT) = 0"}
    declare(job, enforcement="VISIBILITY", bundle={"contract_lite": {"invariants": [rule]}})
    rows = of_spark(spark, {**{n: [*v] for n, v in GOOD.items()}, "total": [1.0, 0.0, 2.0]})

    with pytest.warns(GateFailedWarning, match="the rule raised"):
        guarded = data_platform.guard(rows, URN)

    assert len(guarded.accepted.collect()) == 3
    assert guarded.rejected.collect() == []


def test_names_that_only_spark_finds_are_found(spark: SparkSession, job: Path) -> None:
    rule = {"pattern": "PERSON_NAME", "action": "mask", "fields": ["note"]}
    declare(job, bundle={"pii": {"detection": [rule]}})
    rows = of_spark(spark, {**{n: [*v] for n, v in GOOD.items()}, "note": ["Ann Miller", "Bob Smith", "Eve Jones"]})

    with pytest.raises(FrameHeldError, match="PII_LEAK:PERSON_NAME:note"):
        data_platform.guard(rows, URN)


def test_two_columns_of_one_name_are_refused(spark: SparkSession) -> None:
    rows = of_spark(spark, {"a": [1], "b": [2]}, "order_id bigint, ORDER_ID bigint")

    with pytest.raises(UsageError, match="names of columns twice"):
        data_platform.guard(rows, URN)
    with pytest.raises(UsageError, match="names of columns twice"):
        data_platform.guard(frame(ORDER_ID=[1, 2, 3]), URN)
