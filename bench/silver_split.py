"""What 20 row rules cost: the accepted rows' one write against the plain Delta write of the same frame.

Prints JSON; the ratio is of medians of runs that take turns, so that it holds on a noisy machine.
The rules' frame has no rejected rows, so the rejected rows' own write is not in the figure.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.gates.rule import Rule, plan
from data_platform.gates.split import split
from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.schema import Schema

RULES = [Rule(id=f"r{n}", expression=f"n{n % 8} + {n} > 0 AND n{n % 8} IS NOT NULL") for n in range(10)] + [
    Rule(id=f"p{n}", expression=f"t{n % 4} LIKE 'text-%' AND length(t{n % 4}) < {40 + n}") for n in range(10)
]


def frame(spark: SparkSession, rows: int, path: str) -> DataFrame:
    """Eight numbers and four texts a row, on disk, so that both sides read the same files."""
    numbers = [F.pmod(F.hash("id", F.lit(n)), F.lit(100_000)).alias(f"n{n}") for n in range(8)]
    texts = [F.concat(F.lit("text-"), F.hash("id", F.lit(100 + n))).alias(f"t{n}") for n in range(4)]
    spark.range(rows, numPartitions=4).select("id", *numbers, *texts).write.parquet(path)
    return spark.read.parquet(path)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(spark: SparkSession, rows: int, runs: int, folder: Path) -> dict[str, object]:
    source = frame(spark, rows, str(folder / "source"))
    tables = {name: LakeTable(spark, str(folder / name)) for name in ("plain", "judged")}
    for table in tables.values():
        table.create(source.schema)

    def plain(n: int) -> None:
        tables["plain"].replace(source, {"run": n})

    def judged(n: int) -> None:
        parted = split(source, plan(source, RULES, Schema(())).broken)
        written = tables["judged"].replace(parted.accepted, {"run": n})
        if written is None or not parted.counts(written.rows).conserved:
            sys.exit("the judged write did not keep every row: the figure would be of other work")

    taken: dict[str, list[float]] = {"plain": [], "judged": []}
    for n in range(runs + 1):  # the first is warm-up
        for name, work in (("plain", plain), ("judged", judged)):
            took = seconds(lambda work=work, n=n: work(n))
            if n:
                taken[name].append(round(took, 3))
    ratio = median(taken["judged"]) / median(taken["plain"])
    return {"rows": rows, "rules": len(RULES), "ratio": round(ratio, 3), "target": 1.3, "seconds": taken}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 5_000_000])
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(SparkOptions(warehouse=f"{folder}/warehouse"))
        found = [measure(spark, n, arguments.runs, Path(folder) / str(n)) for n in arguments.rows]
        spark.stop()
    print(json.dumps({"silver_split": found}, indent=2))


if __name__ == "__main__":
    main()
