"""One instance, opened by any process: its storage is the catalog's, and one process at a time writes its files."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
import yaml

from data_platform.errors import EnvironmentProblem, SourceUnavailableError
from data_platform.orchestration.instance import INSTANCE, opened_instance, prepare_home
from data_platform.orchestration.job import LOCATION
from data_platform.orchestration.storage import postgres_url
from data_platform.settings import Settings, read_settings

ROOT = Path(__file__).parents[2]
EARLIER = (
    "telemetry: {enabled: false}\nnux: {enabled: false}\nconcurrency:\n  pools: {default_limit: 1, granularity: op}\n"
)
OPEN = """
from data_platform.orchestration.instance import opened_instance
from data_platform.settings import read_settings
with opened_instance(read_settings()) as instance:
    print(len(instance.get_runs()), instance.event_log_storage.get_maximum_record_id())
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"DATA_PLATFORM_HOME": str(tmp_path / "home")})


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Opening an instance leaves its variables behind."""
    from data_platform.orchestration.instance import environment_of

    for name, value in environment_of(settings).items():
        monkeypatch.setenv(name, value)


def test_a_storage_that_breaks_while_it_is_used_is_named_with_what_to_do(settings: Settings) -> None:
    def use(instance: dg.DagsterInstance) -> None:
        for file in settings.dagster_home.rglob("runs.db"):
            file.write_bytes(b"no database" * 1000)
        instance.get_runs()

    wanted = r"Dagster's storage below \S+ \(DAGSTER_HOME\) cannot be used: .* not a database; free space there"
    with pytest.raises(EnvironmentProblem, match=wanted), opened_instance(settings) as instance:
        use(instance)


def test_the_repositorys_own_file_is_what_every_home_gets() -> None:
    assert (ROOT / "dagster.yaml").read_text() == INSTANCE


@pytest.mark.parametrize("found", [None, EARLIER, "# Written by `data-platform up`: of before\nstorage: {}\n"])
def test_a_home_gets_the_one_instance_file_in_place_of_our_earlier_ones(settings: Settings, found: str | None) -> None:
    file = settings.dagster_home / "dagster.yaml"
    file.parent.mkdir(parents=True)
    if found is not None:
        file.write_text(found)

    workspace = prepare_home(settings)

    assert file.read_text() == INSTANCE
    [location] = yaml.safe_load(workspace.read_text())["load_from"]
    assert location["python_module"]["location_name"] == LOCATION == "data_platform"


def test_a_file_of_another_author_stays(settings: Settings) -> None:
    file = settings.dagster_home / "dagster.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("telemetry: {enabled: true}\n")

    prepare_home(settings)

    assert file.read_text() == "telemetry: {enabled: true}\n"


def test_processes_that_open_a_new_home_at_once_find_it_whole() -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", OPEN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(3)
    ]

    ends = [(*process.communicate(timeout=120), process.returncode) for process in processes]

    assert [code for _, _, code in ends] == [0, 0, 0], ends


def test_dagsters_own_way_to_open_a_home_finds_the_runs_of_ours(settings: Settings) -> None:
    @dg.op
    def nothing() -> None: ...

    @dg.job
    def job() -> None:
        nothing()

    with opened_instance(settings) as instance:
        run_id = instance.create_run_for_job(job).run_id

    with dg.DagsterInstance.get() as instance:  # as `dagster dev` does, which reads DAGSTER_HOME
        assert instance.has_run(run_id)
    assert (settings.dagster_home / "history" / "runs.db").exists()


def test_a_postgresql_that_is_away_is_our_error_without_its_password(settings: Settings) -> None:
    away = replace(settings, catalog_url="postgresql://someone:secret@127.0.0.1:9/nowhere")

    with pytest.raises(SourceUnavailableError, match="DATA_PLATFORM_CATALOG_URL") as told, opened_instance(away):
        pass

    assert "secret" not in str(told.value)


def test_a_home_that_cannot_be_made_names_the_settings(settings: Settings) -> None:
    settings.home.parent.joinpath("home").touch()

    with pytest.raises(EnvironmentProblem, match=r"DATA_PLATFORM_HOME.*DAGSTER_HOME"):
        prepare_home(settings)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg2"])
def test_dagster_gets_the_driver_that_it_brings(scheme: str) -> None:
    assert postgres_url(f"{scheme}://u:p@h/d") == "postgresql+psycopg2://u:p@h/d"
    assert postgres_url("sqlite:////tmp/catalog.db") is None
