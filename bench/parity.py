"""What comparing two sides of a million rows and twenty columns costs, against a plain full outer join of the same.

``ratio`` is to a join that reads every column of both sides and reports whether any differs; ``ratio_to_count`` is to
the join's mere count, for which Spark reads no column but the key. Each in two cases: one row in a hundred differs, and
every row differs within tolerance. Prints JSON; ratios are of medians of runs that take turns.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from statistics import median

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import schema_of
from data_platform.parity.column import paired
from data_platform.parity.comparison import Comparison
from data_platform.parity.output import LegacyOutput
from data_platform.parity.report import LegacySide
from data_platform.parity.rule import Rules, Tolerance
from data_platform.parity.run import tuned
from data_platform.parity.side import legacy_side, new_side

RULES = Rules(tolerance=Tolerance.parse("--tolerance", ["0.01"]))
KINDS = {"n": 6, "d": 4, "f": 3, "t": 5, "m": 1}
"""Whole numbers, decimals, doubles, texts and a moment; with the key twenty columns."""


def frame(spark: SparkSession, rows: int, path: Path, *, bad_every: int = 0, noise: float = 0) -> DataFrame:
    """On disk, so that all read the same files."""
    bad = F.when(F.pmod("id", F.lit(bad_every)) == 0, 1).otherwise(0) if bad_every else F.lit(0)
    makers: dict[str, Callable[[Column], Column]] = {
        "n": lambda number: number + bad,
        "d": lambda number: (number / 100 + F.lit(noise)).cast("decimal(12,2)"),
        "f": lambda number: number / 7.0 + F.lit(noise),
        "t": lambda number: F.concat(F.lit("text-"), number),
        "m": F.timestamp_seconds,
    }
    columns = [
        makers[kind](F.pmod(F.hash("id", F.lit(f"{kind}{n}")), F.lit(100_000))).alias(f"{kind}{n}")
        for kind, count in KINDS.items()
        for n in range(count)
    ]
    spark.range(rows, numPartitions=4).select("id", *columns).write.parquet(str(path))
    return spark.read.parquet(str(path))


def joined(legacy: DataFrame, new: DataFrame) -> DataFrame:
    return legacy.alias("l").join(new.alias("n"), F.col("l.id") == F.col("n.id"), "full")


def any_differs(legacy: DataFrame, new: DataFrame) -> int:
    pairs = (~F.col(f"l.{name}").eqNullSafe(F.col(f"n.{name}")) for name in new.columns)
    return int(joined(legacy, new).agg(F.count_if(reduce(lambda a, b: a | b, pairs))).collect()[0][0])


def compared(legacy: DataFrame, new: DataFrame) -> Comparison:
    columns = paired(schema_of(legacy), schema_of(new), keys=("id",), renamed={}, ignored=())
    output = LegacyOutput(legacy, schema_of(legacy), LegacySide(path="", format="parquet"))
    return Comparison(
        legacy_side(output, columns, RULES, lambda rows: rows), new_side(new, columns, RULES), columns, RULES
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(legacy: DataFrame, new: DataFrame, runs: int, differing: int) -> dict[str, object]:
    def compare() -> None:
        rows = compared(legacy, new).count().rows
        if rows.differing != differing or rows.keys != rows.new:
            sys.exit("the comparison did not count what was planted: the figure would be of other work")

    works: dict[str, Callable[[], object]] = {
        "count": lambda: joined(legacy, new).count(),
        "any_differs": lambda: any_differs(legacy, new),
        "compare": compare,
    }
    taken: dict[str, list[float]] = {name: [] for name in works}
    for n in range(runs + 1):  # the first is warm-up
        for name, work in works.items():
            took = seconds(work)
            if n:
                taken[name].append(round(took, 3))
    middle = {name: median(times) for name, times in taken.items()}
    return {
        "ratio": round(middle["compare"] / middle["any_differs"], 3),
        "ratio_to_count": round(middle["compare"] / middle["count"], 3),
        "seconds": taken,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    rows, runs = arguments.rows, arguments.runs
    with tempfile.TemporaryDirectory() as folder:
        spark = tuned(open_session(SparkOptions(warehouse=f"{folder}/warehouse", log=f"{folder}/spark.log")))
        new = frame(spark, rows, Path(folder) / "new")
        bad = frame(spark, rows, Path(folder) / "bad", bad_every=100)
        noisy = frame(spark, rows, Path(folder) / "noisy", noise=0.01)
        found = {
            "rows": rows,
            "columns": len(new.columns),
            "one_in_a_hundred_differs": measure(bad, new, runs, -(-rows // 100)),
            "all_within_tolerance": measure(noisy, new, runs, 0),
        }
        spark.stop()
    print(json.dumps({"parity": found}, indent=2))


if __name__ == "__main__":
    main()
