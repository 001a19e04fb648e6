"""``gold_certified.<name>`` in a Spark session: always exactly the certified version.

``gold_certified.<zone>__<name>`` always exists; the short name does as long as one dataset has it.

The views live in the session's own catalog, so they are made when somebody asks for them and again when
a pointer moves; a view names a version, and cannot show another one in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from data_platform.model.certification import Certification


def show(spark: SparkSession, certified: Mapping[str, Certification]) -> list[str]:
    """Make a view for each name in ``certified`` that has a version; the names whose version cannot be read.

    Those have no view afterwards: one dataset that cannot be read stops no other, and shows nothing out of date.
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
