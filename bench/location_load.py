"""What governing costs a code location at its start: ours, from policy files, against bare Dagster of the same shape.

Each figure is of a fresh process, from its start to a loaded repository and its asset graph: what a code server does
before it answers. The two take turns, so that the ratio of their medians holds on a noisy machine. The bare side is
built from constants in memory with trivial bodies; it is checked that both define the same assets, with the same specs.
No rule is shared by two datasets, so nothing that remembers a rule helps. Prints JSON.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from location_policies import COLUMNS, ZONES, rules, urn, write_policies

CHECKS = {
    "bronze": ("G1_RESOLUTION", "G2_IDENTITY", "G3_SCHEMA"),
    "silver": ("G4_CONTRACT", "G5_PII", "DQ"),
    "gold": ("G3_SCHEMA", "G4_CONTRACT", "G5_PII"),
    "gold_certified": ("CERTIFICATION",),
}
HEAVY = ("pyspark", "pandera", "pandas", "sqlglot")
REPOSITORY = Path(__file__).resolve().parent.parent


def ours(home: Path, datasets: int) -> Any:  # noqa: ARG001 - both sides are called alike
    from data_platform.orchestration.location import build
    from data_platform.settings import read_settings

    return build(read_settings({"DATA_PLATFORM_HOME": str(home), "DATA_PLATFORM_POLICIES": str(home / "policies")}))


def bare(home: Path, datasets: int) -> Any:  # noqa: ARG001
    import dagster as dg

    days = dg.DailyPartitionsDefinition(start_date="2013-01-01", timezone="America/New_York")
    assets = [bare_asset(n, stage, days) for n in range(datasets) for stage in CHECKS]
    return dg.Definitions(
        assets=assets,
        resources={
            "platform": dg.ResourceDefinition.hardcoded_resource(None),
            "io_manager": dg.IOManagerDefinition.hardcoded_io_manager(dg.InMemoryIOManager()),
        },
        executor=dg.in_process_executor,
    )


def bare_asset(n: int, stage: str, days: Any) -> Any:
    import dagster as dg

    key = dg.AssetKey(bare_key(n, stage))

    @dg.multi_asset(
        name=f"zone{n % ZONES}__d{n}__{stage}",
        specs=[bare_spec(n, stage, days).with_io_manager_key("io_manager")],
        check_specs=[
            dg.AssetCheckSpec(name, asset=key, blocking=True, description="A gate.") for name in CHECKS[stage]
        ],
        can_subset=False,
        required_resource_keys={"platform"},
        pool=f"dataset_zone{n % ZONES}__d{n}",
    )
    def trivial(context: dg.AssetExecutionContext) -> Iterator[Any]:  # noqa: ARG001 - as an op of ours has it
        yield dg.MaterializeResult(asset_key=key)

    return trivial


def bare_spec(n: int, stage: str, days: Any) -> Any:
    import dagster as dg

    before = {"silver": "bronze", "gold": "silver", "gold_certified": "gold"}.get(stage)
    deps = [dg.AssetKey(bare_key(n, before))] if before else []
    if stage == "gold" and n:  # the first refers to itself
        deps.append(dg.AssetKey(bare_key(n // 2, "gold_certified")))
    same_day = dg.IdentityPartitionMapping()
    metadata: dict[str, Any] = {"urn": urn(n), "dagster/table_name": f"{stage}.zone{n % ZONES}__d{n}"}
    if stage != "bronze":
        metadata["dagster/column_schema"] = bare_schema(n)
    metadata["started_by"] = "people"
    return dg.AssetSpec(
        dg.AssetKey(bare_key(n, stage)),
        deps=[dg.AssetDep(dep, partition_mapping=same_day) for dep in deps],
        description=f"One row for each event of source {n} on the day, cancelled ones included.",
        owners=[f"team:team-{n % 7}", f"team-{n % 7}@example.com"],
        group_name=f"zone{n % ZONES}",
        kinds={"deltalake", "spark", stage.removeprefix("gold_")},
        tags={"tier": f"TIER_{n % 3 + 1}", "stage": stage, "daily": "", f"group-{n % 20}": ""},
        metadata=metadata,
        code_version="0123456789abcdef",
        partitions_def=days,
        freshness_policy=bare_freshness(n % 60),
    )


def bare_key(n: int, stage: str) -> list[str]:
    return [f"zone{n % ZONES}", f"d{n}" if stage == "gold_certified" else f"d{n}__{stage}"]


@cache
def bare_freshness(minute: int) -> Any:
    """Shared by datasets of one deadline, though most would write it out for each: one costs milliseconds."""
    import dagster as dg

    return dg.FreshnessPolicy.cron(
        deadline_cron=f"{(minute + 30) % 60} {6 + (minute + 30) // 60} * * *",
        lower_bound_delta=timedelta(hours=23),
        timezone="America/New_York",
    )


@cache
def bare_schema(n: int) -> Any:
    import dagster as dg

    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=name,
                type=kind.lower(),
                description=f"Column {name} of source {n}",
                constraints=dg.TableColumnConstraints(nullable=name != "day"),
                tags={"pii": ""} if name == "c7" else {},
            )
            for name, kind in COLUMNS
        ],
        constraints=dg.TableConstraints(other=[*rules(n), "unique(day, c0)"]),
    )


def shape(graph: Any) -> dict[str, Any]:
    """What was defined, as numbers and one digest; descriptions, code versions and links are each side's own."""
    digest = hashlib.sha256()
    for key in sorted(graph.get_all_asset_keys()):
        spec = graph.get(key).assets_def.get_asset_spec(key)
        metadata = {name: value for name, value in spec.metadata.items() if name != "dagster/code_references"}
        listed = [
            key.path,
            sorted(map(str, spec.deps)),
            sorted(spec.owners),
            sorted(spec.tags.items()),
            sorted(spec.kinds),
            sorted(str(check) for check in graph.get(key).check_keys),
            *map(str, (spec.group_name, metadata, spec.partitions_def, spec.freshness_policy)),
        ]
        digest.update(json.dumps(listed).encode())
    return {
        "assets": len(graph.get_all_asset_keys()),
        "checks": len(graph.asset_check_keys),
        "digest": digest.hexdigest()[:16],
    }


def load(side: str, home: Path, datasets: int) -> None:
    """In the fresh process: load, note the time, and only then look at what was loaded."""
    defs = (ours if side == "ours" else bare)(home, datasets)
    repository = defs.get_repository_def()
    repository.load_all_definitions()
    graph = repository.asset_graph
    loaded = {"at": time.monotonic(), "cpu": round(time.process_time(), 3)}
    imported = {f"imports_{name}": name in sys.modules for name in HEAVY}
    print(json.dumps({**loaded, **shape(graph), **imported}))


def run(side: str, home: Path, datasets: int) -> dict[str, Any]:
    """One fresh process; ``seconds`` is from before its start. All processes read the machine's one clock."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(home / "bytecode"), "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, __file__, "--side", side, "--home", str(home), "--datasets", str(datasets)]
    start = time.monotonic()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603 - this file
    results: dict[str, Any] = json.loads(done.stdout)
    return results | {"seconds": round(results["at"] - start, 3)}


def measure(home: Path, datasets: int, runs: int) -> dict[str, Any]:
    write_policies(home / "policies", datasets)
    first = {side: run(side, home, datasets) for side in ("ours", "bare")}  # compiles; not counted
    same = ("assets", "checks", "digest")
    if [first["ours"][k] for k in same] != [first["bare"][k] for k in same]:
        sys.exit("ours and bare do not define the same assets: their times cannot be compared")
    taken: dict[str, list[dict[str, Any]]] = {"ours": [], "bare": []}
    for _ in range(runs):
        for side, results in taken.items():
            results.append(run(side, home, datasets))
    seconds = {side: [one["seconds"] for one in results] for side, results in taken.items()}
    cpu = {side: median(one["cpu"] for one in results) for side, results in taken.items()}
    return {
        "datasets": datasets,
        "ratio": round(median(seconds["ours"]) / median(seconds["bare"]), 3),
        "target": 1.5,
        "cpu_ratio": round(cpu["ours"] / cpu["bare"], 3),
        **{f"{side}_s": median(found) for side, found in seconds.items()},
        **{k: v for k, v in first["ours"].items() if k in same[:2] or k.startswith("imports_")},
        "seconds": seconds,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--side", choices=("ours", "bare"), help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.side:
        load(given.side, given.home, given.datasets)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.datasets, given.runs)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
