"""Days are days of the dataset's zone: in rules, in process steps, in text without an offset, and in partitions.

A Spark session has one time zone, and an expression keeps it once it is analyzed. So each dataset's rows are read in a
session with its own zone. Instants are always written in UTC; only values that are computed from them differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.lake.partition import column_value
from data_platform.model.partition_key import COLUMN_TYPE

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset


def session_of(platform: Platform, dataset: Dataset, *, own: bool = False) -> SparkSession:
    """A session in the dataset's zone; with ``own`` its temporary views are visible to no other session."""
    zone = dataset.policy.zone
    if zone == "UTC" and not own:
        return platform.spark
    session = platform.spark.newSession()
    session.conf.set("spark.sql.session.timeZone", zone)
    return session


def wrong_partition(
    dataset: Dataset, partition: PartitionKey | None, target: Schema
) -> tuple[dict[str, Column], str | None]:
    """Returns a flag for rows that are not of this partition or of none, and the column of the partition.

    The partition of a row is in its key. If that is not delivered, it is that of ``partition.computed_from`` in the
    dataset's zone, and without that the partition of the delivery.
    """
    declared = dataset.policy.partition
    if partition is None or declared is None:
        return {}, None
    source = declared.key if target.get(declared.key) is not None else declared.computed_from
    if source is None:
        return {}, declared.key
    own = quoted(source).cast(COLUMN_TYPE)
    return {f"WRONG_PARTITION:{declared.key}": ~own.eqNullSafe(column_value(partition))}, declared.key
