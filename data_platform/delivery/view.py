"""``gold_certified.<name>`` in a Spark session: always exactly the certified version.

``gold_certified.<zone>__<name>`` always exists; the short name does as long as one dataset has it.

The views live in the session's own catalog, so they are made when a session opens and again when a
pointer moves; a view names a version, and cannot show another one in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from data_platform.model.certification import Certification


def show(spark: SparkSession, certified: Mapping[str, Certification]) -> None:
    """Make a view for each name in ``certified`` that has a version."""
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {Stage.CERTIFIED}")
    for table, certification in certified.items():
        if certification.version is not None:
            spark.sql(
                f"CREATE OR REPLACE VIEW {view_name(table)} AS "  # noqa: S608 - both names are ours
                f"SELECT * FROM delta.`{certification.path}` VERSION AS OF {certification.version:d}"
            )


def view_name(table: str) -> str:
    return f"{Stage.CERTIFIED}.{table}"
