"""Each way for a legacy job to report its dataset is one completed run in the catalog and one materialization."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg
import httpx
import pytest
import yaml

from data_platform.catalog import Catalog, open_catalog
from data_platform.legacy.client import register_dataset, register_process
from data_platform.model.access import Role
from data_platform.model.lineage import RunState
from data_platform.orchestration.arrival import NAME
from data_platform.orchestration.location import build
from data_platform_tests.api.served import served
from data_platform_tests.flows.estate import Estate

KEY, URN, DAY = "AUTOSYS/NIGHT/LOAD", "ds://legacy/positions", "2025-06-01"
RUN = "00000000-0000-4000-8000-000000000001"
DATA_PLATFORM = (sys.executable, "-c", "from data_platform.cli.main import app; app()")


@dataclass
class Site:
    """The service, its catalog, the landing zone, and Dagster's sensor, ticked by hand."""

    estate: Estate
    catalog: Catalog
    url: str
    token: str
    instance: dg.DagsterInstance
    cursor: str | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def tick(self) -> None:
        (sensor,) = (one for one in build(self.estate.settings).sensors or () if one.name == NAME)
        assert isinstance(sensor, dg.SensorDefinition)
        result = sensor(dg.build_sensor_context(self.instance, cursor=self.cursor))
        if isinstance(result, dg.SensorResult):
            for event in result.asset_events:
                self.instance.report_runless_asset_event(event)
            self.cursor = result.cursor

    def command(self, *words: str) -> None:
        environment = {**os.environ, **self.environment, "DATA_PLATFORM_RUN": ""}
        subprocess.run([*DATA_PLATFORM, *words], env=environment, check=True, timeout=120, capture_output=True)  # noqa: S603

    def post(self, path: str, document: dict[str, Any]) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        httpx.post(f"{self.url}{path}", json=document, headers=headers, timeout=30).raise_for_status()


Way: TypeAlias = Callable[[Site], None]


def python(_: Site) -> None:
    register_process(KEY, "started", run_id=RUN, strict=True)
    register_dataset(URN, "v7", "completed", partition=DAY, rows=20, process=KEY, run_id=RUN, strict=True)
    register_process(KEY, "completed", run_id=RUN, strict=True)


def shell(site: Site) -> None:
    site.command("legacy", "process", KEY, "started", "--run-id", RUN)
    site.command("legacy", "process", KEY, "completed", "--run-id", RUN, "--output", URN, "--partition", DAY)


def wrapper(site: Site) -> None:
    options = ("--process", KEY, "--run-id", RUN, "--output", URN, "--partition", DAY)
    site.command("legacy", "run", *options, "--", "true")


def http(site: Site) -> None:
    document = {
        "eventType": "COMPLETE",
        "eventTime": f"{DAY}T03:00:00Z",
        "producer": "https://example.net/night",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": RUN},
        "job": {"namespace": "AUTOSYS", "name": "NIGHT/LOAD"},
        "outputs": [{"namespace": "ds://legacy", "name": "positions", "facets": {"version": DAY}}],
    }
    site.post("/api/v1/run_event", document)


def report(site: Site) -> None:
    site.post("/report_asset_materialization/legacy/positions", {"partition": DAY, "data_version": "v7"})


def marker(site: Site) -> None:
    folder = site.estate.root / "landing" / "positions" / DAY
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "positions.csv").write_text("id\n1\n")
    (folder / "_SUCCESS").touch()


@pytest.fixture
def site(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    estate = Estate(tmp_path, spark=None)
    said: dict[str, Any] = {"dataset": URN, "partition": {"start": "2025-01-01"}}
    if "marker" in request.node.name:
        said["watch"] = {"path": "positions/{dt}", "marker": "_SUCCESS"}
    jobs = [{"job": "LOAD", "box": "NIGHT", "outputs": [URN]}]
    (tmp_path / "policies" / "legacy").mkdir()
    (tmp_path / "policies" / "legacy" / "a.yaml").write_text(yaml.safe_dump({"jobs": jobs, "datasets": [said]}))
    now = datetime.now(UTC)
    with open_catalog(estate.settings.catalog_url) as seen, open_catalog(estate.settings.catalog_url) as serving:
        _, token = seen.access.create_token("job", Role.DATA_OWNER, actor="test", actor_role="LOCAL", now=now)
        with dg.DagsterInstance.ephemeral() as instance, served(serving, policies=tmp_path / "policies") as url:
            environment = {
                "DATA_PLATFORM_URL": url,
                "DATA_PLATFORM_TOKEN": token,
                "DATA_PLATFORM_SPOOL": str(tmp_path / "spool"),
            }
            for name, value in environment.items():
                monkeypatch.setenv(name, value)
            monkeypatch.delenv("DATA_PLATFORM_RUN", raising=False)
            yield Site(estate, seen, url, token, instance, environment=environment)


@pytest.mark.parametrize("way", [python, shell, wrapper, http, report, marker])
def test_it_ends_in_one_run_and_one_materialization(site: Site, way: Way) -> None:
    for _ in range(2):  # whoever tells it twice has told it once
        way(site)
        site.tick()
        site.tick()

    (run,) = site.catalog.lineage.process_runs(KEY).items
    assert run.status is RunState.COMPLETED
    assert [use.full_name for use in run.datasets if use.role == "OUTPUT"] == [URN]
    (record,) = site.instance.fetch_materializations(dg.AssetKey(["legacy", "positions"]), limit=10).records
    assert record.partition_key == DAY
    made = record.asset_materialization
    assert made is not None
    assert made.metadata["process"].value == KEY
    assert made.metadata["run"].value == run.run_uuid
    (version,) = site.catalog.lineage.versions(URN).items
    assert made.metadata["version"].value == version.tag


def test_a_wrapped_job_and_the_marker_that_it_writes_are_one_run(site: Site) -> None:
    """``marker`` in this test's name has the dataset watched for: only the marker starts what follows."""
    wrapper(site)
    site.tick()
    before = site.instance.fetch_materializations(dg.AssetKey(["legacy", "positions"]), limit=10).records
    marker(site)
    site.tick()

    assert before == []
    (run,) = site.catalog.lineage.process_runs(KEY).items
    (record,) = site.instance.fetch_materializations(dg.AssetKey(["legacy", "positions"]), limit=10).records
    assert record.asset_materialization is not None
    assert record.asset_materialization.metadata["run"].value == run.run_uuid
    assert run.run_uuid == RUN
