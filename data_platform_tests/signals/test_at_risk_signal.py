"""A day that will be late is a warning before it is, in the incident of what it waits for."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.incident import IncidentState
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.policies import Policies
from data_platform.signals.at_risk_signal import NEAR, find_at_risk_signals
from data_platform.signals.look import look
from data_platform.signals.situation import Situation
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.signals.test_at_risk import BEFORE, MINUTE, STAGES
from data_platform_tests.signals.test_lateness import DAY, DELAYS, FLIGHTS, LATE_SINCE, arrive, end


def record_the_days_before(catalog: Catalog) -> None:
    """Each stage takes ten minutes; everything before ``DAY`` is there, and the rates of the day."""
    for back in range(1, 13):
        for urn, stages in STAGES.items():
            for stage in stages:
                end(catalog, urn, stage, DAY.shifted(-back), at=BEFORE)
        arrive(catalog, DAY.shifted(-back))
    arrive(catalog, DAY)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_the_days_before) as opened:
        yield opened


def found(policies: Policies, catalog: Catalog, minutes_before: int) -> dict[str, Finding]:
    now = LATE_SINCE - minutes_before * MINUTE
    return {one.dataset: one for one in find_at_risk_signals(Situation(policies, catalog, now)) if one.partition == DAY}


def test_it_is_a_warning_that_began_when_the_first_stage_should_have(policies: Policies, catalog: Catalog) -> None:
    assert found(policies, catalog, 41) == {}

    [finding] = found(policies, catalog, 30).values()

    assert (finding.kind, finding.severity) == (SignalKind.AT_RISK, SignalSeverity.WARNING)
    assert finding.occurred_at == LATE_SINCE - 40 * MINUTE
    assert finding.reason == (
        "what must still run takes up to 40 minutes, and the grace ends at 10:30 UTC; nothing has started"
    )


def test_it_is_the_same_at_each_look_until_something_happens(policies: Policies, catalog: Catalog) -> None:
    assert found(policies, catalog, 30) == found(policies, catalog, 20)

    for stage in list(Stage):
        end(catalog, FLIGHTS, stage, at=LATE_SINCE - 15 * MINUTE)
    assert found(policies, catalog, 10) == {}


def test_what_waits_for_it_is_named_and_in_its_incident(policies: Policies, catalog: Catalog) -> None:
    assert found(policies, catalog, 5)[DELAYS].upstream == (FLIGHTS,)

    look(policies, catalog, LATE_SINCE - 5 * MINUTE)

    [incident] = catalog.incidents.active()
    assert (incident.dataset, incident.severity) == (FLIGHTS, SignalSeverity.WARNING)
    assert incident.title == f"{FLIGHTS} {DAY} may be late"


def test_it_becomes_the_incident_of_the_late_day_and_ends_with_it(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, LATE_SINCE - 5 * MINUTE)
    [before] = catalog.incidents.active()

    look(policies, catalog, LATE_SINCE + MINUTE)

    [late] = catalog.incidents.active()
    assert (late.number, late.severity) == (before.number, SignalSeverity.CRITICAL)
    for urn, stages in STAGES.items():
        for stage in stages:
            end(catalog, urn, stage, at=LATE_SINCE + 2 * MINUTE)
    look(policies, catalog, LATE_SINCE + 3 * MINUTE)
    assert catalog.incidents.get(before.number).state is IncidentState.RESOLVED


def test_a_day_that_is_due_much_later_is_no_signal(policies: Policies, catalog: Catalog) -> None:
    for urn, stages in STAGES.items():
        for stage in stages:
            for back in range(1, 13):
                end(catalog, urn, stage, DAY.shifted(-back), at=BEFORE, started_at=BEFORE - timedelta(hours=5))

    minutes = int(NEAR.total_seconds() / 60)
    assert found(policies, catalog, minutes + 1) == {}
    assert FLIGHTS in found(policies, catalog, minutes)
