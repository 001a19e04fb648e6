"""How long the sensor of arrivals takes over 1,000 watched patterns, with 30 days each. Prints JSON.

``first_look`` finds all deliveries, whose contents are read; ``nothing_new`` is what every tick costs after that;
``one_new`` is a tick that finds one delivery, which Dagster receives. ``new_code_server`` is the first look of a
process that finds everything on record. Dagster's own interval, 5 s, is not in it. The store is SQLite, and PostgreSQL
too if ``DATA_PLATFORM_TEST_POSTGRES_URL`` names a server.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import dagster as dg
import yaml
from store import SERVER, own_schema, sqlite

from data_platform.arrival.watcher import Watcher
from data_platform.catalog import Catalog, open_catalog
from data_platform.orchestration import arrival
from data_platform.orchestration.arrival import Arrivals, Cursor
from data_platform.policies import load_policies
from data_platform.policies.external import ExternalAssets
from data_platform.settings import Settings, read_settings

LAST = date(2025, 6, 30)


def deliver(folder: Path, content: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.csv").write_text(content)
    (folder / "manifest.json").write_text(json.dumps({"file": "data.csv", "bytes": len(content)}))
    (folder / "_SUCCESS").touch()


def declare(home: Path, patterns: int, days: int) -> None:
    declared = [
        {
            "dataset": f"ds://legacy/d{number}",
            "partition": {"start": "2025-01-01"},
            "watch": {"path": f"d{number}/{{dt}}", "marker": "_SUCCESS", "manifest": "manifest.json"},
        }
        for number in range(patterns)
    ]
    (home / "policies" / "legacy").mkdir(parents=True)
    (home / "policies" / "legacy" / "all.yaml").write_text(yaml.safe_dump({"datasets": declared}))
    for number in range(patterns):
        for day in range(days):
            deliver(home / "landing" / f"d{number}" / str(LAST - timedelta(days=day)), f"{number},{day}")


def find_all(settings: Settings, external: ExternalAssets, catalog: Catalog) -> tuple[float, int]:
    watcher = Watcher(settings.landing, external.by_urn.values(), catalog, now=lambda: datetime.now(UTC))
    started, looks = time.perf_counter(), 1
    while watcher.look(arrival.LOOK_SECONDS).unfinished:
        looks += 1
    return time.perf_counter() - started, looks


@dataclass
class Sensor:
    """The sensor of arrivals with its cursor, as Dagster's daemon calls it."""

    instance: dg.DagsterInstance
    arrivals: Arrivals
    cursor: str | None

    def tick(self) -> tuple[float, int]:
        """The seconds that a tick takes, and how many arrivals it reports to Dagster."""
        started = time.perf_counter()
        context = dg.build_sensor_context(self.instance, cursor=self.cursor)
        context.log.setLevel("WARNING")
        result = self.arrivals.tick(context)
        seconds = time.perf_counter() - started
        before = Cursor.read(self.cursor).arrival
        self.cursor = self.cursor if isinstance(result, dg.SkipReason) else result.cursor
        return seconds, Cursor.read(self.cursor).arrival - before


def measure(home: Path, url: str, runs: int) -> dict[str, Any]:
    policies = home / "policies"
    settings = read_settings(
        {"DATA_PLATFORM_HOME": str(home), "DATA_PLATFORM_POLICIES": str(policies), "DATA_PLATFORM_CATALOG_URL": url}
    )
    external = ExternalAssets(load_policies(policies))
    with dg.DagsterInstance.ephemeral() as instance:
        with open_catalog(url) as catalog:
            first, looks = find_all(settings, external, catalog)
            found = [number for start in range(0, 10**6, 5000) for number, _ in catalog.arrivals.names(start)]
        # in production Dagster gets these 200 a tick
        sensor = Sensor(instance, Arrivals(settings, external), Cursor(arrival=max(found)).write())
        nothing = [sensor.tick()[0] for _ in range(runs)]
        one = []
        for number in range(runs):
            deliver(home / "landing" / f"d{number}" / str(LAST), f"corrected {url[:6]} {number}")
            seconds, arrived = sensor.tick()
            if arrived != 1 or not instance.get_latest_materialization_event(dg.AssetKey(["legacy", f"d{number}"])):
                sys.exit(f"one delivery arrived, and Dagster got {arrived}")
            one.append(seconds)
        sensor.arrivals = Arrivals(settings, external)
        fresh = sensor.tick()[0]
    return {
        "first_look_seconds": round(first, 2),
        "looks_of_20_seconds": looks,
        "deliveries_found": len(set(found)),
        "nothing_new_seconds": round(median(nothing), 2),
        "one_new_seconds": round(median(one), 2),
        "new_code_server_seconds": round(fresh, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--patterns", type=int, default=1000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    found: dict[str, Any] = {"patterns": given.patterns, "days": given.days, "load": round(os.getloadavg()[0], 1)}
    found |= {"interval_seconds": arrival.INTERVAL_SECONDS, "limit_of_a_tick_seconds": 60}
    for name, server in (("sqlite", None), *([("postgresql", SERVER)] if SERVER else [])):
        with tempfile.TemporaryDirectory() as folder, own_schema(server) if server else sqlite() as url:
            declare(Path(folder), given.patterns, given.days)
            found[name] = measure(Path(folder), url, given.runs)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
