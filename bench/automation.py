"""What automation costs: a tick that finds nothing new, and a delivery until its run is requested, beside ``eager``.

Both sides are the assets of the same policy files, each delivered by a completion marker; the other side has Dagster's
``AutomationCondition.eager()`` on each of them. A tick is evaluated in this process, on an instance in memory: what the
daemon spends on its cursor and on writing evaluations is not in it. CPU seconds and seconds, medians of the runs; both
sides take turns. At the end all datasets are delivered at once, and ours is asked for all of their runs. Prints JSON.
"""

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import dagster as dg
from location_policies import urn, write_policies

from data_platform.orchestration.automation import Automation
from data_platform.orchestration.automation_sensor import tick
from data_platform.orchestration.location import build
from data_platform.policies import load_policies
from data_platform.policies.external import ExternalAssets
from data_platform.settings import read_settings

IDLE_TARGET = 3.0
REQUEST_TARGET = 5.0
DAY = "2013-01-02"


def ours(home: Path) -> dg.Definitions:
    return build(read_settings({"DATA_PLATFORM_HOME": str(home), "DATA_PLATFORM_POLICIES": str(home / "policies")}))


def eager(home: Path) -> dg.Definitions:
    """The assets of ours, each of which that runs by itself with Dagster's own condition."""
    condition = dg.AutomationCondition.eager()

    def replaced(spec: dg.AssetSpec) -> dg.AssetSpec:
        is_automated = spec.metadata.get("started_by", "people") != "people"
        return spec.replace_attributes(automation_condition=condition) if is_automated else spec

    return ours(home).map_asset_specs(func=replaced)


def deliver_marked(root: Path) -> None:
    for file in root.rglob("dataset.yaml"):
        file.write_text(file.read_text().replace("  manifest: manifest.json\n", MARKED))


MARKED = "  manifest: manifest.json\n  marker: _SUCCESS\n"


class Side:
    """A graph, its instance, and the cursor of automation on it."""

    def __init__(self, defs: dg.Definitions) -> None:
        self.defs, self.instance, self.cursor = defs, dg.DagsterInstance.ephemeral(), None
        self.assets = len(defs.resolve_asset_graph().get_all_asset_keys())
        self.tick()
        self.tick()  # Dagster's first two remember what is missing

    def tick(self) -> tuple[float, float, int]:
        """CPU seconds, seconds, and how many stages of a day were requested."""
        cpu, clock = time.process_time(), time.perf_counter()
        requested = self.evaluate()
        return time.process_time() - cpu, time.perf_counter() - clock, requested

    def evaluate(self) -> int:
        found: Any = dg.evaluate_automation_conditions(self.defs, self.instance, cursor=self.cursor)
        self.cursor = found.cursor
        return int(found.total_requested)

    def delivery(self, number: int) -> tuple[float, float, int]:
        self.deliver(number)
        return self.tick()

    def deliver(self, number: int) -> None:
        zone, name = urn(number).removeprefix("ds://").split("/")
        days = self.defs.resolve_asset_graph().get(dg.AssetKey([zone, f"{name}__landing"])).partitions_def
        day = (days.get_last_partition_key() if days else None) or DAY
        landing = dg.AssetMaterialization(dg.AssetKey([zone, f"{name}__landing"]), partition=day)
        self.instance.report_runless_asset_event(landing)


class Ours(Side):
    def __init__(self, home: Path) -> None:
        policies = load_policies(home / "policies")
        self.automation = Automation(policies, ExternalAssets(policies))
        super().__init__(ours(home))

    def evaluate(self) -> int:
        now = datetime.now(UTC)
        found = tick(self.automation, self.instance, self.cursor, now=now, began=now)
        self.cursor = found.cursor
        return sum(len(request.asset_selection or ()) for request in found.run_requests or ())


def all_at_once(side: Side, datasets: int) -> dict[str, Any]:
    """Ticks until every dataset that was delivered is asked for, but for those that wait for a reference."""
    for number in range(datasets):
        side.deliver(number)
    clock, requested = time.perf_counter(), []
    while not requested or requested[-1]:
        requested.append(side.tick()[2])
    return {"s": round(time.perf_counter() - clock, 3), "stages_requested": sum(requested)}


def measure(datasets: int, runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_policies(home / "policies", datasets)
        deliver_marked(home / "policies")
        sides = {"ours": Ours(home), "eager": Side(eager(home))}
        idle: dict[str, list[float]] = {name: [] for name in sides}
        request: dict[str, list[float]] = {name: [] for name in sides}
        requested = dict.fromkeys(sides, 0)
        for number in range(runs):
            for name, side in sides.items():
                idle[name].append(side.tick()[0])
                _, seconds, requested[name] = side.delivery(number)
                request[name].append(seconds)
        at_once = all_at_once(sides["ours"], datasets)
    return {
        "datasets": datasets,
        "assets": sides["ours"].assets,
        **{f"idle_cpu_{name}_s": round(median(taken), 3) for name, taken in idle.items()},
        **{f"request_{name}_s": round(median(taken), 3) for name, taken in request.items()},
        "idle_ratio": round(median(idle["ours"]) / median(idle["eager"]), 3),
        "request_ratio": round(median(request["ours"]) / median(request["eager"]), 3),
        "stages_requested": requested,
        "all_delivered_ours": at_once,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, nargs="+", default=[60, 1_000])
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    logging.disable(logging.INFO)
    found = [measure(datasets, given.runs) for datasets in given.datasets]
    print(json.dumps({"idle_cpu_target_s": IDLE_TARGET, "request_target_s": REQUEST_TARGET, "runs": found}, indent=2))


if __name__ == "__main__":
    main()
