"""People acknowledge and resolve incidents; each decision is in the history and in the audit log."""

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import ConflictError, InputError, NotFoundError
from data_platform.model.incident import IncidentState, Resolution
from data_platform.model.registration import Actor
from data_platform_tests.catalog.incident.example_finding import finding, group, later, look

ANN = Actor(name="ann", role="DATA_OWNER")


@pytest.fixture
def catalog(catalog: Catalog) -> Catalog:
    """Incident 1 is open."""
    look(catalog, group(finding()))
    return catalog


def test_an_incident_is_acknowledged_and_then_resolved(catalog: Catalog) -> None:
    seen = catalog.incidents.acknowledge(1, by=ANN, comment="on it", now=later(1))
    ended = catalog.incidents.resolve(1, Resolution.EXPECTED, by=ANN, comment="a holiday", now=later(2))

    assert (seen.state, seen.acknowledged_by, seen.acknowledged_at) == (IncidentState.ACKNOWLEDGED, "ann", later(1))
    assert (ended.state, ended.resolution, ended.comment) == (IncidentState.RESOLVED, Resolution.EXPECTED, "a holiday")
    assert [(event.what, event.by, event.text) for event in catalog.incidents.history(1)[1:]] == [
        ("ACKNOWLEDGED", "ann", "on it"),
        ("RESOLVED", "ann", "EXPECTED: a holiday"),
    ]
    actions = [entry.action for entry in catalog.access.audit().items]
    assert sorted(actions) == ["incident.acknowledge", "incident.resolve"]


def test_nobody_calls_fixed_what_is_still_found(catalog: Catalog) -> None:
    with pytest.raises(ConflictError, match="1 signal of incident 1 is still found, such as nothing has started"):
        catalog.incidents.resolve(1, Resolution.FIXED, by=ANN, now=later(1))


def test_an_incident_that_has_ended_cannot_be_changed(catalog: Catalog) -> None:
    look(catalog)

    with pytest.raises(ConflictError, match="incident 1 is RESOLVED by watchdog; only an open one"):
        catalog.incidents.acknowledge(1, by=ANN, now=later(1))
    with pytest.raises(ConflictError, match="only an active one can be resolved"):
        catalog.incidents.resolve(1, Resolution.ACCEPTED, by=ANN, now=later(1))


def test_recovered_is_not_for_people(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="RECOVERED is what the platform writes"):
        catalog.incidents.resolve(1, Resolution.RECOVERED, by=ANN, now=later(1))


@pytest.mark.parametrize("number", [0, 2, 2**70])
def test_an_unknown_number_is_not_found(catalog: Catalog, number: int) -> None:
    with pytest.raises(NotFoundError, match="there is no incident"):
        catalog.incidents.get(number)


def test_no_personal_value_of_a_comment_is_stored(catalog: Catalog) -> None:
    catalog.incidents.acknowledge(1, by=ANN, comment="ask jane.doe@example.com", now=later(1))

    assert "jane.doe" not in catalog.incidents.history(1)[-1].text
    assert "jane.doe" not in str(catalog.access.audit().items)
