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

ZONES = 10
TYPES = ("INT", "STRING", "DECIMAL(18,2)", "DATE", "TIMESTAMP", "DOUBLE")
COLUMNS = [("day", "DATE"), *((f"c{n}", TYPES[n % len(TYPES)]) for n in range(11))]
CHECKS = {
    "bronze": ("G1_RESOLUTION", "G2_IDENTITY", "G3_SCHEMA"),
    "silver": ("G4_CONTRACT", "G5_PII", "DQ"),
    "gold": ("G3_SCHEMA", "G4_CONTRACT", "G5_PII"),
    "gold_certified": ("CERTIFICATION",),
}
HEAVY = ("pyspark", "pandera", "pandas", "sqlglot")
BELOW_ALL = Path(__file__).resolve().parent.parent


def rules(n: int) -> list[str]:
    return [
        f"c0 BETWEEN {n} AND {n + 1500}",
        f"c2 > {n}",
        f"c1 IS NULL OR length(c1) < {n + 10}",
        f"(c4 IS NULL) = (c6 IS NULL AND c0 <> {n})",
        f"c5 % 100 < {n + 60} AND c5 >= 0",
    ]


def write_policies(root: Path, datasets: int) -> None:
    for n in range(datasets):
        folder = root / "datasets" / f"zone{n % ZONES}" / f"d{n}"
        folder.mkdir(parents=True)
        (folder / "dataset.yaml").write_text(dataset_yaml(n))
        (folder / "policy_bundle.yaml").write_text(bundle_yaml(n))


def dataset_yaml(n: int) -> str:
    return f"""\
# yaml-language-server: $schema=../../../schemas/dataset.schema.json
urn: {urn(n)}
description: >-
  One row for each event of source {n} on the day,
  cancelled ones included.
owner_team: team-{n % 7}
owner_email: team-{n % 7}@example.com
tier: TIER_{n % 3 + 1}
category: operations
tags: [daily, group-{n % 20}]
partition:
  key: day
  start: 2013-01-01
  time_zone: America/New_York
source:
  format: csv
  path: d{n}/{{partition}}
  manifest: manifest.json
  producer: export-{n}
slo:
  freshness:
    expected_update_by: "06:{n % 60:02} ET daily"
    grace_period: "30m"
    partition_key: day
  volume:
    min_rows_per_partition: 500 # the quietest day
"""


def bundle_yaml(n: int) -> str:
    columns = "".join(
        f'    - {{field: {name}, type: "{kind}", nullable: {"false" if name == "day" else "true"}, '
        f'description: "Column {name} of source {n}"}}\n'
        for name, kind in COLUMNS
    )
    invariants = "".join(f'    - {{id: rule_{i}, rule: "{rule}"}}\n' for i, rule in enumerate(rules(n)))
    return f"""\
# yaml-language-server: $schema=../../../schemas/policy_bundle.schema.json
schema:
  mode: strict
  constraints:
{columns}contract_lite:
  required_fields: [day, c0]
  invariants:
{invariants}  min_compliance: 0.95
contract:
  unique:
    - [day, c0]
  references:
    - {{fields: [c1], dataset: "{urn(n // 2)}", key: [c1]}}
pii:
  detection:
    - {{pattern: EMAIL, action: tokenize, fields: [c7]}}
    - {{pattern: PHONE, action: mask}}
dq:
  min_rows: 500
  metrics:
    - {{field: c0, max_null_rate: 0.25, severity: WARN}}
"""


def urn(n: int) -> str:
    return f"ds://zone{n % ZONES}/d{n}"


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
        sensors=[dg.AutomationConditionSensorDefinition("on_certification", target=dg.AssetSelection.all())],
    )


def bare_asset(n: int, stage: str, days: Any) -> Any:
    import dagster as dg

    key = dg.AssetKey([stage, f"d{n}"])

    @dg.multi_asset(
        name=f"{stage}__d{n}",
        specs=[bare_spec(n, stage, days).with_io_manager_key("io_manager")],
        check_specs=[
            dg.AssetCheckSpec(name, asset=key, blocking=True, description="A gate.") for name in CHECKS[stage]
        ],
        can_subset=False,
        required_resource_keys={"platform"},
        pool=f"dataset_d{n}",
    )
    def trivial(context: dg.AssetExecutionContext) -> Iterator[Any]:
        yield dg.MaterializeResult(asset_key=key)

    return trivial


def bare_spec(n: int, stage: str, days: Any) -> Any:
    import dagster as dg

    before = {"silver": "bronze", "gold": "silver", "gold_certified": "gold"}.get(stage)
    deps = [dg.AssetKey([before, f"d{n}"])] if before else []
    if stage == "gold" and n:  # the first refers to itself
        deps.append(dg.AssetKey(["gold_certified", f"d{n // 2}"]))
    same_day = dg.IdentityPartitionMapping()
    metadata: dict[str, Any] = {"urn": urn(n), "dagster/table_name": f"{stage}.d{n}"}
    if stage != "bronze":
        metadata["dagster/column_schema"] = bare_schema(n)
    return dg.AssetSpec(
        dg.AssetKey([stage, f"d{n}"]),
        deps=[dg.AssetDep(dep, partition_mapping=same_day) for dep in deps],
        description=f"One row for each event of source {n} on the day, cancelled ones included.",
        owners=[f"team:team-{n % 7}", f"team-{n % 7}@example.com"],
        group_name=f"zone{n % ZONES}",
        kinds={"deltalake", "spark", stage.split("_")[0]},
        tags={"tier": f"TIER_{n % 3 + 1}", "stage": stage, "daily": "", f"group-{n % 20}": ""},
        metadata=metadata,
        code_version="0123456789abcdef",
        partitions_def=days,
        freshness_policy=bare_freshness(n % 60),
    )


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
    """What was defined, as numbers and one digest; descriptions and code versions are each side's own."""
    digest = hashlib.sha256()
    for key in sorted(graph.get_all_asset_keys()):
        spec = graph.get(key).assets_def.get_asset_spec(key)
        freshness = spec.freshness_policy
        schema = spec.metadata.get("dagster/column_schema")
        said = [
            *(
                key.path,
                sorted(map(str, spec.deps)),
                sorted(spec.owners),
                sorted(spec.tags.items()),
            ),
            *(spec.group_name, sorted(spec.kinds), str(spec.metadata), str(schema), str(spec.partitions_def)),
            *(str(freshness), str(spec.automation_condition), sorted(str(k) for k in graph.get(key).check_keys)),
        ]
        digest.update(json.dumps(said).encode())
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
    """One fresh process; ``seconds`` is from before its start. The clock is the machine's, the same in all processes."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(home / "bytecode"), "PYTHONPATH": str(BELOW_ALL)}
    command = [sys.executable, __file__, "--side", side, "--home", str(home), "--datasets", str(datasets)]
    start = time.monotonic()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603 - this file
    told: dict[str, Any] = json.loads(done.stdout)
    return {**told, "seconds": round(told.pop("at") - start, 3)}


def measure(home: Path, datasets: int, runs: int) -> dict[str, Any]:
    write_policies(home / "policies", datasets)
    first = {side: run(side, home, datasets) for side in ("ours", "bare")}  # compiles; not counted
    same = ("assets", "checks", "digest")
    if [first["ours"][k] for k in same] != [first["bare"][k] for k in same]:
        sys.exit("ours and bare do not define the same assets: their times cannot be compared")
    taken: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(runs):
        for side, seconds in taken.items():
            seconds.append(run(side, home, datasets)["seconds"])
    middle = {side: median(seconds) for side, seconds in taken.items()}
    return {
        "datasets": datasets,
        "ratio": round(middle["ours"] / middle["bare"], 3),
        "target": 1.5,
        **{f"{side}_s": middle[side] for side in middle},
        **{k: v for k, v in first["ours"].items() if k in same[:2] or k.startswith("imports_")},
        "first_ours_s": first["ours"]["seconds"],
        "seconds": taken,
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
