"""A process' schedule starts the day that was over last, once; of HYBRID only what nothing else has started."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import dagster as dg
import pytest
from dagster._utils.schedules import schedule_execution_time_iterator

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Outcome
from data_platform.orchestration.location import build
from data_platform.policies import load_policies
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import DERIVED, LANDED, NEXT, ZONE, columns, derived, key
from data_platform_tests.stage.ledger import Ledger, opened

ORDERS = "ds://shop/orders"
NIGHT = "02:00 ET daily"
TWO_O_CLOCK = datetime(2025, 1, 7, 2, tzinfo=ZoneInfo(ZONE))
"""In New York, and so of ``DAY``."""
STAGES = tuple(key(f"report/nightly{suffix}") for suffix in DERIVED)


def nightly(estate: Estate, trigger: str = "PROCESS", schedule: str = NIGHT, **policy: object) -> None:
    """What orders are derived into by night."""
    derived(estate, "nightly", [ORDERS], "SELECT customer FROM orders", trigger=trigger, schedule=schedule, **policy)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """On disk, as a schedule's own process opens it."""
    (tmp_path / "dagster").mkdir()
    with dg.DagsterInstance.local_temp(str(tmp_path / "dagster")) as opened:
        yield opened


def schedule(estate: Estate) -> dg.ScheduleDefinition:
    [found] = build(estate.settings).schedules
    return found


def ask(estate: Estate, instance: dg.DagsterInstance, at: datetime = TWO_O_CLOCK) -> dg.RunRequest | str:
    """What a tick at ``at`` requests, or why it does not."""
    repository = build(estate.settings).get_repository_def()
    context = dg.build_schedule_context(instance=instance, scheduled_execution_time=at, repository_def=repository)
    [found] = repository.schedule_defs
    data = found.evaluate_tick(context)
    if data.skip_message:
        return data.skip_message
    [request] = data.run_requests
    return request


@pytest.fixture
def ledger(declared: Estate) -> Iterator[Ledger]:
    """A hybrid process, and nothing certified."""
    nightly(declared, "HYBRID")
    with opened(declared, load_policies(declared.settings.policies)) as found:
        yield found


def begin(instance: dg.DagsterInstance, estate: Estate, day: PartitionKey) -> dg.DagsterRun:
    """A run of the process' job that has been created, and has not begun."""
    job = build(estate.settings).resolve_job_def("make_nightly")
    return instance.create_run_for_job(job, tags={"dagster/partition": str(day)})


def test_a_schedule_starts_every_stage_of_the_day_that_was_over_last(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    nightly(declared)

    request = ask(declared, instance)

    job = build(declared.settings).resolve_job_def("make_nightly")
    assert request.partition_key == str(DAY)
    assert job.asset_layer.executable_asset_keys == set(STAGES)
    assert job.executor_def is dg.in_process_executor


def test_a_schedule_is_on_by_default_in_its_own_time_zone(declared: Estate) -> None:
    nightly(declared, schedule="02:00 Asia/Tokyo weekdays")

    found = schedule(declared)

    assert (found.name, found.job_name) == ("make_nightly_schedule", "make_nightly")
    assert (found.cron_schedule, found.execution_timezone) == ("0 2 * * 1-5", "Asia/Tokyo")
    assert found.default_status is dg.DefaultScheduleStatus.RUNNING


@pytest.mark.parametrize(
    ("partition", "zone"),
    [
        pytest.param({"key": "day", "start": date(2025, 1, 1), "time_zone": "Asia/Tokyo"}, "Asia/Tokyo", id="daily"),
        pytest.param(None, "UTC", id="without days"),
    ],
)
def test_a_cron_is_in_the_time_zone_of_the_days_that_are_made(
    declared: Estate, partition: dict[str, object] | None, zone: str
) -> None:
    nightly(declared, schedule="0 2 * * 2-6", partition=partition)

    assert schedule(declared).execution_timezone == zone


@pytest.mark.parametrize("trigger", ["PROCESS", "DATASET"])
def test_a_process_without_a_schedule_has_none(declared: Estate, trigger: str) -> None:
    derived(declared, "nightly", [ORDERS], "SELECT customer FROM orders", trigger=trigger)

    assert build(declared.settings).schedules == []


def test_a_tick_that_is_evaluated_twice_has_one_key(declared: Estate, instance: dg.DagsterInstance) -> None:
    nightly(declared)

    first, again = ask(declared, instance), ask(declared, instance)
    next_night = ask(declared, instance, TWO_O_CLOCK + timedelta(days=1))

    assert first.run_key == again.run_key == "ds://report/nightly 2025-01-06"
    assert next_night.run_key != first.run_key


def test_each_tick_makes_a_dataset_without_days_again(declared: Estate, instance: dg.DagsterInstance) -> None:
    nightly(declared, partition=None)

    first, again = ask(declared, instance), ask(declared, instance)
    next_night = ask(declared, instance, TWO_O_CLOCK + timedelta(days=1))

    assert first.partition_key is None
    assert first.run_key == again.run_key != next_night.run_key


def test_before_the_first_day_is_over_nothing_is_started(declared: Estate, instance: dg.DagsterInstance) -> None:
    nightly(declared)

    said = ask(declared, instance, datetime(2025, 1, 1, 2, tzinfo=ZoneInfo(ZONE)))

    assert said == "the day that was over last is no day of ds://report/nightly: the first is 2025-01-01"


@pytest.mark.parametrize(
    ("text", "noon_before", "ticks"),
    [
        pytest.param(
            "02:30 ET daily",
            datetime(2025, 3, 8, 17, tzinfo=UTC),
            [("2025-03-09T03:00:00-04:00", "2025-03-08"), ("2025-03-10T02:30:00-04:00", "2025-03-09")],
            id="forward: half past two is not there, and the night is not left out",
        ),
        pytest.param(
            "01:30 ET daily",
            datetime(2025, 11, 1, 16, tzinfo=UTC),
            [("2025-11-02T01:30:00-05:00", "2025-11-01"), ("2025-11-03T01:30:00-05:00", "2025-11-02")],
            id="back: half past one comes twice, and starts once",
        ),
    ],
)
def test_each_night_starts_its_day_once_when_clocks_change(
    declared: Estate, instance: dg.DagsterInstance, text: str, noon_before: datetime, ticks: list[tuple[str, str]]
) -> None:
    nightly(declared, schedule=text)
    found = schedule(declared)

    times = schedule_execution_time_iterator(
        noon_before.timestamp(), found.cron_schedule, found.execution_timezone, ascending=True
    )
    seen = [next(times) for _ in ticks]

    assert [at.isoformat() for at in seen] == [at for at, _ in ticks]
    assert [ask(declared, instance, at).partition_key for at in seen] == [day for _, day in ticks]


def test_the_clock_alone_starts_process_also_while_inputs_are_missing(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    nightly(declared, "PROCESS")
    begin(instance, declared, DAY)

    assert ask(declared, instance).partition_key == str(DAY)


def test_hybrid_waits_for_what_is_not_certified_and_names_it(
    declared: Estate, instance: dg.DagsterInstance, ledger: Ledger
) -> None:
    ledger.certify("orders", 3, day=NEXT)

    said = ask(declared, instance)

    assert said == (
        "ds://report/nightly 2025-01-06 waits for ds://shop/orders, not certified for it so far: that will start it"
    )


def test_hybrid_starts_a_day_whose_inputs_are_there_and_that_nothing_has_made(
    declared: Estate, instance: dg.DagsterInstance, ledger: Ledger
) -> None:
    ledger.certify("orders", 3)

    assert ask(declared, instance).partition_key == str(DAY)


def test_hybrid_does_not_make_a_day_again_of_the_same_inputs(
    declared: Estate, instance: dg.DagsterInstance, ledger: Ledger
) -> None:
    ledger.certify("orders", 3)
    run_id = ledger.make("nightly", 1, read={ORDERS: 3})

    made = ask(declared, instance)
    ledger.certify("orders", 4)
    newer = ask(declared, instance)

    assert made == f"ds://report/nightly 2025-01-06 was made of its inputs as they are now, by {run_id}"
    assert newer.partition_key == str(DAY)


def test_hybrid_leaves_a_day_that_was_held_to_people(
    declared: Estate, instance: dg.DagsterInstance, ledger: Ledger
) -> None:
    ledger.certify("orders", 3)
    run_id = ledger.record("nightly", Stage.SILVER, None, read={ORDERS: 3}, outcome=Outcome.FAILED)

    said = ask(declared, instance)

    assert said.startswith(f"ds://report/nightly 2025-01-06 was held in {run_id}, of its inputs as they are now: fix")


def test_hybrid_does_not_start_beside_a_run_that_is_queued_or_under_way(
    declared: Estate, instance: dg.DagsterInstance, ledger: Ledger
) -> None:
    ledger.certify("orders", 3)
    other_day = begin(instance, declared, NEXT)
    while_another_day_runs = ask(declared, instance)

    run = begin(instance, declared, DAY)
    queued = ask(declared, instance)
    instance.report_run_canceled(run)
    ended = ask(declared, instance)

    assert while_another_day_runs.partition_key == str(DAY)
    assert queued == f"ds://report/nightly 2025-01-06 is being made already, by run {run.run_id}"
    assert ended.partition_key == str(DAY)
    assert other_day.run_id != run.run_id


def read_from_a_table(estate: Estate, **source: object) -> None:
    """Parties, which a table of a database holds."""
    named = {"format": "jdbc", "url": "jdbc:postgresql://db.example/core", "table": "parties", "producer": "core"}
    partition = {"key": "day", "start": date(2025, 1, 1), "time_zone": ZONE, "of_delivery": True}
    estate.declare(
        "ds://core/parties",
        {"schema": columns(id="INT")},
        source={**named, "schedule": NIGHT, **source},
        partition=partition,
    )


def test_a_schedule_reads_a_table_for_the_day_that_was_over_last(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    read_from_a_table(declared)

    found, request = schedule(declared), ask(declared, instance)

    assert (found.name, found.job_name) == ("read_core__parties_schedule", "read_core__parties")
    assert (found.execution_timezone, request.partition_key) == (ZONE, str(DAY))
    job = build(declared.settings).resolve_job_def("read_core__parties")
    assert job.asset_layer.executable_asset_keys == {key(f"core/parties{end}") for end in LANDED}


def test_a_schedule_leaves_a_day_that_a_marker_has_started(declared: Estate, instance: dg.DagsterInstance) -> None:
    read_from_a_table(declared, completion={"path": "done/{partition}", "marker": "PARTIES.done"})
    with opened(declared, load_policies(declared.settings.policies)) as ledger:
        assert isinstance(ask(declared, instance), dg.RunRequest)
        run_id = ledger.record("parties", Stage.BRONZE, 1, read={})

    reason = ask(declared, instance)

    assert reason == f"ds://core/parties {DAY} was read by {run_id}, which its marker or somebody started"
