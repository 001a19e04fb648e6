"""What a stage costs beside its rows: seconds and Spark jobs of each on a warm session and a tiny partition.

The plain Delta write of the same rows, a partition replaced, is beside it. Prints JSON.
"""

import argparse
import json
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import SparkSession

from data_platform.installation import Platform
from data_platform.lake.session import SparkOptions, open_session
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.settings import read_settings
from data_platform.stage import driver

ROWS = 200
DATASET = """\
urn: ds://bench/orders
owner_team: bench
tier: TIER_3
partition: {key: day, start: 2025-01-01}
source: {format: csv, path: "orders/{partition}", producer: bench}
"""
BUNDLE = """\
schema:
  constraints:
    - {field: id, type: INT, nullable: false}
    - {field: amount, type: "DECIMAL(10,2)"}
    - {field: note, type: STRING}
contract_lite:
  invariants: [amount > 0]
contract:
  unique: [id]
"""


def write_policies(root: Path) -> None:
    folder = root / "policies" / "datasets" / "bench" / "orders"
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_text(DATASET)
    (folder / "policy_bundle.yaml").write_text(BUNDLE)


def job_count(spark: SparkSession) -> int:
    return int(spark.sparkContext._jsc.sc().statusStore().jobsList(None).size())


def measure(spark: SparkSession, root: Path, runs: int) -> dict[str, object]:
    settings = read_settings({"DATA_PLATFORM_HOME": str(root), "DATA_PLATFORM_POLICIES": str(root / "policies")})
    platform = Platform(settings, session=spark)
    dataset = platform.policies.dataset("orders")
    seconds: dict[str, list[float]] = {}
    jobs: dict[str, int] = {}
    first = PartitionKey("2025-01-01")
    for n in range(runs + 2):  # two are warm-up
        partition = first.shifted(n)
        landing = settings.landing / "orders" / partition
        landing.mkdir(parents=True)
        (landing / "a.csv").write_text("id,amount,note\n" + "".join(f"{i},{i + 1}.50,n{i}\n" for i in range(ROWS)))
        run_id = new_run_id(datetime.now(UTC))
        works: dict[str, Any] = {
            stage.value: partial(driver.run_stage, platform, dataset, stage, partition, run_id)
            for stage in dataset.stages
        }
        rows = spark.createDataFrame(
            [(i, f"n{i}", partition.value) for i in range(ROWS)], "id int, note string, day date"
        )
        where = f"day = {partition.sql}"
        works["plain"] = lambda rows=rows, where=where: (
            rows.write.format("delta").mode("overwrite").option("replaceWhere", where).partitionBy("day")
            .save(str(root / "plain"))
        )  # fmt: skip
        for name, work in works.items():
            before, start = job_count(spark), time.perf_counter()
            work()
            if n > 1:
                seconds.setdefault(name, []).append(round(time.perf_counter() - start, 3))
                jobs[name] = job_count(spark) - before
    platform.close()
    middle = {name: median(times) for name, times in seconds.items()}
    more = {name: round(took - middle["plain"], 3) for name, took in middle.items() if name != "plain"}
    return {"rows": ROWS, "seconds_more_than_plain": more, "target": 3.0, "jobs": jobs, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_policies(Path(folder))
        spark = open_session(SparkOptions(warehouse=f"{folder}/warehouse", log=f"{folder}/spark.log"))
        found = measure(spark, Path(folder), arguments.runs)
        spark.stop()
    print(json.dumps({"stage_cost": found}, indent=2))


if __name__ == "__main__":
    main()
