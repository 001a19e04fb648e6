"""What tokens cost: values a second in a projection on two cores, beside a projection of the same values as they are.

Four texts a row, which are read from Parquet and written nowhere, so that nothing else is measured. ``expression``
makes tokens of values that are known to be personal; ``gate`` detects the values first, as silver does, with a rule for
each column. ``reversible`` tokens contain the encrypted value. The rates are of the CPU time of Spark's process, which
other work on the machine hardly changes; the ratios are of medians of runs that take turns. Presidio's operators for
hashes and encrypted values get the same values, one at a time, in one process. Prints JSON.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.gates import pii
from data_platform.gates.expression.token import TokenKey
from data_platform.lake.session import SparkOptions, open_session
from data_platform.model.pii_policy import Pii, PiiAction, PiiRule

KEY = bytes(range(32))  # of no use to anybody: the values are made up
Taken = tuple[float, float]  # seconds of wall time and of CPU
KINDS = {"email": "EMAIL", "other_email": "EMAIL", "phone": "PHONE", "ssn": "SSN"}


def frame(spark: SparkSession, rows: int, path: str) -> DataFrame:
    """Four personal values a row, all different, on disk."""
    drawn = [F.pmod(F.hash("id", F.lit(n)), F.lit(limit)) for n, limit in enumerate((9_999, 199, 98))]
    values = {
        "email": F.format_string("first.last%d@example%d.com", F.col("id"), drawn[1]),
        "other_email": F.format_string("name%d+tag@mail.example.org", F.col("id")),
        "phone": F.format_string("(212) %03d-%04d", drawn[1] + 222, drawn[0]),
        "ssn": F.format_string("%03d-%02d-%04d", drawn[1] + 667, drawn[2] + 1, drawn[0] + 1),
    }
    spark.range(rows, numPartitions=4).select(*(value.alias(name) for name, value in values.items())).write.parquet(
        path
    )
    return spark.read.parquet(path)


def by_expression(*, reversible: bool) -> list[Column]:
    key = TokenKey(KEY)
    return [key.token(kind, F.col(name), reversible=reversible).alias(name) for name, kind in KINDS.items()]


def by_gate(rows: DataFrame, *, reversible: bool) -> list[Column]:
    fields: dict[str, list[str]] = {}
    for name, kind in KINDS.items():
        fields.setdefault(kind, []).append(name)
    rules = tuple(
        PiiRule(pattern=kind, action=PiiAction.TOKENIZE, fields=tuple(names), reversible=reversible)
        for kind, names in fields.items()
    )
    plan = pii.plan(rows.schema, Pii(detection=rules), KEY)
    return [plan.remediated[name].alias(name) for name in KINDS]


def in_turns(rows: DataFrame, projections: dict[str, Sequence[Column]], runs: int) -> dict[str, Taken]:
    """The medians of each; the first run is a warm-up."""
    taken: dict[str, list[Taken]] = {name: [] for name in projections}
    for _ in range(runs + 1):
        for name, columns in projections.items():
            start, used = time.perf_counter(), cpu_of_children()
            rows.select(*columns).write.format("noop").mode("overwrite").save()
            taken[name].append((time.perf_counter() - start, cpu_of_children() - used))
    return {
        name: (median(wall for wall, _ in runs_[1:]), median(cpu for _, cpu in runs_[1:]))
        for name, runs_ in taken.items()
    }


def cpu_of_children() -> float:
    """Seconds of CPU of the running children of this process, of which Spark's JVM is one."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = file.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def presidio(values: list[str]) -> dict[str, Any] | str:
    """Values a second of Presidio's own operators in one process."""
    try:
        from presidio_anonymizer.operators import AESCipher, Hash
    except ImportError as error:
        return f"not measured: {error}; pip install '.[bench]'"
    hashed = Hash()
    given = {"hash_type": "sha256", "salt": KEY}
    works: dict[str, Callable[[str], object]] = {
        "hash": lambda value: hashed.operate(value, given),
        "encrypt": lambda value: AESCipher.encrypt(KEY, value),
    }
    return {name: round(_rate(work, values)) for name, work in works.items()}


def _rate(work: Callable[[str], object], values: list[str]) -> float:
    start = time.process_time()
    for value in values:
        work(value)
    return len(values) / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session(SparkOptions(master="local[2]", warehouse=f"{folder}/w", log=f"{folder}/spark.log"))
        rows = frame(spark, arguments.rows, f"{folder}/rows")
        projections: dict[str, Sequence[Column]] = {
            "plain": [F.col(name) for name in KINDS],
            "expression": by_expression(reversible=False),
            "expression_reversible": by_expression(reversible=True),
            "gate": by_gate(rows, reversible=False),
            "gate_reversible": by_gate(rows, reversible=True),
        }
        taken = in_turns(rows, projections, arguments.runs)
        sample = [str(value) for row in rows.limit(2_000).collect() for value in row]
        spark.stop()
    values = arguments.rows * len(KINDS)
    result = {
        "values": values,
        "values_per_second_on_two_cores": {name: round(2 * values / cpu) for name, (_, cpu) in taken.items()},
        "target": 500_000,
        "ratio_to_plain": {name: round(wall / taken["plain"][0], 2) for name, (wall, _) in taken.items()},
        "seconds": {name: {"wall": round(wall, 2), "cpu": round(cpu, 2)} for name, (wall, cpu) in taken.items()},
        "presidio_values_per_second_a_core": presidio(sample),
    }
    print(json.dumps({"tokenization": result}, indent=2))


if __name__ == "__main__":
    main()
