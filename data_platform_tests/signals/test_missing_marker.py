"""A completion marker that is declared and never came is named, as far as anybody can have seen it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.legacy.mapping import LegacyMapping
from data_platform.model.arrival import MarkerState
from data_platform.model.dataset import Stage
from data_platform.model.lateness import LateCause, Progress
from data_platform.model.partition_key import PartitionKey
from data_platform.model.root_cause import CauseKind
from data_platform.model.source import Arrival
from data_platform.policies import Policies
from data_platform.signals.look import look
from data_platform.signals.missing_marker import missing_marker
from data_platform.signals.root_cause.gather import explain_incident
from data_platform_tests.signals.test_lateness import (
    DAY,
    DELAYS,
    FLIGHTS,
    LATE_SINCE,
    NOW,
    RATES,
    SUMMARY,
    arrive,
    end,
    found,
    replace_in,
)

MARKER = f"flights/{DAY}/_SUCCESS"
NOT_SEEN = f"its completion marker {MARKER} has not been seen"


@pytest.fixture
def catalog(catalog: Catalog) -> Catalog:
    """Everything before ``DAY`` is there, and so are the rates of the day; the daemon runs."""
    for back in range(1, 13):
        for urn in (FLIGHTS, DELAYS, SUMMARY):
            end(catalog, urn, Stage.CERTIFIED, DAY.shifted(-back))
        arrive(catalog, DAY.shifted(-back))
    arrive(catalog, DAY)
    catalog.scheduler.record(set(), now=NOW - timedelta(seconds=20))
    return catalog


@pytest.fixture
def watched(policies: Policies) -> Policies:
    """The policies with a completion marker for the flights."""
    datasets = []
    for dataset in policies.datasets:
        if dataset.urn == FLIGHTS:
            source = replace_in(dataset.policy.source, marker="_SUCCESS")  # type: ignore[type-var]
            dataset = replace(dataset, policy=replace_in(dataset.policy, source=source))
        datasets.append(dataset)
    return replace(policies, datasets=tuple(datasets))


def see_marker(catalog: Catalog, day: PartitionKey = DAY, **changes: Any) -> None:
    values: dict[str, Any] = {
        "urn": FLIGHTS, "marker": f"flights/{day}/_SUCCESS", "partition": day, "stamp": "1", "waits_for": "",
        "delivery_id": "abc", "deliveries": 1, "changed_at": NOW, "whole_at": NOW,
    }  # fmt: skip
    catalog.arrivals.take_markers([MarkerState(**{**values, **changes})], now=NOW)


def test_a_late_day_names_the_marker_that_never_came(watched: Policies, catalog: Catalog) -> None:
    late = found(watched, catalog, FLIGHTS)

    assert (late.cause, late.reason, late.marker) == (LateCause.JOB_NOT_TRIGGERED, NOT_SEEN, MARKER)


def test_what_waits_for_the_day_is_late_for_the_same_marker(watched: Policies, catalog: Catalog) -> None:
    late = found(watched, catalog, SUMMARY)

    assert (late.cause, late.upstream, late.marker) == (LateCause.UPSTREAM_LATE, (DELAYS, FLIGHTS), MARKER)


def test_it_is_one_incident_whose_root_cause_is_the_delivery(watched: Policies, catalog: Catalog) -> None:
    look(watched, catalog, NOW)

    [incident] = catalog.incidents.active()
    cause = explain_incident(catalog, incident.number, now=NOW).cause
    assert incident.title == f"{FLIGHTS} {DAY} is late: its completion marker has not come"
    assert cause is not None
    assert (cause.kind, cause.dataset) == (CauseKind.NOT_DELIVERED, FLIGHTS)
    assert cause.reason == f"the completion marker never came: {MARKER}"


def test_the_root_cause_is_the_delivery_of_an_input_without_a_deadline(watched: Policies, catalog: Catalog) -> None:
    """Only what is made of it is late."""
    datasets = []
    for dataset in watched.datasets:
        if dataset.urn == FLIGHTS:
            slo = replace_in(dataset.policy.slo, freshness=None)
            dataset = replace(dataset, policy=replace_in(dataset.policy, slo=slo))
        datasets.append(dataset)

    look(replace(watched, datasets=tuple(datasets)), catalog, NOW)

    [incident] = catalog.incidents.active()
    cause = explain_incident(catalog, incident.number, now=NOW).cause
    assert cause is not None
    assert (cause.kind, cause.dataset) == (CauseKind.NOT_DELIVERED, FLIGHTS)


def test_a_marker_whose_delivery_is_incomplete_is_reported_with_what_it_waits_for(
    watched: Policies, catalog: Catalog
) -> None:
    see_marker(catalog, waits_for="flights.csv (90 of 100 bytes)", delivery_id=None, deliveries=0, whole_at=None)

    late = found(watched, catalog, FLIGHTS)

    assert (late.reason, late.marker) == ("waits for flights.csv (90 of 100 bytes)", "")


def test_a_marker_that_came_is_not_missing(watched: Policies, catalog: Catalog) -> None:
    see_marker(catalog)

    late = found(watched, catalog, FLIGHTS)

    assert (late.reason, late.marker) == ("nothing has started for this day", "")


def test_of_a_day_that_runs_no_marker_is_missing(watched: Policies, catalog: Catalog) -> None:
    """Somebody started it by hand."""
    end(catalog, FLIGHTS, Stage.GOLD)

    late = found(watched, catalog, FLIGHTS)

    assert (late.cause, late.marker) == (LateCause.PARTIAL_WRITE, "")


def test_a_dead_daemon_has_seen_no_marker(watched: Policies, catalog: Catalog) -> None:
    catalog.scheduler.record(set(), now=LATE_SINCE - timedelta(hours=9))

    late = found(watched, catalog, FLIGHTS)

    assert late.reason.startswith("Dagster's daemon, or its sensor dead_runs, has not ticked since")
    assert late.reason.endswith(NOT_SEEN)
    assert late.marker == ""


def test_a_sensor_that_is_switched_off_has_seen_no_marker(watched: Policies, catalog: Catalog) -> None:
    catalog.scheduler.record({"arrivals"}, now=NOW)

    late = found(watched, catalog, FLIGHTS)

    assert late.marker == ""
    assert "arrivals is switched off in Dagster" in late.reason


def test_a_daemon_that_died_after_the_marker_came_is_the_reason(watched: Policies, catalog: Catalog) -> None:
    see_marker(catalog)
    catalog.scheduler.record(set(), now=LATE_SINCE - timedelta(hours=9))

    assert found(watched, catalog, FLIGHTS).reason.startswith("Dagster's daemon, or its sensor dead_runs, has not")


def test_the_file_of_a_legacy_job_is_named_too(policies: Policies, catalog: Catalog) -> None:
    watch = {"path": "rates/{partition}", "marker": "*.done"}
    mapping = LegacyMapping.model_validate({"datasets": [{"dataset": RATES, "watch": watch}]})
    catalog.scheduler.record(set(), now=NOW + timedelta(days=1))

    late = found(replace(policies, mappings={"legacy/map.yaml": mapping}), catalog, RATES, NOW + timedelta(days=1))

    assert (late.cause, late.marker) == (LateCause.JOB_NOT_TRIGGERED, f"rates/{DAY.next}/*.done")


@pytest.mark.parametrize(
    ("arrival", "partition", "marker"),
    [
        pytest.param({"path": "x/{dt}/", "marker": "_SUCCESS"}, DAY, f"x/{DAY}/_SUCCESS", id="a folder of the day"),
        pytest.param({"path": "x", "marker": "{partition:%Y%m%d}.ok"}, DAY, "x/20250610.ok", id="a name of the day"),
        pytest.param({"path": "x", "marker": "*.done"}, DAY, "", id="a marker of no certain day"),
        pytest.param({"path": "x", "marker": "_SUCCESS"}, None, "x/_SUCCESS", id="no partitions"),
        pytest.param({"path": "x/{dt}"}, DAY, "", id="no marker"),
    ],
)
def test_the_path_of_a_marker_is_that_of_the_day(
    arrival: dict[str, str], partition: PartitionKey | None, marker: str
) -> None:
    progress = Progress(arrivals={FLIGHTS: Arrival(**arrival)})

    assert missing_marker(progress, FLIGHTS, partition) == marker
