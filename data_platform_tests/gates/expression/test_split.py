"""Every row is accepted or rejected, once, and the one write of the accepted rows counts them all."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.errors import PolicyError
from data_platform.gates.expression.rule import plan
from data_platform.gates.expression.split import Split, split
from data_platform.lake.table import LakeTable
from data_platform.model.quarantine import VIOLATIONS
from data_platform_tests.case import expected
from data_platform_tests.gates.orders import DECLARED, RULES, orders


@pytest.fixture
def parted(spark: SparkSession) -> Split:
    """The rows of C22, split by its rules."""
    rows = orders(spark)
    return split(rows, plan(rows, RULES, DECLARED).broken)


def test_each_row_is_accepted_or_rejected_with_all_its_reasons(parted: Split) -> None:  # C22
    assert [row["id"] for row in parted.accepted.orderBy("id").collect()] == expected("C22")["valid_ids"]
    reasons = {str(row["id"]): row[VIOLATIONS] for row in parted.rejected.collect()}
    assert reasons == expected("C22")["quarantined"]


def test_the_one_write_counts_every_row(spark: SparkSession, parted: Split, tmp_path: Path) -> None:
    table = LakeTable(spark, str(tmp_path / "orders"))
    table.create(parted.accepted.schema)

    written = table.replace(parted.accepted, {"run_id": "run_1"})

    assert written is not None
    counts = parted.counts(accepted=written.rows)
    assert (counts.read, counts.accepted, counts.quarantined) == (10, 3, 7)
    assert counts.conserved


def test_without_a_rule_every_row_is_accepted(spark: SparkSession) -> None:
    parted = split(spark.range(3).toDF("id"), {})

    assert parted.accepted.count() == 3
    assert parted.rejected.select(VIOLATIONS).collect() == []


def test_a_column_that_has_the_platforms_name_is_refused(spark: SparkSession) -> None:
    with pytest.raises(PolicyError, match=VIOLATIONS):
        split(spark.range(1).select(F.col("id").alias(VIOLATIONS.upper())), {})
