"""What 20 row rules and their counts cost, against the plain Delta write of the same frame.

Two frames: one that keeps every rule, and one of which one row in a hundred breaks one, so that the rejected rows'
own write and the count of each rule's violations are in the figure too. Prints JSON; each ratio is of medians of runs
that take turns, so that it holds on a noisy machine. ``rule_more`` is what one rule more adds, from 20 and 40 rules.
Silver's tables have no statistics of columns, which Delta's have; ``ratio_to_bare`` is to a write without them, too.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression.rule import plan
from data_platform.gates.expression.split import split
from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.schema import Schema
from data_platform.quarantine.store import quarantine_rows
from data_platform.sql.rule_text import Rule


def rules(count: int) -> list[Rule]:
    """Half over numbers, half over texts."""
    numbers = [f"n{n % 8} + {n} >= 0 AND n{n % 8} IS NOT NULL" for n in range(count // 2)]
    texts = [f"t{n % 4} LIKE 'text-%' AND length(t{n % 4}) < {40 + n}" for n in range(count // 2)]
    return [Rule(id=f"r{n}", expression=expression) for n, expression in enumerate(numbers + texts)]


def frame(spark: SparkSession, rows: int, path: str, bad_every: int = 0) -> DataFrame:
    """Eight numbers and four texts a row, on disk, so that both sides read the same files."""
    numbers = [F.pmod(F.hash("id", F.lit(n)), F.lit(100_000)).alias(f"n{n}") for n in range(8)]
    bad = F.pmod("id", F.lit(bad_every)) == 0 if bad_every else F.lit(False)
    word = F.when(bad, F.lit("bad-")).otherwise(F.lit("text-"))
    texts = [F.concat(word, F.hash("id", F.lit(100 + n))).alias(f"t{n}") for n in range(4)]
    spark.range(rows, numPartitions=4).select("id", *numbers, *texts).write.parquet(path)
    return spark.read.parquet(path)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@dataclass(frozen=True)
class Bench:
    """One frame, and a table for each way of writing it."""

    spark: SparkSession
    source: DataFrame
    folder: Path
    bad_every: int

    def table(self, name: str, *, statistics: bool = False) -> LakeTable:
        """As silver's is made; with ``statistics`` as Delta makes one."""
        found = LakeTable(self.spark, str(self.folder / name))
        found.create(self.source.schema, statistics=statistics)
        return found

    def plain(self, n: int) -> None:
        self.table("plain", statistics=True).replace(self.source, {"run": n})

    def bare(self, n: int) -> None:
        self.table("bare").replace(self.source, {"run": n})

    def judged(self, n: int, count: int) -> None:
        divided = split(self.source, plan(self.source, rules(count), Schema(())).broken)
        written = self.table(f"judged_{count}").replace(divided.accepted, {"run": n})
        counts = divided.counts(written.rows if written else 0)
        if counts.quarantined:
            quarantine = LakeTable(self.spark, str(self.folder / f"quarantine_{count}_{n}"))
            now = datetime.now(UTC)
            found = quarantine_rows(
                quarantine,
                divided.rejected,
                run_id=str(n),
                delivery_id="",
                rejected_at=now,
                note={"run": n},
                signatures=divided.signatures,
            )
            if found.rows != counts.quarantined or not found.signatures or not found.samples:
                sys.exit("rejected rows were lost: the figure would be of other work")
        if not counts.conserved or bool(counts.quarantined) is not bool(self.bad_every):
            sys.exit("the judged write did not keep every row: the figure would be of other work")


def measure(spark: SparkSession, rows: int, runs: int, folder: Path, bad_every: int) -> dict[str, object]:
    bench = Bench(spark, frame(spark, rows, str(folder / "source"), bad_every), folder, bad_every)
    works: dict[str, Callable[[int], None]] = {
        "plain": bench.plain,
        "bare": bench.bare,
        "judged": lambda n: bench.judged(n, 20),
        "judged_40": lambda n: bench.judged(n, 40),
    }
    taken: dict[str, list[float]] = {name: [] for name in works}
    jobs: dict[str, int] = {}
    for n in range(runs + 1):  # the first is warm-up
        for name, work in works.items():
            before = job_count(spark)
            took = seconds(lambda work=work, n=n: work(n))
            jobs[name] = job_count(spark) - before
            if n:
                taken[name].append(round(took, 3))
    middle = {name: median(times) for name, times in taken.items()}
    return {
        "rows": rows,
        "rejected_share": 1 / bad_every if bad_every else 0,
        "rules": 20,
        "ratio": round(middle["judged"] / middle["plain"], 3),
        "target": 1.3,
        "ratio_to_bare": round(middle["judged"] / middle["bare"], 3),
        "rule_more": round((middle["judged_40"] - middle["judged"]) / 20 / middle["judged"], 4),
        "rule_more_target": 0.03,
        "jobs_more": jobs["judged"] - jobs["plain"],
        "jobs_more_target": 3,
        "seconds": taken,
    }


def job_count(spark: SparkSession) -> int:
    return int(spark.sparkContext._jsc.sc().statusStore().jobsList(None).size())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 5_000_000])
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(SparkOptions(warehouse=f"{folder}/warehouse", log=f"{folder}/spark.log"))
        found = [
            measure(spark, n, arguments.runs, Path(folder) / f"{n}_{bad_every}", bad_every)
            for n in arguments.rows
            for bad_every in (0, 100)
        ]
        spark.stop()
    print(json.dumps({"silver_split": found}, indent=2))


if __name__ == "__main__":
    main()
