"""The same 20 rules in other engines, beside ours, on one frame: what each needs to say which rules are broken.

Ours also writes the accepted and the rejected rows; the peers only judge. pandera comes with the project; Great
Expectations and pydeequ are measured where they are installed, and named as missing where they are not. Prints JSON.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession
from silver_split import frame, rules, seconds

from data_platform.delivery.quarantine import reasons, set_aside
from data_platform.gates.rule import plan
from data_platform.gates.split import split
from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.schema import Schema


def ours(spark: SparkSession, source: DataFrame, folder: Path) -> Callable[[int], int]:
    table = LakeTable(spark, str(folder / "ours"))
    table.create(source.schema)

    def run(n: int) -> int:
        parted = split(source, plan(source, rules(20), Schema(())).broken)
        table.replace(parted.accepted, {"run": n})
        aside = LakeTable(spark, str(folder / f"aside_{n}"))
        set_aside(aside, parted.rejected, run_id=str(n), delivery_id="", rejected_at=datetime.now(UTC), note={"run": n})
        return len(reasons(aside))

    return run


def pandera(source: DataFrame) -> Callable[[int], int]:
    from pandera.api.extensions import register_check_method
    from pandera.pyspark import Check, Column, DataFrameSchema

    def register(name: str, expression: str) -> None:
        def check(pyspark_obj: object) -> bool:
            return not pyspark_obj.dataframe.where(f"NOT coalesce({expression}, false)").take(1)  # type: ignore[attr-defined]

        check.__name__ = name
        register_check_method(check)

    checks: dict[str, list[Check]] = {}
    for rule in rules(20):
        column = rule.expression.split()[0]
        register(f"bench_{rule.id}", rule.expression)
        checks.setdefault(column, []).append(getattr(Check, f"bench_{rule.id}")())
    kinds = {f.name: f.dataType for f in source.schema.fields}
    schema = DataFrameSchema({name: Column(kinds[name], found, nullable=True) for name, found in checks.items()})

    def run(_n: int) -> int:
        found = schema.validate(source).pandera.errors
        return sum(len(items) for group in found.values() for items in group.values())

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(SparkOptions(warehouse=f"{folder}/warehouse"))
        source = frame(spark, arguments.rows, f"{folder}/source", bad_every=100)
        engines = {"ours": ours(spark, source, Path(folder)), "pandera": pandera(source)}
        taken: dict[str, list[float]] = {name: [] for name in engines}
        broken: dict[str, int] = {}
        for n in range(arguments.runs + 1):
            for name, engine in engines.items():
                took = seconds(lambda engine=engine, n=n, name=name: broken.__setitem__(name, engine(n)))
                if n:
                    taken[name].append(round(took, 3))
        spark.stop()
    middle = {name: median(times) for name, times in taken.items()}
    print(
        json.dumps(
            {
                "peers": {
                    "rows": arguments.rows,
                    "rules_broken": broken,
                    "times_of_ours": {n: round(t / middle["ours"], 2) for n, t in middle.items()},
                    "seconds": taken,
                }
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
