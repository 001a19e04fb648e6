"""A dataset without partitions is late when its last version is older than the deadline before the last one."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.deadline import missed_deadline
from data_platform.model.freshness import Freshness
from data_platform.model.lateness import LateCause, LatePartition
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.policies import Policies
from data_platform.signals.lateness import find_late
from data_platform.signals.look import look
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, load
from data_platform_tests.signals.conftest import slo
from data_platform_tests.signals.test_lateness import end, report_job
from data_platform_tests.verdicts import all_gates

AIRPORTS, GATES = "ds://ops/airports", "ds://ops/gates"
NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
LAST, BEFORE = datetime(2025, 6, 11, 10, 0, tzinfo=UTC), datetime(2025, 6, 10, 10, 0, tzinfo=UTC)
"""The last two deadlines, 06:00 in New York."""
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    source = "source: {format: csv, path: airports, producer: airport}"
    deadline, columns = slo("06:00 ET daily"), bundle_yaml("id INT")
    process = "name: gates\nowner_team: shop\noutput: ds://ops/gates\ninputs: [{dataset: ds://ops/airports}]\n"
    steps = "steps: [{name: one, sql: 'SELECT id FROM airports'}]\n"
    return load(
        tmp_path,
        {
            "datasets/ops/airports/dataset.yaml": dataset_yaml(AIRPORTS, source, deadline),
            "datasets/ops/airports/policy_bundle.yaml": columns,
            "datasets/ops/gates/dataset.yaml": dataset_yaml(GATES, "process: gates", deadline),
            "datasets/ops/gates/policy_bundle.yaml": columns,
            "processes/gates.yaml": process + steps,
        },
    )


def certify(catalog: Catalog, urn: str, at: datetime) -> None:
    end(catalog, urn, Stage.CERTIFIED, partition=None, at=at)


def late(policies: Policies, catalog: Catalog, now: datetime = NOW) -> dict[str, LatePartition]:
    return {one.dataset: one for one in find_late(policies, catalog, now)}


@pytest.mark.parametrize(
    ("changes", "updated", "now", "missed"),
    [
        pytest.param({}, BEFORE + SECOND, NOW, None, id="since the deadline before"),
        pytest.param({}, BEFORE, NOW, LAST, id="not since then"),
        pytest.param({}, BEFORE, LAST - SECOND, None, id="not due yet"),
        pytest.param({"grace_period": "1h"}, BEFORE, LAST + timedelta(minutes=59), None, id="in grace"),
        pytest.param({"grace_period": "1h"}, BEFORE, LAST + timedelta(hours=1), LAST, id="as grace ends"),
        pytest.param({}, BEFORE - 5 * DAY, NOW, LAST - 5 * DAY, id="the first one that it missed"),
        pytest.param({}, None, NOW, LAST, id="never updated"),
        pytest.param({"quiet_days": ["Wednesday"]}, BEFORE - DAY + SECOND, NOW, None, id="the last one is quiet"),
        pytest.param({"quiet_days": ["Tuesday"]}, BEFORE - DAY + SECOND, NOW, None, id="the one before it is"),
        pytest.param(
            {"expected_update_by": "06:00 ET on day 5 monthly"}, datetime(2025, 5, 1, tzinfo=UTC), NOW,
            datetime(2025, 6, 5, 10, tzinfo=UTC), id="monthly",
        ),
        pytest.param(
            {"quiet_days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]}, None, NOW,
            None, id="always quiet",
        ),
    ],
)  # fmt: skip
def test_the_deadline_that_was_missed(
    changes: dict[str, Any], updated: datetime | None, now: datetime, missed: datetime | None
) -> None:
    freshness = Freshness(**{"expected_update_by": "06:00 ET daily", **changes})

    assert missed_deadline(freshness, updated, now) == missed


def test_a_dataset_without_partitions_is_late_since_the_end_of_grace(policies: Policies, catalog: Catalog) -> None:
    certify(catalog, AIRPORTS, BEFORE)
    certify(catalog, GATES, BEFORE + SECOND)

    [found] = late(policies, catalog).values()

    assert (found.dataset, found.partition, found.watermark) == (AIRPORTS, None, None)
    assert (found.due, found.late_since) == (LAST, LAST + timedelta(minutes=30))
    assert (found.cause, found.reason) == (LateCause.JOB_NOT_TRIGGERED, "nothing has started since")
    assert late(policies, catalog, LAST + timedelta(minutes=29)) == {}


def test_the_cause_is_what_happened_since_the_last_version(policies: Policies, catalog: Catalog) -> None:
    failed = Verdict(gate=Gate.DQ, outcome=Outcome.FAILED, reason="half is missing")
    passed = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    end(catalog, AIRPORTS, Stage.SILVER, partition=None, at=BEFORE - DAY, verdicts=(*passed, failed), version=None)
    certify(catalog, AIRPORTS, BEFORE)
    before = late(policies, catalog)[AIRPORTS]
    end(catalog, AIRPORTS, Stage.SILVER, partition=None, at=LAST, verdicts=(*passed, failed), version=None)
    held = late(policies, catalog)[AIRPORTS]
    report_job(catalog, "FAIL", "DATA_PLATFORM/ops/airports/silver", at=LAST + SECOND, error="the disk is full")

    crashed = late(policies, catalog)[AIRPORTS]

    assert [one.cause for one in (before, held, crashed)] == [
        LateCause.JOB_NOT_TRIGGERED, LateCause.HELD_BY_GATE, LateCause.JOB_FAILED,
    ]  # fmt: skip
    assert (held.reason, crashed.reason) == ("silver failed: DQ: half is missing", "the disk is full")


def test_it_waits_for_an_input_that_is_late_itself(policies: Policies, catalog: Catalog) -> None:
    certify(catalog, AIRPORTS, BEFORE)
    certify(catalog, GATES, BEFORE)
    waits = late(policies, catalog)[GATES]
    certify(catalog, AIRPORTS, LAST)
    alone = late(policies, catalog)[GATES]

    assert (waits.cause, waits.upstream, waits.reason) == (
        LateCause.UPSTREAM_LATE, (AIRPORTS,), "waits for ds://ops/airports",
    )  # fmt: skip
    assert (alone.cause, alone.upstream) == (LateCause.JOB_NOT_TRIGGERED, ())


def test_both_are_one_incident(policies: Policies, catalog: Catalog) -> None:
    certify(catalog, AIRPORTS, BEFORE)
    certify(catalog, GATES, BEFORE)

    look(policies, catalog, NOW)
    look(policies, catalog, NOW + timedelta(minutes=1))

    [incident] = catalog.incidents.active()
    assert (incident.dataset, incident.partition) == (AIRPORTS, None)
    certify(catalog, AIRPORTS, NOW)
    certify(catalog, GATES, NOW)
    look(policies, catalog, NOW + timedelta(minutes=2))
    assert catalog.incidents.active() == ()
