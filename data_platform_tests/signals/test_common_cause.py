"""Two faults with one root cause in evidence are one incident, in any order, and two causes are two."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.deployment import Deployment
from data_platform.model.incident import IncidentState
from data_platform.model.registration import Actor
from data_platform.model.verdict import Gate
from data_platform.openlineage.event import read_event
from data_platform.policies import Policies
from data_platform.signals.look import look
from data_platform.signals.root_cause.gather import explain_incident
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.signals.test_lateness import DAY, DELAYS, FLIGHTS, NOW, RATES, SUMMARY, arrive, end, report_job
from data_platform_tests.signals.test_look import hold

JOB = "AUTOSYS/NIGHT/LOAD_RATES"
DEPLOYED = NOW - timedelta(hours=4)
LATER = NOW + timedelta(minutes=1)


def record_a_held_day_and_a_failed_job(catalog: Catalog) -> None:
    """Everything before ``DAY`` is there; on it flights are held, the job of the rates fails, and the rest is there."""
    for back in range(1, 13):
        for urn in (FLIGHTS, DELAYS, SUMMARY):
            for stage in (Stage.SILVER, Stage.GOLD, Stage.CERTIFIED):
                end(catalog, urn, stage, DAY.shifted(-back), run_id=f"run_{urn[-4:]}_{back}")
        arrive(catalog, DAY.shifted(-back))
    for urn in (DELAYS, SUMMARY):
        end(catalog, urn, Stage.CERTIFIED)
    good_run(catalog, JOB, RATES, "0b5e0000-0000-4000-8000-000000000002")
    good_run(catalog, "DATA_PLATFORM/ops/flights/silver", FLIGHTS, "0b5e0000-0000-4000-8000-000000000003")
    hold(catalog, FLIGHTS, Gate.DQ, "NULL_RATE:id", at=NOW - timedelta(hours=1))
    report_job(catalog, "START", JOB, at=NOW - timedelta(hours=2), run="0b5e0000-0000-4000-8000-000000000001")
    report_job(catalog, "FAIL", JOB, at=NOW - timedelta(hours=1), run="0b5e0000-0000-4000-8000-000000000001")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_a_held_day_and_a_failed_job) as opened:
        yield opened


def good_run(catalog: Catalog, job: str, urn: str, run: str) -> None:
    """A run of the day before, so that the catalog knows what makes the dataset."""
    namespace, _, name = job.partition("/")
    zone, _, dataset = urn.rpartition("/")
    for kind, at in (("START", NOW - timedelta(hours=27)), ("COMPLETE", NOW - timedelta(hours=26))):
        document = {
            "eventType": kind, "eventTime": at.isoformat(), "producer": "urn:test", "run": {"runId": run},
            "job": {"namespace": namespace, "name": name}, "outputs": [{"namespace": zone, "name": dataset}],
        }  # fmt: skip
        catalog.events.ingest([read_event(document)], now=at)


def deploy(catalog: Catalog, reference: str, target: str, at: datetime = DEPLOYED) -> None:
    deployed = Deployment(deploy_ref=reference, target=target, at=at, by="ci")
    catalog.deployments.add(deployed, by=Actor(name="ci", role="DATA_OWNER"), now=NOW)


@pytest.mark.parametrize("is_reversed", [False, True], ids=["in order", "in reverse order"])
def test_two_breaches_of_one_bad_deployment_are_one_incident(
    policies: Policies, catalog: Catalog, is_reversed: bool
) -> None:
    for target in (JOB, FLIGHTS)[:: -1 if is_reversed else 1]:
        deploy(catalog, "4f1c9e2", target)

    look(policies, catalog, NOW)
    again = look(policies, catalog, LATER)

    [incident] = catalog.incidents.active()
    assert {one.finding.dataset for one in catalog.signals.of_incident(incident.number)} == {FLIGHTS, RATES}
    cause = explain_incident(catalog, incident.number, now=LATER).cause
    assert (cause and cause.deploy_ref, again) == ("4f1c9e2", ())


def test_two_deployments_are_two_incidents(policies: Policies, catalog: Catalog) -> None:
    deploy(catalog, "4f1c9e2", JOB)
    deploy(catalog, "77aa001", FLIGHTS)

    look(policies, catalog, NOW)

    assert {one.dataset for one in catalog.incidents.active()} == {FLIGHTS, RATES}


def test_a_deployment_after_the_bad_run_of_one_joins_nothing(policies: Policies, catalog: Catalog) -> None:
    deploy(catalog, "4f1c9e2", JOB)
    deploy(catalog, "4f1c9e2", FLIGHTS, at=NOW - timedelta(minutes=5))

    look(policies, catalog, NOW)

    assert len(catalog.incidents.active()) == 2


def test_a_deployment_that_is_reported_late_merges_the_two_incidents(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, NOW)
    before = len(catalog.incidents.active())
    for target in (JOB, FLIGHTS):
        deploy(catalog, "4f1c9e2", target)

    look(policies, catalog, LATER)
    look(policies, catalog, LATER)

    states = sorted(one.state for one in catalog.incidents.find().items)
    assert (before, states) == (2, [IncidentState.MERGED, IncidentState.OPEN])
