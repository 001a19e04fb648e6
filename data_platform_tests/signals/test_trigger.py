"""Why nothing has started: as far as the catalog knows it, without any process of Dagster."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.legacy.mapping import LegacyMapping
from data_platform.model.lateness import LegacyJob, Progress
from data_platform.model.legacy import LegacySchedule
from data_platform.model.process import TriggerMode
from data_platform.model.scheduler_state import SchedulerState
from data_platform.policies import Dataset, Policies
from data_platform.signals.lateness import find_late
from data_platform.signals.trigger import SILENT, why_not_triggered
from data_platform_tests.catalog.legacy.estate import Estate as LegacyEstate

LATE_SINCE = datetime(2025, 6, 11, 10, 30, tzinfo=UTC)
NOW = LATE_SINCE + timedelta(hours=4)
DEAD = LATE_SINCE - timedelta(hours=5)
FLIGHTS, DELAYS, RATES = "ds://ops/flights", "ds://ops/delays", "ds://market/rates"
NOTHING = "nothing has started for this day"


@pytest.fixture
def dataset(policies: Policies) -> Callable[..., Dataset]:
    def dataset_of(urn: str, trigger: TriggerMode = TriggerMode.DATASET, schedule: str | None = None) -> Dataset:
        found = policies.dataset(urn)
        if found.process is None:
            return found
        return replace(found, process=found.process.model_copy(update={"trigger": trigger, "schedule": schedule}))

    return dataset_of


def why(dataset: Dataset, scheduler: SchedulerState | None = None, waits_for: str = "", **progress: Any) -> str:
    facts = Progress(scheduler=scheduler or SchedulerState(), **progress)
    return why_not_triggered(dataset, facts, waits_for, late_since=LATE_SINCE, now=NOW)


def test_a_daemon_that_stopped_before_the_day_was_late_is_the_reason(dataset: Callable[..., Dataset]) -> None:
    dead = SchedulerState(ticked_at=DEAD)

    assert why(dataset(DELAYS), dead) == (
        "Dagster's daemon, or its sensor dead_runs, has not ticked since 2025-06-11 05:30 UTC"
    )
    assert why(dataset(FLIGHTS), dead) == NOTHING  # people start it
    assert why(dataset(FLIGHTS), dead, "waits for flights.ok").endswith("05:30 UTC; waits for flights.ok")


@pytest.mark.parametrize(
    "ticked_at",
    [
        pytest.param(None, id="Dagster was never used"),
        pytest.param(NOW, id="it runs"),
        pytest.param(LATE_SINCE + timedelta(hours=1), id="it stopped later"),
        pytest.param(LATE_SINCE - SILENT, id="a few ticks are missing"),
    ],
)
def test_a_daemon_that_ran_is_no_reason(dataset: Callable[..., Dataset], ticked_at: datetime | None) -> None:
    assert why(dataset(DELAYS), SchedulerState(ticked_at=ticked_at)) == NOTHING


@pytest.mark.parametrize(
    ("trigger", "off", "reason"),
    [
        pytest.param(TriggerMode.DATASET, ["on_certification"], "on_certification is switched off", id="the sensor"),
        pytest.param(TriggerMode.DATASET, ["make_delays_schedule"], NOTHING, id="it needs no schedule"),
        pytest.param(TriggerMode.PROCESS, ["make_delays_schedule"], "make_delays_schedule is", id="its schedule"),
        pytest.param(TriggerMode.PROCESS, ["on_certification"], NOTHING, id="it needs no sensor"),
        pytest.param(TriggerMode.HYBRID, ["on_certification"], NOTHING, id="its schedule would start it"),
        pytest.param(
            TriggerMode.HYBRID, ["make_delays_schedule", "on_certification"], "and make_delays_schedule is", id="both"
        ),
    ],
)  # fmt: skip
def test_what_is_switched_off_is_the_reason_if_nothing_else_would_start_it(
    dataset: Callable[..., Dataset], trigger: TriggerMode, off: list[str], reason: str
) -> None:
    scheduler = SchedulerState(ticked_at=NOW, off=dict.fromkeys(off, DEAD))
    schedule = None if trigger is TriggerMode.DATASET else "02:00 ET daily"

    assert reason in why(dataset(DELAYS, trigger, schedule), scheduler)


NIGHT = LegacySchedule(active=True, days=("all",), start_times=("05:00",), time_zone="America/New_York")
SERVER = LegacySchedule(active=True, days=("mo",), start_times=("05:00",))


@pytest.mark.parametrize(
    ("schedule", "started", "reason"),
    [
        pytest.param(
            NIGHT, None, "was to start at 2025-06-11 09:00 UTC (all 05:00 America/New_York), and no run of it was "
            "reported since", id="never",
        ),
        pytest.param(NIGHT, DEAD, "no run of it was reported since", id="not since then"),
        pytest.param(
            NIGHT, LATE_SINCE, "a run that began at 2025-06-11 10:30 UTC reported no version of this day", id="it ran"
        ),
        pytest.param(SERVER, None, "is scheduled mo 05:00, and no run of it was ever reported", id="no zone"),
        pytest.param(SERVER, DEAD, "is scheduled mo 05:00, and its last run began at 2025-06-11 05:30 UTC", id="a run"),
        pytest.param(None, DEAD, NOTHING, id="no schedule"),
    ],
)  # fmt: skip
def test_a_legacy_job_whose_start_came_and_went(
    dataset: Callable[..., Dataset], schedule: LegacySchedule | None, started: datetime | None, reason: str
) -> None:
    job = LegacyJob(process="AUTOSYS/NIGHT/LOAD_RATES", schedule=schedule, last_started=started)

    assert why(dataset(RATES), legacy={RATES: job}).endswith(reason)


def test_a_job_that_only_the_mapping_file_names_is_found_before_its_first_report(
    policies: Policies, catalog: Catalog
) -> None:
    jil = 'insert_job: LOAD_RATES job_type: c\ndate_conditions: 1\nstart_times: "01:00"\ntimezone: UTC\n'
    LegacyEstate(catalog).apply(jil)
    job = LegacyMapping.model_validate({"jobs": [{"job": "LOAD_RATES", "outputs": [RATES]}]})
    mapped = replace(policies, mappings={"legacy/map.yaml": job})

    reasons = {late.reason for late in find_late(mapped, catalog, NOW) if late.dataset == RATES}

    assert (
        "AUTOSYS/LOAD_RATES was to start at 2025-06-11 01:00 UTC (01:00 UTC), and no run of it was reported since"
        in (reasons)
    )
