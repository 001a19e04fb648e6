"""The README and the pages of docs are correct: commands, settings, packages, example and links exist."""

import re
import signal
import tomllib
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
import typer

import data_platform
from data_platform.cli import guard
from data_platform.cli.demo import look_yourself
from data_platform.cli.main import app
from data_platform.definitions import defs
from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.orchestration.asset import assets
from data_platform.orchestration.legacy import LegacyAssets
from data_platform.orchestration.location import build
from data_platform.policies import Policies, load_policies
from data_platform.settings import Settings, read_settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS, SETTINGS, PACKAGES = (
    (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in ("commands", "settings", "packages")
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands(app: typer.Typer, before: tuple[str, ...] = ()) -> Iterator[str]:
    """``status``, ``quarantine list``."""
    for command in app.registered_commands:
        function = command.callback.__name__ if command.callback else ""
        yield " ".join((*before, command.name or function))
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, (*before, str(group.name)))


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"DATA_PLATFORM_HOME": str(tmp_path), "DATA_PLATFORM_POLICIES": str(ROOT / "policies")})


@pytest.fixture
def example(tmp_path: Path) -> Policies:
    """The example as it would lie in an installation."""
    paths = re.findall(r"`policies/(datasets/\S+\.yaml)` declares", README)
    for path, content in zip(paths, blocks("yaml"), strict=True):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return load_policies(tmp_path)


def test_the_readme_is_a_page() -> None:
    assert len(README.splitlines()) <= 120
    assert max(len(line) for line in README.splitlines() if not line.startswith("|")) <= 120


def test_every_make_target_is_named_and_every_named_one_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))

    assert set(re.findall(r"`make ([a-z-]+)`", COMMANDS)) == targets
    assert set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()) == targets


def test_every_command_is_named_and_every_named_one_exists() -> None:
    known = set(commands(app))
    assert named(COMMANDS) == known
    assert named(README) <= known


def named(page: str) -> set[str]:
    known = set(commands(app))
    said = re.findall(r"data-platform ([a-z]+)(?: ([a-z]+(?:-[a-z]+)*)\b)?", page)
    return {f"{first} {second}" if f"{first} {second}" in known else first for first, second in said}


def test_the_command_is_called_as_the_package_installs_it() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]

    assert scripts == {app.info.name: "data_platform.cli.main:app"}


def test_every_setting_is_named_and_every_named_one_exists() -> None:
    with pytest.raises(UsageError) as refused:
        read_settings({"DATA_PLATFORM_NO_SUCH": "x"})

    known = set(re.findall(r"DATA_PLATFORM_\w+", str(refused.value).partition("allowed")[2]))
    assert set(re.findall(r"^\| `(\w+)` \|", SETTINGS, re.MULTILINE)) == known | {"DAGSTER_HOME"}
    assert {name for page in PAGES for name in re.findall(r"DATA_PLATFORM_[A-Z_]*[A-Z]", page.read_text())} <= known


def test_documented_defaults_of_settings_are_the_real_ones() -> None:
    given = dict(re.findall(r"^\| `(\w+)` \|.*\| `([^`]+)` \|$", SETTINGS, re.MULTILINE))
    home = Path(given["DATA_PLATFORM_HOME"]).absolute()
    told = {name: value.replace("<home>", str(home)) for name, value in given.items()}

    settings = read_settings({})

    assert settings.home == home
    assert settings.policies == Path(told["DATA_PLATFORM_POLICIES"]).absolute()
    assert {
        "LAKE": settings.lake,
        "LANDING": str(settings.landing),
        "CATALOG_URL": settings.catalog_url,
        "SPARK_MASTER": settings.spark_master,
        "SPARK_MEMORY": settings.spark_memory,
        "PII_KEY_FILE": str(settings.pii_key_file),
        "EVIDENCE_KEY_FILE": str(settings.evidence_key),
        "KAFKA_TOPIC": settings.kafka_topic,
        "MAX_EVENT_BYTES": str(settings.max_event_bytes),
        "MAX_BATCH_BYTES": str(settings.max_batch_bytes),
        "LEASE_SECONDS": f"{settings.lease.total_seconds():.0f}",
        "LEASE_WAIT_SECONDS": f"{settings.lease_wait.total_seconds():.0f}",
        "GUARD": "on" if settings.guards else "off",
    } == {
        name.removeprefix("DATA_PLATFORM_"): value
        for name, value in told.items()
        if name not in ("DATA_PLATFORM_HOME", "DATA_PLATFORM_POLICIES", "DAGSTER_HOME")
    }
    assert str(settings.dagster_home) == told["DAGSTER_HOME"]


def test_the_exit_codes_are_the_codes() -> None:
    said = COMMANDS.partition("Exit codes:")[2].partition("\n\n")[0]
    codes = {int(code): meaning for code, meaning in re.findall(r"`(\d+)` (\w+)", said)}

    assert codes == {
        guard.DONE: "done",
        guard.ERROR: "an",
        guard.WRONG_USE: "wrong",
        guard.HELD: "a",
        guard.STOPPED: "stopped",
        128 + signal.SIGTERM: "terminated",
        128 + signal.SIGHUP: "hung",
    }


def test_the_lines_for_a_shell_are_those_that_the_demo_prints() -> None:
    printed = look_yourself(ROOT / ".demo", ROOT)

    assert blocks("sh") == ["\n".join(printed) + "\n"]


def test_the_example_is_a_dataset_with_all_stages(example: Policies) -> None:
    orders = example.dataset("ds://sales/orders")

    assert orders.stages == tuple(Stage)
    assert (
        f"data-platform run -s {orders.table} -p {orders.policy.partition and orders.policy.partition.start}" in README
    )
    assert f"`gold_certified.{orders.table}`" in README


def test_the_picture_shows_the_gates_of_each_stage(example: Policies) -> None:
    picture = README.partition("    landing")[2].partition("     │")[0]
    columns = {Stage.BRONZE: slice(16, 32), Stage.SILVER: slice(32, 48), Stage.GOLD: slice(48, 64)}
    lines = [line.ljust(64) for line in picture.splitlines()[2:]]

    for stage, place in columns.items():
        shown = {line[place].strip() for line in lines} - {""}
        assert shown == set(example.dataset("orders").gates(stage))


def test_the_packages_are_those_that_there_are() -> None:
    folder = ROOT / "data_platform"
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}

    assert set(re.findall(r"`data_platform\.(\w+)`", PACKAGES)) == packages | modules
    picture = str(data_platform.__doc__).partition("::\n")[2].partition("Importing any")[0]
    lines = re.findall(r"^ {4}(\w+(?: \| \w+)*)", picture, re.MULTILINE)
    assert {name for line in lines for name in line.split(" | ")} == packages | modules


def test_every_link_to_a_file_has_a_target() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))]

    assert len(links) > len(PAGES)
    assert [(page.name, link) for page, link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached = {ROOT / link for link in re.findall(r"\]\(([^)#]+)\)", README)}

    assert set(PAGES) - {ROOT / "README.md"} <= reached


def test_the_documented_selection_and_sensor_of_dagster_exist(settings: Settings) -> None:
    location = build(settings)
    graph = location.get_repository_def().asset_graph
    selection = re.findall(r"asset materialize -m data_platform\.definitions [^`]*--select '([^']+)'`", README)
    asset = re.findall(r"materialize assets such as `([^`]+)`", README)

    found = {key.to_user_string() for key in dg.AssetSelection.from_string(selection[0]).resolve(graph)}

    assert found == {f"ops/flights{suffix}" for suffix in ("", "__gold", "__silver", "__bronze")}
    assert set(asset) <= found
    assert [sensor.name for sensor in location.sensors or ()] == re.findall(r"sensor\s+`(\w+)`", README)
    assert callable(defs)


def test_an_external_dataset_has_the_key_that_reports_use(tmp_path: Path) -> None:
    [path] = re.findall(r"/report_asset_materialization/([^`]+)`", README)
    folder = tmp_path / "datasets" / "market" / path.split("/")[1]
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_text(f"urn: ds://market/{folder.name}\nowner_team: market\ntier: TIER_3\n")
    (folder / "policy_bundle.yaml").write_text(blocks("yaml")[1].partition("contract_lite")[0])

    [asset] = assets(LegacyAssets(load_policies(tmp_path)))

    assert isinstance(asset, dg.AssetSpec)
    assert asset.key.to_user_string() == path
