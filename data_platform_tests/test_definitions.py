"""The code location loads from this repository's own files, does nothing on import, and runs by Dagster's own command.

A run that is started here has a Spark session of its own, so there are only two.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import dagster as dg
import pytest
import yaml

from data_platform.orchestration.dagster_types import urn_of
from data_platform.orchestration.location import build
from data_platform.policies import Policies, load_policies
from data_platform.policies.external import ExternalAssets
from data_platform.settings import Settings, read_settings
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, declare_orders, orders

ROOT = Path(__file__).parents[1]
TIMEOUT_SECONDS = 600
HEAVY = ("pyspark", "pandera", "pandas", "delta", "deltalake", "py4j", "apprise")


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """This Python, in the repository's folder, with nothing of the platform in the environment but what is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATA_PLATFORM_", "DAGSTER_"))}
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"DATA_PLATFORM_HOME": str(tmp_path), "DATA_PLATFORM_POLICIES": str(ROOT / "policies")})


@pytest.fixture(scope="module")
def policies() -> Policies:
    return load_policies(ROOT / "policies")


def test_the_repositorys_policies_make_a_location_that_loads(settings: Settings, policies: Policies) -> None:
    location = build(settings)

    dg.Definitions.validate_loadable(location)

    keys = [spec.key for spec in location.resolve_all_asset_specs()]
    deliveries = sum(asset.landed for asset in ExternalAssets(policies).by_urn.values())
    assert len(keys) == len(set(keys)) == sum(len(dataset.stages) or 1 for dataset in policies.datasets) + deliveries
    assert {urn_of(key) for key in keys} == {dataset.urn for dataset in policies.datasets}


def test_every_dataset_of_the_repository_has_its_owner_its_zone_and_its_deadline(
    settings: Settings, policies: Policies
) -> None:
    specs = build(settings).resolve_all_asset_specs()

    assert len(specs) > len(policies.datasets) > 1
    for spec in specs:
        dataset = policies.dataset(urn_of(spec.key))
        assert f"team:{dataset.policy.owner_team}" in spec.owners
        assert spec.group_name == dataset.id.zone
        assert (spec.freshness_policy is not None) is (dataset.policy.slo.freshness is not None)
        assert (spec.partitions_def is not None) is (dataset.policy.partition is not None)


def test_building_a_location_writes_nothing(settings: Settings) -> None:
    build(settings)

    assert list(settings.home.iterdir()) == []


def test_workspace_and_pyproject_name_the_same_location() -> None:
    [entry] = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["dagster"]

    module = entry["python_module"]
    assert module["module_name"] == project["module_name"] == "data_platform.definitions"
    assert module["location_name"] == project["code_location_name"] == "data_platform"
    assert (ROOT / module["working_directory"]).resolve() == ROOT


@pytest.mark.parametrize("options", [pytest.param([], id="pyproject"), pytest.param(["-w", "workspace.yaml"])])
def test_dagsters_own_validation_takes_the_location(tmp_path: Path, options: list[str]) -> None:
    home = tmp_path / "dagster"
    home.mkdir()

    done = python(
        "-m", "dagster", "definitions", "validate", *options,
        DATA_PLATFORM_HOME=str(tmp_path), DAGSTER_HOME=str(home),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "data_platform" in done.stdout + done.stderr


def test_loading_the_location_imports_no_spark(tmp_path: Path) -> None:
    program = (
        "import json, sys; import data_platform.definitions as d; d.defs(); "
        f"print(json.dumps(sorted(set(sys.modules) & set({HEAVY!r}))))"
    )

    done = python("-c", program, DATA_PLATFORM_HOME=str(tmp_path))

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_importing_the_definitions_reads_no_environment_and_touches_no_file_of_ours(tmp_path: Path) -> None:
    """An audit hook records each opened file, except Python's own and those of its packages."""
    program = """
import sys
done = []
others = (sys.prefix, sys.base_prefix, sys.exec_prefix, "/proc", "/etc", "/usr", "/dev", "__editable__")  # pip's hook
def hear(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        if not arguments[0].startswith(others) and not arguments[0].endswith((".py", ".pyc")):
            done.append("open " + arguments[0])
    if event in ("socket.connect", "sqlite3.connect", "subprocess.Popen", "os.mkdir"):
        done.append(event)
import dagster
sys.addaudithook(hear)
import data_platform.definitions
print([name for name in done if "__pycache__" not in name])
"""

    done = python("-c", program, DATA_PLATFORM_HOME=str(tmp_path / "none"), DATA_PLATFORM_POLICIES="none")

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_wrong_policies_keep_the_location_from_loading_and_name_file_and_line(tmp_path: Path) -> None:
    estate = Estate(tmp_path, spark=None)
    declare_orders(estate, {"contract": {"unique": ["nothing_of_ours"]}})

    done = python(
        "-c", "import data_platform.definitions as d; d.defs()",
        DATA_PLATFORM_HOME=str(tmp_path), DATA_PLATFORM_POLICIES=str(estate.settings.policies),
    )  # fmt: skip

    assert done.returncode == 1
    assert "policies/datasets/sales/orders/policy_bundle.yaml:" in done.stderr
    assert "nothing_of_ours is not declared" in done.stderr


def test_dagsters_own_command_runs_a_good_day_and_fails_on_a_held_one(tmp_path: Path) -> None:
    estate = Estate(tmp_path, spark=None)
    declare_orders(estate)
    orders(estate, "1,10.50,first", "2,3,")
    next_day = DAY.next
    orders(estate, "3,1,first", "3,2,the same id again", day=next_day)
    (tmp_path / "dagster").mkdir()
    stages = ",".join(f"sales/orders{suffix}" for suffix in ("__bronze", "__silver", "__gold", ""))

    def materialize(day: str) -> subprocess.CompletedProcess[str]:
        return python(
            "-m", "dagster", "asset", "materialize", "-m", "data_platform.definitions",
            "--select", stages, "--partition", day,
            DATA_PLATFORM_HOME=str(tmp_path), DATA_PLATFORM_POLICIES=str(estate.settings.policies),
            DATA_PLATFORM_SPARK_MASTER="local[2]", DATA_PLATFORM_SPARK_MEMORY="1g",
            DAGSTER_HOME=str(tmp_path / "dagster"),
        )  # fmt: skip

    good = materialize(str(DAY))
    held = materialize(str(next_day))

    assert good.returncode == 0, good.stderr
    assert held.returncode == 1, held.stderr
    assert f"gold of {ORDERS} {next_day} was held" in held.stderr
    assert "G4_CONTRACT: NOT_UNIQUE:id: 1 row" in held.stderr
    platform = estate.platform()
    pointer = platform.catalog.certifications.get(ORDERS)
    platform.close()
    assert (pointer.status, pointer.attempt_partition) == ("HELD_AT_PREVIOUS", str(next_day))
    assert pointer.partition == str(DAY)
    certified = dg.AssetKey(["sales", "orders"])
    with dg.DagsterInstance.from_config(str(tmp_path / "dagster")) as instance:
        [event] = instance.fetch_materializations(certified, limit=10).records
    assert event.partition_key == str(DAY)
    assert event.asset_materialization.metadata["delta_version"].value == pointer.judged_version
