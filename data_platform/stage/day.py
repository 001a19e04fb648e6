"""Days are days of the dataset's zone: in rules, in process steps, in text without an offset, and in partitions.

A Spark session has one time zone, and an expression takes it for good when it is analysed. So each dataset's rows are
read in a session of its own zone. Instants are written in UTC as ever; only what is computed from them differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted

if TYPE_CHECKING:
    from datetime import date

    from pyspark.sql import Column, SparkSession

    from data_platform.installation import Platform
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset


def session_of(platform: Platform, dataset: Dataset, *, own: bool = False) -> SparkSession:
    """A session in the dataset's zone; ``own`` is one whose temporary views nobody else sees."""
    zone = dataset.policy.zone
    if zone == "UTC" and not own:
        return platform.spark
    session = platform.spark.newSession()
    session.conf.set("spark.sql.session.timeZone", zone)
    return session


def wrong_partition(dataset: Dataset, partition: date | None, target: Schema) -> tuple[dict[str, Column], str | None]:
    """The rows that are not of this day, and the column of the partition; a row of no day is not of this day.

    The day of a row is its partition key. Where that is not delivered, it is the day of ``partition.computed_from`` in
    the dataset's zone, and without that the delivery's own.
    """
    from pyspark.sql import functions as F

    declared = dataset.policy.partition
    if partition is None or declared is None:
        return {}, None
    source = declared.key if target.get(declared.key) is not None else declared.computed_from
    if source is None:
        return {}, declared.key
    day = quoted(source).cast("date")
    return {f"WRONG_PARTITION:{declared.key}": ~day.eqNullSafe(F.lit(partition))}, declared.key
