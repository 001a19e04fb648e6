"""The demo empties only its own folder, and ends with lines that can be pasted into a shell."""

from dataclasses import replace
from pathlib import Path

import pytest

from data_platform.cli import screen
from data_platform.cli.demo import MARKER, Act, _fresh_home, demo_document, look_yourself
from data_platform.cli.demo_late_day import AIRPORT_HOUR, WEATHER, look_at_late_day
from data_platform.cli.guard import DONE, HELD
from data_platform.demo import landing
from data_platform.errors import UsageError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.orchestration.launched import Launched
from data_platform.settings import read_settings
from data_platform_tests.cli.shop import Shop, report
from data_platform_tests.verdicts import all_gates

POLICIES = Path(__file__).parents[2] / "policies"
FAILED = Verdict(gate=Gate.DQ, outcome=Outcome.FAILED)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")

    with pytest.raises(UsageError, match="name another folder with --home"):
        _fresh_home(read_settings({}), tmp_path)

    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_demo_deletes_an_earlier_one_in_its_folder(tmp_path: Path) -> None:
    home = tmp_path / "demo"
    first = _fresh_home(read_settings({}), home)
    (home / "catalog.db").write_text("of the last demo")

    second = _fresh_home(read_settings({}), home)

    assert {path.name for path in home.iterdir()} == {MARKER, "pii.key", "evidence.key"}
    assert first == second
    places = (second.lake, str(second.landing), second.catalog_url, str(second.pii_key_file), str(second.dagster_home))
    assert all(str(home) in place for place in places)
    assert [(home / name).stat().st_mode & 0o077 for name in ("pii.key", "evidence.key")] == [0, 0]


def test_a_demo_that_would_empty_a_strangers_folder_is_wrong_use(tmp_path: Path) -> None:
    shop = Shop(tmp_path)

    result = shop.run("demo", "--home", str(tmp_path))

    assert result.exit_code == 2
    assert f"{tmp_path} is not empty and was not made by this demo" in result.stderr


def test_paths_below_the_working_directory_are_relative() -> None:
    here = Path("/somewhere/platform")

    assert look_yourself(here / ".demo", here)[0] == (
        'export DATA_PLATFORM_HOME="$PWD/.demo" DAGSTER_HOME="$PWD/.demo/dagster"'
    )
    assert '"/elsewhere/dagster"' in look_yourself(Path("/elsewhere"), here)[0]


def test_a_demo_in_a_strangers_folder_is_wrong_use_in_json_too(tmp_path: Path) -> None:
    document = Shop(tmp_path).json("demo", "--home", str(tmp_path), exit_code=2)

    assert "is not empty and was not made by this demo" in document["error"]


def test_the_demo_as_json_has_the_result_of_each_step(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    held = Launched(False, [replace(report("run_1", Stage.SILVER), verdicts=(FAILED,))])
    acts = [Act("A bad day", "2025-01-06", held, HELD), Act("A good day", "2025-01-07", held, DONE)]
    platform = Platform(read_settings({name: value for name, value in shop.environment.items() if value}))

    document = demo_document(acts, platform, tmp_path)

    platform.close()
    assert [(act["title"], act["exit_code"], act["as_expected"]) for act in document["acts"]] == [
        ("A bad day", 3, True),
        ("A good day", 3, False),
    ]
    assert (document["exit_code"], document["home"]) == (1, str(tmp_path))


def test_a_marker_that_never_came_is_one_incident_with_its_message_and_cause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = _fresh_home(read_settings({"DATA_PLATFORM_POLICIES": str(POLICIES)}), tmp_path)
    platform = Platform(settings)
    certify_all_but_the_late_day(platform)

    incident = look_at_late_day(screen.of_run(), platform)

    platform.close()
    printed = capsys.readouterr().out
    marker = "weather/2013-01-03/manifest.json"
    assert incident is not None
    assert (incident.dataset, incident.signature, incident.tier) == (WEATHER, "JOB_NOT_TRIGGERED", "TIER_2")
    assert f"incident {incident.number}: {WEATHER} 2013-01-03 is late: its completion marker has not come" in printed
    assert f"late since 09:00 UTC: {WEATHER}: JOB_NOT_TRIGGERED: its completion marker {marker} has not" in printed
    assert f"late since 13:00 UTC: {AIRPORT_HOUR}: UPSTREAM_LATE: waits for {WEATHER} 2013-01-03" in printed
    assert "other incident" not in printed
    assert f"    Then: data-platform incidents acknowledge {incident.number}" in printed
    assert f"  the answer of data-platform rca {incident.number}:" in printed
    assert f"the completion marker never came: {marker}" in printed
    assert "what to do: ask the producer for the delivery" in printed
    assert [one.dataset for one in incident.blast_radius.affected] == [AIRPORT_HOUR]


def certify_all_but_the_late_day(platform: Platform) -> None:
    """What the demo has made before it looks, without Spark; the weather of the late day is landed as it does."""
    first, second, late = landing.days()
    for day in (first, second):
        landing.land(platform.settings.landing, day)
    landing.land_without_marker(platform.settings.landing, late)
    for dataset in platform.policies.datasets:
        partitions = [PartitionKey.of_value(day) for day in (first, second)] if dataset.policy.partition else [None]
        if dataset.urn not in (WEATHER, AIRPORT_HOUR) and dataset.policy.partition:
            partitions.append(PartitionKey.of_value(late))
        for partition in partitions:
            done = report(f"run_{dataset.id.name}_{partition}", Stage.CERTIFIED, *all_gates(Stage.CERTIFIED))
            platform.catalog.runs.record(replace(done, dataset=dataset.id, partition=partition, version=1), [])
