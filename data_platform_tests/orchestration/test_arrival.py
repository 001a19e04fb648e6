"""What arrives is materialized once, in whichever way it was reported, and after any crash."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg
import pytest
import yaml

from data_platform.catalog import Catalog, open_catalog
from data_platform.legacy.arrival import arrival_event
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import mention, run_event
from data_platform.orchestration import arrival
from data_platform.orchestration.arrival import NAME
from data_platform.orchestration.location import build
from data_platform_tests.catalog.arrival.example import REPORT
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import key, specs

NOW = datetime(2025, 6, 3, tzinfo=UTC)
RUN = "00000000-0000-4000-8000-00000000000{}"
LOAD = "AUTOSYS/NIGHT/LOAD"
Document: TypeAlias = dict[str, Any]
DAYS = {"start": "2025-01-01"}
WATCH = {"path": "prices/{dt}", "marker": "_SUCCESS"}
SAID = {
    "jobs": [{"job": "LOAD", "box": "NIGHT", "outputs": ["ds://legacy/positions"]}],
    "datasets": [
        {"dataset": "ds://legacy/positions", "partition": DAYS, "checks": ["row_count"]},
        {"dataset": "ds://legacy/prices", "partition": DAYS, "watch": WATCH},
        {"dataset": "ds://legacy/rates", "checks": ["total", "lag"]},
    ],
}
POSITIONS, PRICES, RATES = (dg.AssetKey(["legacy", name]) for name in ("positions", "prices", "rates"))


class DiedError(Exception):
    """The daemon."""


@contextmanager
def noted(instance: dg.DagsterInstance, most: int | None) -> Iterator[list[Any]]:
    """The materializations and check results that are stored; after ``most`` of them the next one raises."""
    events: list[Any] = []
    store = instance.handle_new_event

    def note(entry: Any, **given: Any) -> None:
        if most is not None and len(events) >= most:
            raise DiedError
        store(entry, **given)
        data = entry.dagster_event.event_specific_data
        events.append(getattr(data, "materialization", data))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instance, "handle_new_event", note)
        yield events


@dataclass
class Daemon:
    """Ticks the location's sensor as Dagster's daemon does, and keeps the cursor after it."""

    estate: Estate
    instance: dg.DagsterInstance
    catalog: Catalog
    cursor: str | None = None

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A new code server."""
        self.definitions = build(self.estate.settings)

    def tick(self, *, dies_after: int | None = None) -> list[Any]:
        """The events that were kept; with ``dies_after`` not more than so many, and no cursor."""
        (sensor,) = (one for one in self.definitions.sensors or () if one.name == NAME)
        assert isinstance(sensor, dg.SensorDefinition)
        with noted(self.instance, dies_after) as events:
            try:
                result = sensor(dg.build_sensor_context(self.instance, cursor=self.cursor))
            except DiedError:
                return events
        if isinstance(result, dg.SkipReason):
            self.skipped = result.skip_message
        else:
            assert isinstance(result, dg.SensorResult)
            self.cursor = result.cursor
        return events

    def tell(self, *documents: dict[str, Any]) -> None:
        self.catalog.events.ingest([read_event(document) for document in documents], now=NOW)

    def materialized(self, asset: dg.AssetKey) -> list[tuple[str | None, str]]:
        """Days and versions, oldest first."""
        records = self.instance.fetch_materializations(asset, limit=100, ascending=True).records
        found = [record.asset_materialization for record in records]
        return [(one.partition, (one.tags or {})["dagster/data_version"]) for one in found if one is not None]


@pytest.fixture
def daemon(tmp_path: Path, instance: dg.DagsterInstance) -> Iterator[Daemon]:
    estate = Estate(tmp_path, spark=None)
    (tmp_path / "policies" / "legacy").mkdir()
    (tmp_path / "policies" / "legacy" / "night.yaml").write_text(yaml.safe_dump(SAID))
    with open_catalog(estate.settings.catalog_url) as catalog:
        yield Daemon(estate, instance, catalog)


def complete(
    number: int, *outputs: dict[str, Any], process: str = "AUTOSYS/NIGHT/LOAD", **parts: Any
) -> dict[str, Any]:
    return run_event("COMPLETE", process, RUN.format(number), time=NOW, outputs=outputs, **parts)


def told(
    version: str, partition: str | None = None, *, urn: str = "ds://legacy/positions", **said: Any
) -> dict[str, Any]:
    event = arrival_event(urn, version, partition, time=NOW, process="AUTOSYS/NIGHT/LOAD", **said)
    document: dict[str, Any] = json.loads(event.payload)
    return document


def test_each_way_to_report_the_day_is_understood(daemon: Daemon) -> None:
    nominal = {"nominalTime": {"nominalStartTime": "2025-06-02T00:00:00Z"}}
    daemon.tell(
        complete(1, mention("ds://legacy/positions", version="2025-05-30", rows=20)),
        complete(2, mention("ds://legacy/positions", version="2025-05-31/v7")),
        told("v1", "2025-06-01"),
        complete(3, mention("ds://legacy/positions"), facets=nominal),
        complete(4, mention("ds://legacy/rates", version="2025-06-01")),
    )

    daemon.tick()

    days = [day for day, _ in daemon.materialized(POSITIONS)]
    assert days == ["2025-05-30", "2025-05-31", "2025-06-01", "2025-06-02"]
    assert daemon.materialized(RATES) == [(None, "2025-06-01")]


def test_a_version_of_no_day_is_shown_without_one(daemon: Daemon) -> None:
    daemon.tell(complete(1, mention("ds://legacy/positions", version="v7")))

    (event,) = daemon.tick()

    assert event.partition is None
    assert event.metadata["day"].value == "not reported: no event names its day"


def test_a_report_is_readable_on_the_asset(daemon: Daemon) -> None:
    said = {"rows": 20, "ratio": 0.5, "ok": True, "extra": {"a": [1, 2]}, "none": None, "many": 2**70, "text": "x"}
    daemon.tell(told("v1", "2025-06-01", rows=20, size=400, path="/in/positions", description="all", metadata=said))

    daemon.tick()

    (record,) = daemon.instance.fetch_materializations(POSITIONS, limit=1).records
    kept = record.asset_materialization
    assert kept is not None
    values = {name: value.value for name, value in kept.metadata.items()}
    assert {name: values[name] for name in said} == {**said, "many": str(2**70)}
    assert (values["dagster/partition_row_count"], values["size_bytes"], values["dagster/uri"]) == (
        20,
        400,
        "/in/positions",
    )
    assert (values["process"], kept.description) == ("AUTOSYS/NIGHT/LOAD", "all")


def test_nothing_is_passed_on_twice(daemon: Daemon) -> None:
    daemon.tell(told("v1", "2025-06-01"))
    daemon.tick()
    daemon.tell(told("v1", "2025-06-01"), told("v1", "2025-06-01"))

    assert daemon.tick() == []
    assert daemon.skipped == "nothing new has arrived"
    assert len(daemon.materialized(POSITIONS)) == 1


@pytest.mark.parametrize("new_server", [False, True])
@pytest.mark.parametrize("kept", [0, 1, 2, 3])
def test_a_daemon_that_dies_between_events_and_cursor_loses_and_doubles_nothing(
    daemon: Daemon, kept: int, new_server: bool
) -> None:
    daemon.tell(
        *(told("v1", f"2025-06-0{day}") for day in (1, 2)), complete(1, mention("ds://legacy/rates", version="a"))
    )
    daemon.tick(dies_after=kept)
    if new_server:
        daemon.start()

    daemon.tick()

    assert sorted(daemon.materialized(POSITIONS)) == [("2025-06-01", "2025-06-01/v1"), ("2025-06-02", "2025-06-02/v1")]
    assert daemon.materialized(RATES) == [(None, "a")]


def test_a_cursor_that_is_lost_repeats_nothing(daemon: Daemon) -> None:
    """As when the code location is renamed."""
    daemon.tell(told("v1", "2025-06-01"))
    daemon.tick()
    daemon.cursor = None
    daemon.start()

    assert daemon.tick() == []


def test_many_arrivals_come_over_several_ticks(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "MOST", 3)
    daemon.tell(*(complete(n, mention("s3://lake/else", version=str(n))) for n in range(1, 4)))
    daemon.tell(*(told("v1", f"2025-05-0{day}") for day in range(1, 8)))

    counts = [len(daemon.tick()) for _ in range(4)]

    assert counts == [3, 3, 1, 0]
    assert len(daemon.materialized(POSITIONS)) == 7


def test_a_day_that_is_not_over_is_held_and_not_forgotten(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "_now", lambda: datetime(2025, 6, 2, 22, tzinfo=UTC))
    daemon.tell(told("v1", "2025-06-02"), told("v1", "2025-06-01"))

    before = [event.partition for event in daemon.tick()]
    waiting = daemon.tick()
    monkeypatch.setattr(arrival, "_now", lambda: datetime(2025, 6, 3, tzinfo=UTC))
    after = [event.partition for event in daemon.tick()]

    assert (before, waiting, after) == (["2025-06-01"], [], ["2025-06-02"])
    assert daemon.skipped == "nothing new has arrived; 1 are of a day that is not over"
    assert daemon.tick() == []


def test_of_what_is_watched_for_only_the_marker_counts(daemon: Daemon) -> None:
    daemon.tell(complete(1, mention("ds://legacy/prices", version="2025-06-01"), process="AUTOSYS/PRICES"))
    before = daemon.tick()
    folder = daemon.estate.root / "landing" / "prices" / "2025-06-01"
    folder.mkdir(parents=True)
    (folder / "prices.csv").write_text("a")
    (folder / "_SUCCESS").touch()

    (event,) = daemon.tick()

    assert before == []
    assert (event.asset_key, event.partition) == (PRICES, "2025-06-01")
    assert event.metadata["marker"].value == "prices/2025-06-01/_SUCCESS"


def test_a_delivery_that_is_not_whole_is_named_where_nothing_happens(daemon: Daemon) -> None:
    folder = daemon.estate.root / "landing" / "prices" / "2025-06-01"
    folder.mkdir(parents=True)
    (folder / "_SUCCESS").touch()
    (folder / "prices.csv").write_text("a")
    os.utime(folder / "_SUCCESS", (0, 0))

    daemon.tick()

    assert daemon.skipped == "nothing new has arrived; 1 of 1 deliveries are not whole yet"


def passing_days(daemon: Daemon) -> set[str]:
    """Days for which Dagster's own condition would start what depends on the asset."""
    found = build(daemon.estate.settings)
    [spec] = [one for one in found.resolve_all_asset_specs() if one.key == POSITIONS]
    there, green = ~dg.AutomationCondition.any_deps_missing(), dg.AutomationCondition.all_deps_blocking_checks_passed()

    @dg.asset(deps=[POSITIONS], partitions_def=spec.partitions_def, automation_condition=there & green)
    def consumer() -> None: ...

    location = dg.Definitions(assets=[spec, consumer], asset_checks=found.asset_checks)
    everything = dg.AssetSelection.all()
    (result,) = dg.evaluate_automation_conditions(
        location, daemon.instance, asset_selection=everything, evaluation_time=NOW
    ).results
    return set(result.true_subset.expensively_compute_partition_keys())


def test_a_reported_check_counts_for_its_day_alone(daemon: Daemon) -> None:
    daemon.tell(told("v1", "2025-06-01"), told("v1", "2025-06-02"))
    daemon.catalog.arrivals.add_report(REPORT)
    daemon.catalog.arrivals.add_report(replace(REPORT, partition="2025-06-02", digest="b", passed=True))

    events = daemon.tick()

    kinds = [type(event) for event in events]
    assert kinds == [dg.AssetMaterialization] * 2 + [dg.AssetCheckEvaluation] * 2
    assert [(event.partition, event.passed) for event in events[2:]] == [("2025-06-01", False), ("2025-06-02", True)]
    assert events[2].metadata["n"].value == 0
    assert passing_days(daemon) == {"2025-06-02"}


def test_a_check_may_change_its_mind_of_the_same_day(daemon: Daemon) -> None:
    daemon.tell(told("v1", "2025-06-01"))
    seen = []
    for number, passed in enumerate((False, True, False, True)):
        daemon.catalog.arrivals.add_report(replace(REPORT, digest=str(number), passed=passed))
        daemon.tick()
        seen.append(passing_days(daemon))

    assert seen == [set(), {"2025-06-01"}, set(), {"2025-06-01"}]


def test_a_check_that_came_first_counts_for_the_first_delivery_and_not_for_the_next(daemon: Daemon) -> None:
    daemon.catalog.arrivals.add_report(replace(REPORT, passed=True))
    daemon.tick()
    daemon.tell(told("v1", "2025-06-01"))
    daemon.tick()
    first = passing_days(daemon)
    daemon.tell(told("v2", "2025-06-01"))
    daemon.tick()

    assert first == {"2025-06-01"}
    assert passing_days(daemon) == set()


def test_a_result_of_no_day_changes_no_day(daemon: Daemon) -> None:
    """C07: an unpartitioned pass must not hide that a day failed."""
    daemon.tell(told("v1", "2025-06-01"))
    daemon.catalog.arrivals.add_report(REPORT)
    daemon.catalog.arrivals.add_report(replace(REPORT, partition=None, digest="b", passed=True))

    daemon.tick()

    assert passing_days(daemon) == set()


def test_the_checks_of_a_mapping_are_the_asset_s(daemon: Daemon) -> None:
    graph = daemon.definitions.resolve_asset_graph()

    assert [check.name for check in graph.get_check_keys_for_assets({POSITIONS})] == ["row_count"]
    assert {check.name for check in graph.get_check_keys_for_assets({RATES})} == {"total", "lag"}
    found = specs(daemon.estate)["legacy/positions"]
    assert isinstance(found.partitions_def, dg.DailyPartitionsDefinition)
    assert specs(daemon.estate)["legacy/prices"].metadata["marker"] == "prices/{dt}/_SUCCESS"


def test_a_check_that_a_job_reports_cannot_be_run(daemon: Daemon) -> None:
    for checks in daemon.definitions.asset_checks or ():
        with pytest.raises(dg.Failure, match="is reported by the job that makes the asset"):
            list(checks())


def test_what_a_policy_lands_with_a_marker_is_a_delivery(declared: Estate, instance: dg.DagsterInstance) -> None:
    source = {"format": "csv", "path": "returns/{partition}", "marker": "_SUCCESS", "producer": "shop"}
    bundle = {"schema": {"constraints": [{"field": "id", "type": "INT"}]}}
    days = {"key": "day", "start": DAY.shifted(-9).value}
    declared.declare("ds://shop/returns", bundle, source=source, partition=days)
    declared.deliver(f"returns/{DAY}", {"returns.csv": "id\n1\n"})
    declared.deliver(f"returns/{DAY}", {"_SUCCESS": ""})

    with open_catalog(declared.settings.catalog_url) as catalog:
        (event,) = Daemon(declared, instance, catalog).tick()

    assert (event.asset_key, event.partition) == (key("shop/returns__landing"), str(DAY))
    found = specs(declared)
    assert key("shop/returns__landing") in {dep.asset_key for dep in found["shop/returns__bronze"].deps}
    assert list(found["shop/returns__landing"].owners) == ["team:tests"]


def test_what_the_stages_make_of_a_delivery_is_not_a_delivery(declared: Estate, instance: dg.DagsterInstance) -> None:
    folder = declared.root / "policies" / "legacy"
    folder.mkdir()
    (folder / "till.yaml").write_text(yaml.safe_dump({"jobs": [{"job": "TILL", "outputs": ["ds://shop/orders"]}]}))
    orders = mention("ds://shop/orders", version=str(DAY))
    with open_catalog(declared.settings.catalog_url) as catalog:
        daemon = Daemon(declared, instance, catalog)
        daemon.tell(complete(1, orders, process="AUTOSYS/TILL"))
        delivered = daemon.tick()

        daemon.tell(complete(2, mention("ds://shop/orders", version="7"), process="DATA_PLATFORM/shop/orders/gold"))

        assert [event.asset_key for event in delivered] == [key("shop/orders__landing")]
        assert daemon.tick() == []


def test_a_cursor_that_was_written_by_hand_is_rejected(daemon: Daemon) -> None:
    daemon.cursor = "yesterday"

    with pytest.raises(dg.Failure, match="was not written by it"):
        daemon.tick()


def test_a_location_without_reported_assets_has_no_such_sensor(declared: Estate) -> None:
    before = [sensor.name for sensor in build(declared.settings).sensors or ()]
    shutil.rmtree(declared.root / "policies" / "datasets" / "market")  # its only external dataset

    assert NAME in before
    assert NAME not in [sensor.name for sensor in build(declared.settings).sensors or ()]
