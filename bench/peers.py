"""The same 20 rules in other engines, beside ours, on one frame: judge it, count each rule's rows, and write it.

Ours writes the accepted rows and the rejected ones, each with its reasons; beside the peers the whole frame is written
as it is, since they do not split it; no table has statistics of columns. pandera comes with the project; Great
Expectations is measured where it is installed (``pip install --editable '.[bench]'``), and named with the reason
where it is not. pydeequ is not here: the newest (1.7.0) names a jar for Spark 4.1, and Maven Central does not have it.
Prints JSON.
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

from data_platform.gates.expression.rule import plan
from data_platform.gates.expression.split import split
from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.schema import Schema
from data_platform.quarantine.store import quarantine_rows


def ours(spark: SparkSession, source: DataFrame, folder: Path) -> Callable[[int], int]:
    table = LakeTable(spark, str(folder / "ours"))
    table.create(source.schema, statistics=False)

    def run(n: int) -> int:
        divided = split(source, plan(source, rules(20), Schema(())).broken)
        table.replace(divided.accepted, {"run": n})
        quarantine = LakeTable(spark, str(folder / f"quarantine_{n}"))
        found = quarantine_rows(
            quarantine,
            divided.rejected,
            run_id=str(n),
            delivery_id="",
            rejected_at=datetime.now(UTC),
            note={"run": n},
            signatures=divided.signatures,
        )
        return len(found.signatures)

    return run


def pandera(source: DataFrame) -> Callable[[int], int]:
    from pandera.api.extensions import register_check_method
    from pandera.pyspark import Check, Column, DataFrameSchema

    def register(name: str, expression: str) -> None:
        def check(pyspark_obj: object) -> bool:
            rows = getattr(pyspark_obj, "dataframe", pyspark_obj)
            return rows.where(f"NOT coalesce({expression}, false)").count() == 0  # type: ignore[attr-defined]

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
        errors = [item["error"] for group in found.values() for items in group.values() for item in items]
        if raised := [error for error in errors if error.endswith("Error()")]:
            raise RuntimeError(f"{len(raised)} checks raised: {raised[0]}")
        return len(errors)

    return run


def great_expectations(source: DataFrame) -> Callable[[int], int]:
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_spark("bench").add_dataframe_asset("rows")
    definition = asset.add_batch_definition_whole_dataframe("all")
    suite = context.suites.add(gx.ExpectationSuite(name="rules"))
    for rule in rules(20):
        query = f"SELECT * FROM {{batch}} WHERE NOT coalesce({rule.expression}, false)"  # noqa: S608 - our own rules
        suite.add_expectation(gx.expectations.UnexpectedRowsExpectation(unexpected_rows_query=query))

    def run(_n: int) -> int:
        found = definition.get_batch({"dataframe": source}).validate(suite)
        return sum(not result.success for result in found.results)

    return run


def peers(source: DataFrame, missing: dict[str, str]) -> dict[str, Callable[[int], int]]:
    """Each engine that can be had here, tried once; of the others why not."""
    found = {}
    makers = {
        "pandera": lambda: pandera(source),
        "great_expectations": lambda: great_expectations(source),
    }
    for name, make in makers.items():
        try:
            engine = make()
            engine(0)
        except Exception as error:  # whatever a peer dies of is its result here
            missing[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}"
        else:
            found[name] = engine
    return found


def measure(
    spark: SparkSession, source: DataFrame, engines: dict[str, Callable[[int], int]], folder: Path, runs: int
) -> tuple[dict[str, list[float]], dict[str, int]]:
    """The seconds of each run of each engine after a warm-up run, and how many rules each found broken."""
    taken: dict[str, list[float]] = {name: [] for name in engines}
    broken: dict[str, int] = {}
    plain = LakeTable(spark, str(folder / "plain"))
    plain.create(source.schema, statistics=False)

    def work(name: str, n: int) -> None:
        broken[name] = engines[name](n)
        if name != "ours":
            plain.replace(source, {"run": f"{name} {n}"})

    for n in range(runs + 1):
        for name in engines:
            took = seconds(lambda n=n, name=name: work(name, n))
            if n:
                taken[name].append(round(took, 3))
    return taken, broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(SparkOptions(warehouse=f"{folder}/warehouse", log=f"{folder}/spark.log"))
        missing: dict[str, str] = {}
        source = frame(spark, arguments.rows, f"{folder}/source", bad_every=100)
        engines = {"ours": ours(spark, source, Path(folder)), **peers(source, missing)}
        taken, broken = measure(spark, source, engines, Path(folder), arguments.runs)
        spark.stop()
    middle = {name: median(times) for name, times in taken.items()}
    print(
        json.dumps(
            {
                "peers": {
                    "rows": arguments.rows,
                    "rules_broken": broken,
                    "not_measured": missing,
                    "times_of_ours": {n: round(t / middle["ours"], 2) for n, t in middle.items()},
                    "seconds": taken,
                }
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
