"""Where the cases are, and what each expects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = Path(__file__).parent / "cases"


def case_file(case: str, name: str) -> Path:
    return next(CASES.glob(f"{case}_*")) / name


def expected(case: str) -> Any:
    return json.loads(case_file(case, "expected.json").read_text())


def vacuuming(spark: SparkSession, **settings: str) -> SparkSession:
    """A session that lists a small table's files in one task; thousands, half a minute, are the default."""
    session = spark.newSession()
    for key, value in {"spark.sql.sources.parallelPartitionDiscovery.parallelism": "1", **settings}.items():
        session.conf.set(key, value)
    return session
