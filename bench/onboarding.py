"""What profiling costs beside reading the same rows once, in one run.

    python bench/onboarding.py [--rows N]

The rows are read by the readers of the platform, from CSV and from Parquet: once into nowhere, with every value, and
once into a profile with all that it measures. Both take turns; the ratio is that of the medians of their CPU seconds,
of this process and all that it started: Java and Python workers. Needs /proc. Prints JSON.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from data_platform.installation import Platform
from data_platform.onboarding.delivered_rows import DeliveredRows, find_rows
from data_platform.onboarding.place import find_place
from data_platform.onboarding.profile.measure import measure
from data_platform.onboarding.profile.table_profile import profile_of
from data_platform.settings import read_settings

TARGET = 2.5
TIMES = 3


def orders(count: int) -> pd.DataFrame:
    """Twelve columns as a bank has them: identifiers, codes, amounts, dates, times, texts and NULLs."""
    random = np.random.default_rng(1)
    ids = np.arange(count)
    cents = random.integers(1, 10_000_000, count)
    days = pd.to_datetime("2025-01-01") + pd.to_timedelta(random.integers(0, 365, count), "D")
    seconds = pd.to_datetime("2025-01-01") + pd.to_timedelta(random.integers(0, 31_536_000, count), "s")
    note = pd.Series(random.choice(["paid in branch", "paid online", "reversed", None], count))
    return pd.DataFrame(
        {
            "order_id": [f"ORD-{number:09}" for number in ids],
            "account": [f"{number:010}" for number in random.integers(0, 10**10, count)],
            "branch": random.choice([f"B{number:03}" for number in range(400)], count),
            "currency": random.choice(["EUR", "USD", "GBP", "CHF"], count),
            "status": random.choice(["NEW", "PAID", "HELD"], count),
            "amount": [f"{value // 100}.{value % 100:02}" for value in cents],
            "quantity": random.integers(1, 500, count),
            "rate": random.random(count).round(6),
            "booked_on": days.strftime("%Y-%m-%d"),
            "booked_at": seconds.strftime("%Y-%m-%d %H:%M:%S"),
            "note": note.where(random.random(count) < 0.8, None),
            "flag": random.choice(["Y", "N"], count),
        }
    )


def write(landing: Path, count: int) -> None:
    frame = orders(count)
    for kind in ("csv", "parquet"):
        (landing / f"in_{kind}").mkdir(parents=True)
    frame.to_csv(landing / "in_csv" / "orders.csv", index=False)
    frame.to_parquet(landing / "in_parquet" / "orders.parquet", row_group_size=100_000)


def cpu_seconds() -> float:
    """Of this process, its descendants, and those of them that have ended."""
    spent, parents = dict[int, float](), dict[int, int]()
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it ended just now
            continue
        pid = int(file.parent.name)
        parents[pid], spent[pid] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return sum(seconds for pid, seconds in spent.items() if is_own(pid, parents))


def is_own(pid: int, parents: dict[int, int]) -> bool:
    while pid != os.getpid():
        if pid not in parents:
            return False
        pid = parents[pid]
    return True


def timed(task: Callable[[], Any]) -> tuple[float, float]:
    """CPU seconds and seconds."""
    cpu, clock = cpu_seconds(), time.perf_counter()
    task()
    return cpu_seconds() - cpu, time.perf_counter() - clock


def compared(platform: Platform, folder: str) -> dict[str, float]:
    landing = platform.settings.landing
    rows = find_rows(landing, find_place(landing, folder).policy, ())

    def read() -> None:
        rows.frame(platform.spark).write.format("noop").mode("overwrite").save()

    def profile() -> None:
        measured(platform, rows)

    read(), profile()  # compiled, and in the cache of files
    pairs = [(timed(read), timed(profile)) for _ in range(TIMES)]
    found = {
        f"{name}_{unit}": median(pair[task][place] for pair in pairs)
        for task, name in enumerate(("read", "profile"))
        for place, unit in enumerate(("cpu_s", "s"))
    }
    ratio = found["profile_cpu_s"] / found["read_cpu_s"]
    return {**{name: round(value, 2) for name, value in found.items()}, "ratio": round(ratio, 2)}


def measured(platform: Platform, rows: DeliveredRows) -> None:
    sketch = measure(rows.frame(platform.spark), rows.columns)
    profile_of(sketch, rows.columns, rows.delivery_of)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = {"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": f"{home}/policies"}
        Path(home, "policies").mkdir()
        platform = Platform(read_settings(settings))
        write(platform.settings.landing, options.rows)
        try:
            results = {kind: compared(platform, f"in_{kind}") for kind in ("csv", "parquet")}
        finally:
            platform.close()
    print(json.dumps({"rows": options.rows, "columns": 12, "target": TARGET, **results}, indent=2))


if __name__ == "__main__":
    main()
