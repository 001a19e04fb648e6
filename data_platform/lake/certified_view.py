"""Creates ``gold_certified.<name>`` in a Spark session, which always shows exactly the certified version.

``gold_certified.<zone>__<name>`` always exists; the short name exists while only one dataset has it.

The views are in the session's own catalog, so they are created on request and again when a pointer moves; a view names
a version and cannot show another one in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from data_platform.model.certification import Certification


def show(spark: SparkSession, certified: Mapping[str, Certification]) -> list[str]:
    """Create a view for each name in ``certified`` that has a version; return the names whose version is unreadable.

    Unreadable names have no view afterwards: they do not stop other datasets and show no outdated rows.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    spark.sql(f"CREATE DATABASE IF NOT EXISTS {Stage.CERTIFIED}")
    unreadable = []
    for table, certification in certified.items():
        if certification.version is None:
            continue
        try:
            spark.sql(
                f"CREATE OR REPLACE VIEW {view_name(table)} AS "  # noqa: S608 - both names are ours
                f"SELECT * FROM delta.`{certification.path}` VERSION AS OF {certification.version:d}"
            )
        except (PySparkException, Py4JJavaError):
            spark.sql(f"DROP VIEW IF EXISTS {view_name(table)}")
            unreadable.append(table)
    return unreadable


def view_name(table: str) -> str:
    return f"{Stage.CERTIFIED}.{table}"
