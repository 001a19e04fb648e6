"""Time to the first row: ``data-platform run`` of one small day, from its start to its end, in a new process.

Beside it are two bare PySpark scripts, which read the same file and write it as three Delta tables: one with Delta's
defaults and Spark's own resolution of its jars, and one in the session that the platform opens for so little data.
Neither judges, records or checks anything. A further day is what each more day of a range costs in the same process.
Prints JSON.

``prepared``: ``data-platform prepare`` was run for this user before, which only the platform's sessions notice.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from statistics import median

from data_platform.demo import landing
from data_platform.lake.class_archive import archive_file
from data_platform.lake.delta_jars import DELTA_PACKAGE

FIRST = date(2013, 1, 1)
FURTHER_DAYS = 2
TARGET_RATIO, TARGET_FURTHER_DAY = 1.3, 4.0
DEFAULTS = f"""
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.appName("bare")
    .config("spark.jars.packages", "{DELTA_PACKAGE}")
    .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.driver.memory", "2g")
    .getOrCreate()
)
"""
OURS = """
from data_platform.lake.session import SparkOptions, open_session
spark = open_session(SparkOptions(warehouse=sys.argv[2] + "/warehouse", brief=True))
"""
BARE = """
file, lake = sys.argv[1:3]
text = spark.read.option("header", True).csv(file)
typed = spark.read.option("header", True).schema(
    "flight_date date, dep_time int, sched_dep_time int, dep_delay int, arr_time int, sched_arr_time int, "
    "arr_delay int, carrier string, flight int, tailnum string, origin string, dest string, air_time int, "
    "distance int, hour int, minute int, time_hour timestamp"
).csv(file).cache()
for rows, stage in ((text, "bronze"), (typed, "silver"), (typed, "gold")):
    rows.write.format("delta").partitionBy("flight_date").save(f"{lake}/{stage}/flights")
assert spark.read.format("delta").load(f"{lake}/gold/flights").count() == typed.count() > 0
spark.stop()
"""


def timed(command: Sequence[str], environment: dict[str, str], log: Path) -> float:
    """Seconds of a command that succeeds; what it and Spark print goes to ``log``."""
    start = time.perf_counter()
    with log.open("ab") as output:
        subprocess.run(command, env=environment, stdout=output, stderr=output, check=True)  # noqa: S603
    return time.perf_counter() - start


class Home:
    """An installation with the demo's references certified and no flight yet; ``reset`` brings it back to that."""

    def __init__(self, folder: Path) -> None:
        self.path, self.copy, self.log = folder / "home", folder / "copy", folder / "log"
        self.environment = {**os.environ, "DATA_PLATFORM_HOME": str(self.path)}
        landing.land_references(self.path / "landing")
        for more in range(FURTHER_DAYS + 1):
            landing.land(self.path / "landing", FIRST + timedelta(days=more))
        self.run("airlines,airports,planes")
        shutil.copytree(self.path, self.copy)

    def reset(self) -> None:
        shutil.rmtree(self.path)
        shutil.copytree(self.copy, self.path)

    def run(self, *words: str) -> float:
        program = str(Path(sys.executable).with_name("data-platform"))
        return timed([program, "run", "--json", "--select", *words], self.environment, self.log)

    def bare(self, session: str, lake: Path) -> float:
        [file] = sorted((self.path / "landing" / "flights" / str(FIRST)).glob("*.csv"))
        shutil.rmtree(lake, ignore_errors=True)
        script = f"import sys{session}{BARE}"
        return timed([sys.executable, "-c", script, str(file), str(lake)], self.environment, self.log)


def measure(folder: Path, runs: int) -> dict[str, object]:
    home, last = Home(folder), FIRST + timedelta(days=FURTHER_DAYS)
    seconds: dict[str, list[float]] = {}
    for _ in range(runs):
        home.reset()
        seconds.setdefault("run", []).append(home.run("flights", "--partition", str(FIRST)))
        seconds.setdefault("bare_delta_defaults", []).append(home.bare(DEFAULTS, folder / "lake"))
        seconds.setdefault("bare_our_settings", []).append(home.bare(OURS, folder / "lake"))
        home.reset()
        seconds.setdefault("run_of_range", []).append(home.run("flights", "--partition", f"{FIRST}..{last}"))
    middle, archive = {name: median(times) for name, times in seconds.items()}, archive_file()
    return {
        "prepared": archive is not None and archive.is_file(),
        "seconds": {name: [round(took, 1) for took in times] for name, times in seconds.items()},
        "ratio_to_delta_defaults": round(middle["run"] / middle["bare_delta_defaults"], 2),
        "ratio_to_our_settings": round(middle["run"] / middle["bare_our_settings"], 2),
        "target_ratio": TARGET_RATIO,
        "further_day_seconds": round((middle["run_of_range"] - middle["run"]) / FURTHER_DAYS, 1),
        "target_further_day_seconds": TARGET_FURTHER_DAY,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), arguments.runs)
    print(json.dumps({"first_row": found}, indent=2))


if __name__ == "__main__":
    main()
