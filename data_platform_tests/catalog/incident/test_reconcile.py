"""A look opens, joins, merges, reopens and ends incidents, and never stores anything twice."""

from datetime import timedelta

import pytest

from data_platform.catalog import Catalog
from data_platform.catalog.database import open_database
from data_platform.errors import DataPlatformError
from data_platform.model.incident import IncidentState, Resolution
from data_platform.model.registration import Actor
from data_platform.model.signal import SignalSeverity
from data_platform_tests.catalog.incident.example_finding import (
    CUSTOMERS,
    DAY,
    NOW,
    ORDERS,
    changes_of,
    finding,
    group,
    later,
    look,
)

ANN = Actor(name="ann", role="DATA_OWNER")


def test_a_finding_opens_an_incident_once(catalog: Catalog) -> None:
    first = look(catalog, group(finding()))
    again = look(catalog, group(finding()), at=later(1))

    [incident] = catalog.incidents.active()
    [signal] = catalog.signals.active()
    assert (changes_of(first), again) == ([(1, "OPENED")], ())
    assert (incident.dataset, incident.partition, incident.state) == (ORDERS, DAY, IncidentState.OPEN)
    assert (incident.occurred_at, incident.opened_at) == (NOW - timedelta(minutes=5), NOW)
    assert (signal.finding, signal.incident, signal.last_seen_at) == (finding(), 1, later(1))


def test_an_incident_ends_when_nothing_of_it_is_found(catalog: Catalog) -> None:
    look(catalog, group(finding(), finding(CUSTOMERS)))

    one_left = look(catalog, group(finding(CUSTOMERS)), at=later(1))
    ended = look(catalog, at=later(2))

    assert changes_of(one_left) == [(1, "SIGNALS_CLEARED"), (1, "CHANGED")]
    assert changes_of(ended) == [(1, "SIGNALS_CLEARED"), (1, "RESOLVED")]
    incident = catalog.incidents.get(1)
    assert (incident.state, incident.resolution) == (IncidentState.RESOLVED, Resolution.RECOVERED)
    assert (incident.resolved_at, catalog.signals.active()) == (later(2), ())


@pytest.mark.parametrize(
    ("hours", "expected"),
    [pytest.param(23, [(1, "REOPENED")], id="within a day"), pytest.param(25, [(2, "OPENED")], id="after a day")],
)
def test_one_that_is_back_within_a_day_is_reopened(
    catalog: Catalog, hours: int, expected: list[tuple[int, str]]
) -> None:
    look(catalog, group(finding()))
    look(catalog)

    back = look(catalog, group(finding()), at=NOW + timedelta(hours=hours))

    assert changes_of(back) == expected
    [active] = catalog.incidents.active()
    assert (active.state, active.resolution, active.resolved_at) == (IncidentState.OPEN, None, None)
    assert len(catalog.signals.find().items) == 2, "the signal that ended stays"


def test_incidents_that_turn_out_to_have_one_cause_are_merged_into_the_oldest(catalog: Catalog) -> None:
    look(catalog, group(finding()), group(finding(CUSTOMERS)))

    merged = look(catalog, group(finding(), finding(CUSTOMERS)), at=later(1))

    assert changes_of(merged) == [(2, "MERGED")]
    assert [(one.number, one.state) for one in catalog.incidents.active()] == [(1, IncidentState.OPEN)]
    assert catalog.incidents.get(2).merged_into == 1
    assert {signal.incident for signal in catalog.signals.active()} == {1}


def test_a_new_signal_joins_the_incident_of_its_group(catalog: Catalog) -> None:
    look(catalog, group(finding(severity=SignalSeverity.WARNING)))

    joined = look(catalog, group(finding(CUSTOMERS), finding(severity=SignalSeverity.WARNING)), at=later(1))

    assert changes_of(joined) == [(1, "SIGNALS_ADDED"), (1, "CHANGED")]
    [incident] = catalog.incidents.active()
    assert (incident.dataset, incident.severity) == (CUSTOMERS, SignalSeverity.CRITICAL)


def test_two_groups_of_one_incident_stay_together_and_the_first_is_its_root(catalog: Catalog) -> None:
    look(catalog, group(finding(), finding(CUSTOMERS)))

    split = [group(finding()), group(finding(CUSTOMERS))]
    once, again = look(catalog, *split, at=later(1)), look(catalog, *split, at=later(2))

    assert (once, again) == ((), ())
    assert [one.dataset for one in catalog.incidents.active()] == [ORDERS]


def test_a_change_of_the_cause_is_recorded_and_the_signal_stays(catalog: Catalog) -> None:
    look(catalog, group(finding()))

    changed = look(catalog, group(finding(signature="JOB_FAILED")), at=later(1))

    [signal] = catalog.signals.active()
    assert changes_of(changed) == [(1, "CHANGED")]
    assert (signal.finding.signature, signal.first_seen_at) == ("JOB_FAILED", NOW)


@pytest.mark.parametrize("resolution", [Resolution.EXPECTED, Resolution.FALSE_ALARM, Resolution.ACCEPTED])
def test_what_people_accepted_opens_no_incident_again(catalog: Catalog, resolution: Resolution) -> None:
    look(catalog, group(finding()))
    catalog.incidents.resolve(1, resolution, by=ANN, now=later(1))

    still_there = look(catalog, group(finding()), at=later(2))
    gone = look(catalog, at=later(3))
    back = look(catalog, group(finding()), at=later(4))
    next_day = look(catalog, group(finding()), group(finding(partition=DAY.next)), at=later(5))

    assert still_there == ()
    assert (changes_of(gone), changes_of(back)) == ([(1, "SIGNALS_CLEARED")], [(1, "SILENCED")])
    assert changes_of(next_day) == [(2, "OPENED")]
    assert catalog.incidents.get(1).state is IncidentState.RESOLVED


def test_a_look_that_was_overtaken_writes_nothing(catalog: Catalog) -> None:
    revision = catalog.incidents.revision()
    look(catalog, group(finding()))

    overtaken = catalog.incidents.reconcile([], [], silenced={}, revision=revision, now=later(1))

    assert overtaken is None
    assert len(catalog.signals.active()) == 1


def test_a_clock_that_is_set_back_leaves_no_time_before_another(catalog: Catalog) -> None:
    look(catalog, group(finding()))
    look(catalog, group(finding()), at=later(-60))
    look(catalog, at=later(-60))

    [signal], incident = catalog.signals.find().items, catalog.incidents.get(1)
    assert (signal.last_seen_at, signal.cleared_at) == (NOW, NOW)
    assert incident.resolved_at == incident.opened_at


def test_the_history_refuses_changes(catalog: Catalog, catalog_url: str) -> None:
    look(catalog, group(finding()))
    database = open_database(catalog_url)

    for statement in ("UPDATE incident_event SET text = 'x'", "DELETE FROM incident_event"):
        with pytest.raises(DataPlatformError), database.writing() as connection:
            connection.exec_driver_sql(statement)

    database.close()
    assert [event.what for event in catalog.incidents.history(1)] == ["OPENED"]


def test_pages_are_newest_first(catalog: Catalog) -> None:
    look(catalog, group(finding()), group(finding(CUSTOMERS)), group(finding(partition=DAY.previous)))

    first = catalog.incidents.find(limit=2)
    rest = catalog.incidents.find(limit=2, cursor=first.cursor)
    of_orders = catalog.incidents.find(ORDERS)
    signals = catalog.signals.find(limit=2)

    assert [one.number for one in (*first.items, *rest.items)] == [3, 2, 1]
    assert ([one.number for one in of_orders.items], rest.cursor) == ([3, 1], None)
    assert [one.number for one in catalog.signals.find(limit=2, cursor=signals.cursor).items] == [1]
    assert catalog.incidents.find(states=[IncidentState.RESOLVED]).items == ()
