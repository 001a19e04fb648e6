"""What personal values cost: 20 row rules, each counted, and four remediated columns against the plain Delta write.

Every row has two addresses, a phone number and an SSN, so that no cheap test saves anything. One address and the SSN
get tokens, the other is masked, as is the phone number. Prints JSON; the ratio is of medians of runs that take turns.
Silver's table has no statistics of columns, which Delta's has; ``ratio_to_bare`` is to a write without them, too.
``--searched`` seeks every kind in every text column, not one kind in each of the four; ``--explain`` shows the plan.
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

from data_platform.gates import pii
from data_platform.gates.expression.rule import plan
from data_platform.gates.expression.split import Split, split
from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.pii_policy import Pii, PiiAction, PiiKind, PiiRule
from data_platform.model.schema import Schema
from data_platform.sql.rule_text import Rule

RULES = [Rule(id=f"r{n}", expression=f"n{n % 8} + {n} > 0 AND n{n % 8} IS NOT NULL") for n in range(10)] + [
    Rule(id=f"p{n}", expression=f"t{n % 4} LIKE 'text-%' AND length(t{n % 4}) < {40 + n}") for n in range(10)
]
ACTIONS = {
    "email": (PiiKind.EMAIL, PiiAction.TOKENIZE),
    "other_email": (PiiKind.EMAIL, PiiAction.MASK),
    "phone": (PiiKind.PHONE, PiiAction.MASK),
    "ssn": (PiiKind.SSN, PiiAction.TOKENIZE),
}
NAMED = Pii(detection=tuple(PiiRule(pattern=k, action=a, fields=(name,)) for name, (k, a) in ACTIONS.items()))
EVERYWHERE = Pii(
    detection=tuple(PiiRule(pattern=ACTIONS[n][0], action=ACTIONS[n][1]) for n in ("email", "phone", "ssn"))
)
KEY = bytes(range(32))  # of no use to anybody: the frame is made up


def frame(spark: SparkSession, rows: int, path: str) -> DataFrame:
    """Eight numbers, four texts and four personal values a row, on disk, so that both sides read the same files."""
    numbers = [F.pmod(F.hash("id", F.lit(n)), F.lit(100_000)).alias(f"n{n}") for n in range(8)]
    texts = [F.concat(F.lit("text-"), F.hash("id", F.lit(100 + n))).alias(f"t{n}") for n in range(4)]
    drawn = [F.pmod(F.hash("id", F.lit(200 + n)), F.lit(limit)) for n, limit in enumerate((99, 9_999, 898, 99_999))]
    personal = [
        F.format_string("first.last%d@example%d.com", drawn[3], drawn[0]).alias("email"),
        F.format_string("Name%d+tag@mail.example.org", drawn[1]).alias("other_email"),
        F.format_string("(212) %03d-%04d", F.lit(222) + drawn[0], drawn[1]).alias("phone"),
        F.format_string("%03d-%02d-%04d", F.lit(667) + F.pmod(drawn[2], F.lit(200)), drawn[0] + 1, drawn[1] + 1).alias(
            "ssn"
        ),
    ]
    spark.range(rows, numPartitions=4).select("id", *numbers, *texts, *personal).write.parquet(path)
    return spark.read.parquet(path)


def protected(source: DataFrame, policy: Pii) -> tuple[DataFrame, Split]:
    """As silver does it: rules and findings counted below, values remediated above, in one write."""
    broken = plan(source, RULES, Schema(())).broken
    found = pii.plan(source.schema, policy, KEY)
    flags = {**broken, **found.found_by_safe()}
    divided = split(
        found.computed_in(source), broken, measures={sign: F.count_if(flag) for sign, flag in flags.items()}
    )
    safe = [F.col(pii.SAFE + n if n in found.remediated else n).alias(n) for n in source.columns]
    return divided.accepted.select(*safe), divided


def in_turns(works: dict[str, Callable[[int], None]], runs: int) -> dict[str, list[float]]:
    """Seconds that each took; the first run of each is warm-up."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for n in range(runs + 1):
        for name, work in works.items():
            start = time.perf_counter()
            work(n)
            if n:
                taken[name].append(round(time.perf_counter() - start, 3))
    return taken


def measure(spark: SparkSession, rows: int, runs: int, folder: Path, policy: Pii) -> dict[str, object]:
    source = frame(spark, rows, str(folder / "source"))
    tables = {name: LakeTable(spark, str(folder / name)) for name in ("plain", "bare", "protected")}
    for name, table in tables.items():
        table.create(source.schema, statistics=name == "plain")

    def plain(n: int) -> None:
        tables["plain"].replace(source, {"run": n})

    def bare(n: int) -> None:
        tables["bare"].replace(source, {"run": n})

    def judged(n: int) -> None:
        accepted, divided = protected(source, policy)
        written = tables["protected"].replace(accepted, {"run": n})
        if written is None or not divided.counts(written.rows).conserved:
            sys.exit("the protected write did not keep every row: the figure would be of other work")
        if divided.measures()["PII:SSN:ssn"] != rows:
            sys.exit("not every row's SSN was found: the figure would be of other work")

    taken = in_turns({"plain": plain, "bare": bare, "protected": judged}, runs)
    middle = {name: median(times) for name, times in taken.items()}
    return {
        "rows": rows,
        "rules": len(RULES),
        "pii": len(ACTIONS),
        "ratio": round(middle["protected"] / middle["plain"], 3),
        "target": 2.0,
        "ratio_to_bare": round(middle["protected"] / middle["bare"], 3),
        "seconds": taken,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--searched", action="store_true")
    parser.add_argument("--explain", action="store_true")
    arguments = parser.parse_args()
    policy = EVERYWHERE if arguments.searched else NAMED
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(
            SparkOptions(master="local[2]", warehouse=f"{folder}/warehouse", log=f"{folder}/spark.log")
        )
        if arguments.explain:
            protected(frame(spark, 10, f"{folder}/explained"), policy)[0].explain(mode="extended")
        found = [measure(spark, n, arguments.runs, Path(folder) / str(n), policy) for n in arguments.rows]
        spark.stop()
    print(json.dumps({"pii_split": found}, indent=2))


if __name__ == "__main__":
    main()
