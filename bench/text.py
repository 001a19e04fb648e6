"""A text delivery into bronze beside Spark's own reader into Delta: seconds, by cores, and the peak memory of a reader.

Three deliveries of the same rows: one file, one file with all fields quoted, and the rows in many small files. Spark's
reader binds by position and keeps neither lines nor malformed records; it is the yardstick of speed only. Prints JSON.
"""

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from pyspark.sql import SparkSession

from data_platform.ingestion.delivery_file import DeliveryFile
from data_platform.ingestion.formats.csv.csv_format import CsvFormat
from data_platform.ingestion.formats.jsonl.jsonl_format import JsonLinesFormat
from data_platform.ingestion.formats.text.text_format import read_share
from data_platform.installation import Platform
from data_platform.lake.session import SparkOptions, open_session
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.model.schema import Column, Schema
from data_platform.settings import read_settings
from data_platform.stage import driver

COLUMNS = ("id", "name", "amount", "day", "code", "kind", "count", "country", "note", "flag")
GOAL = 1.3
DATASET = """\
urn: ds://bench/{name}
owner_team: bench
tier: TIER_3
partition: {{key: delivered_on, start: 2025-01-01}}
source: {{format: {format}, path: "{name}/{{partition}}", producer: bench}}
"""
BUNDLE = """\
schema:
  constraints:
"""


def row(number: int) -> tuple[str, ...]:
    """About 84 bytes as CSV."""
    amount, day = f"{number % 9973}.{number % 100:02}", f"2025-01-{1 + number % 28:02}"
    return (
        str(number), f"customer {number}", amount, day, f"{number * 7919 % 10**10:010}", "ORDER", str(number % 50),
               "DE", f"note of order {number % 1000}", "true",
    )  # fmt: skip


def line(number: int, kind: str) -> str:
    values = row(number)
    if kind == "jsonl":
        return json.dumps(dict(zip(COLUMNS, values, strict=True))) + "\n"
    return ",".join(f'"{value}"' for value in values) + "\n" if kind == "quoted" else ",".join(values) + "\n"


def write_delivery(folder: Path, kind: str, rows: int, files: int) -> int:
    """Bytes of the delivery."""
    folder.mkdir(parents=True)
    ending = "jsonl" if kind == "jsonl" else "csv"
    for number in range(files):
        with (folder / f"{number:04}.{ending}").open("w") as file:
            if kind != "jsonl":
                file.write(",".join(COLUMNS) + "\n")
            file.writelines(line(n, kind) for n in range(number * rows // files, (number + 1) * rows // files))
    return sum(path.stat().st_size for path in folder.iterdir())


def write_policies(root: Path, kinds: dict[str, int]) -> None:
    for kind in kinds:
        folder = root / "policies" / "datasets" / "bench" / kind
        folder.mkdir(parents=True)
        (folder / "dataset.yaml").write_text(DATASET.format(name=kind, format="jsonl" if kind == "jsonl" else "csv"))
        (folder / "policy_bundle.yaml").write_text(
            BUNDLE + "".join(f"    - {{field: {name}, type: STRING}}\n" for name in COLUMNS)
        )


def seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def plain(spark: SparkSession, folder: Path, target: Path, kind: str) -> None:
    reader = spark.read.schema(", ".join(f"`{name}` string" for name in COLUMNS))
    rows = reader.json(str(folder)) if kind == "jsonl" else reader.option("header", True).csv(str(folder))
    rows.write.format("delta").mode("overwrite").save(str(target))


def measure(root: Path, cores: int, kinds: dict[str, int], rows: int, runs: int) -> dict[str, dict[str, float]]:
    options = SparkOptions(
        warehouse=f"{root}/warehouse-{cores}", log=f"{root}/spark.log", extra={"spark.master": f"local[{cores}]"}
    )
    spark = open_session(options)
    home = root / f"home-{cores}"
    settings = read_settings(
        {
            "DATA_PLATFORM_HOME": str(home),
            "DATA_PLATFORM_POLICIES": str(root / "policies"),
            "DATA_PLATFORM_LANDING": str(root / "landing"),
        }
    )
    platform = Platform(settings, session=spark)
    found = {}
    for kind in kinds:
        partition, ours, theirs = PartitionKey("2025-01-02"), [], []
        folder = root / "landing" / kind / partition
        dataset = platform.policies.dataset(kind)
        for number in range(runs + 1):
            theirs.append(seconds_of(lambda f=folder, k=kind: plain(spark, f, home / "plain" / k, k)))
            run_id = new_run_id(datetime.now(UTC))

            def run(dataset: object = dataset, partition: PartitionKey = partition, run_id: str = run_id) -> None:
                report = driver.run_stage(platform, dataset, Stage.BRONZE, partition, run_id)  # type: ignore[arg-type]
                if report.rows.accepted != rows:
                    raise SystemExit(f"{report.rows} of {rows} rows: {report.metadata}")

            ours.append(seconds_of(run))
            if not number:  # the first of each is warm-up
                ours, theirs = [], []
        ratio = median(ours) / median(theirs)
        found[kind] = {"seconds": median(ours), "plain_seconds": median(theirs), "ratio": ratio}
        found[kind] = {name: round(value, 2) for name, value in found[kind].items()}
    platform.close()
    spark.stop()
    return found


def read_all(path: str, kind: str) -> int:
    """Peak memory in MB of a process that reads one file as one task."""
    columns = Schema.of(Column(name=name) for name in COLUMNS)
    text_format = JsonLinesFormat() if kind == "jsonl" else CsvFormat()
    size, root = Path(path).stat().st_size, str(Path(path).parent)
    file = DeliveryFile(name="a", path=path, bytes=size, record_count=None, schema=columns, renamed={}, root=root)
    for _ in read_share(text_format, file, columns):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def peak_megabytes(folder: Path, kind: str) -> dict[str, int]:
    """Of the whole file and of its first tenth: equal, if memory is flat."""
    (whole,) = folder.iterdir()
    part = folder.parent / f"part{whole.suffix}"
    with whole.open("rb") as source:
        tenth = source.read(whole.stat().st_size // 10)
    part.write_bytes(tenth[: tenth.rfind(b"\n") + 1])
    found = {}
    for name, path in {"tenth": part, "whole": whole}.items():
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            found[name] = pool.submit(read_all, str(path), kind).result()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--small-files", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--kinds", nargs="+", default=["one_file", "quoted", "small_files", "jsonl"])
    arguments = parser.parse_args()
    kinds = {kind: arguments.small_files if kind == "small_files" else 1 for kind in arguments.kinds}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write_policies(root, kinds)
        landing = {kind: root / "landing" / kind / "2025-01-02" for kind in kinds}
        size = {kind: write_delivery(landing[kind], kind, arguments.rows, files) for kind, files in kinds.items()}
        found = {str(cores): measure(root, cores, kinds, arguments.rows, arguments.runs) for cores in arguments.cores}
        peaks = {kind: peak_megabytes(landing[kind], kind) for kind in kinds if kinds[kind] == 1}
    result = {"goal": GOAL, "rows": arguments.rows, "bytes": size, "by_cores": found, "peak_megabytes": peaks}
    print(json.dumps({"text": result}, indent=2))


if __name__ == "__main__":
    main()
