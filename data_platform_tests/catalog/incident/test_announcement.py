"""Each change of an incident is reported once to each owner, in the transaction of the change."""

import pytest

from data_platform.catalog import Catalog
from data_platform.model.alert import Audience
from data_platform.model.incident import Affected, BlastRadius, Resolution
from data_platform.model.registration import Actor
from data_platform.model.signal import SignalSeverity
from data_platform_tests.catalog.incident.example_finding import CUSTOMERS, DAY, finding, group, later, look

ANN = Actor(name="ann", role="DATA_OWNER")
SALES = Affected(dataset="ds://mart/sales", owner_team="sales", tier="TIER_2", depth=1, deadline=later(60))
RADIUS = BlastRadius(affected=(SALES,), total=1, owners=("sales",))
BOTH = BlastRadius(
    affected=(SALES, Affected(dataset="ds://mart/risk", owner_team="risk", tier="TIER_1", depth=2)),
    total=2,
    owners=("risk", "sales"),
)
MILD = finding(severity=SignalSeverity.WARNING)


def changes(catalog: Catalog) -> list[tuple[int, str, str, int]]:
    return [(one.incident, one.owner, one.state.value, one.round) for one in catalog.alerts.unrouted()]


def test_the_owner_and_those_downstream_each_get_their_own(catalog: Catalog) -> None:
    look(catalog, group(finding(), blast_radius=BOTH, tier="TIER_3"))

    found = {one.owner: (one.audience, one.tier) for one in catalog.alerts.unrouted()}
    assert found == {
        "shop": (Audience.OWNER, "TIER_3"),
        "sales": (Audience.DOWNSTREAM, "TIER_2"),
        "risk": (Audience.DOWNSTREAM, "TIER_1"),
    }


def test_a_repeated_look_reports_nothing_again(catalog: Catalog) -> None:
    for minute in range(3):
        look(catalog, group(finding(), blast_radius=RADIUS), at=later(minute))

    assert changes(catalog) == [(1, "sales", "OPEN", 1), (1, "shop", "OPEN", 1)]


def test_a_change_that_is_rolled_back_reports_nothing(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    from data_platform.catalog.incident import history, reconcile

    def failing(*given: object) -> None:
        announce(*given)
        raise RuntimeError

    announce = history.announce
    monkeypatch.setattr(history, "announce", failing)
    with pytest.raises(RuntimeError):
        look(catalog, group(finding()))

    assert reconcile is not None
    assert changes(catalog) == []


def test_updates_go_to_those_who_know_of_the_incident(catalog: Catalog) -> None:
    look(catalog, group(finding(), blast_radius=RADIUS))
    catalog.incidents.acknowledge(1, by=ANN, comment="on it", now=later(1))
    catalog.incidents.resolve(1, Resolution.EXPECTED, by=ANN, comment="a holiday", now=later(2))

    assert changes(catalog)[2:] == [
        (1, "sales", "ACKNOWLEDGED", 1),
        (1, "shop", "ACKNOWLEDGED", 1),
        (1, "sales", "RESOLVED", 1),
        (1, "shop", "RESOLVED", 1),
    ]
    resolved = catalog.alerts.unrouted()[-1]
    assert (resolved.facts["by"], resolved.facts["resolution"], resolved.facts["comment"]) == (
        "ann",
        "EXPECTED",
        "a holiday",
    )


def test_a_warning_that_becomes_critical_is_worse_once(catalog: Catalog) -> None:
    for minute, one in enumerate([MILD, finding(), MILD, finding()]):
        look(catalog, group(one), at=later(minute))

    assert changes(catalog) == [(1, "shop", "OPEN", 1), (1, "shop", "WORSE", 1)]


def test_an_owner_who_is_affected_later_hears_of_the_incident_then(catalog: Catalog) -> None:
    look(catalog, group(MILD, blast_radius=RADIUS))
    look(catalog, group(finding(), blast_radius=BOTH), at=later(1))

    assert changes(catalog)[2:] == [(1, "risk", "OPEN", 1), (1, "sales", "WORSE", 1), (1, "shop", "WORSE", 1)]


def test_an_incident_that_is_back_begins_the_next_round(catalog: Catalog) -> None:
    for minute, found in enumerate([(group(finding()),), (), (group(finding()),), ()]):
        look(catalog, *found, at=later(minute))

    assert changes(catalog) == [
        (1, "shop", "OPEN", 1),
        (1, "shop", "RESOLVED", 1),
        (1, "shop", "OPEN", 2),
        (1, "shop", "RESOLVED", 2),
    ]


def test_those_who_know_of_a_merged_incident_are_led_to_the_other(catalog: Catalog) -> None:
    first, second = finding(), finding(CUSTOMERS)
    look(catalog, group(first), group(second, owner_team="crm"))
    look(catalog, group(first, second, blast_radius=BlastRadius(owners=("crm",), total=1)), at=later(1))

    assert changes(catalog)[2:] == [(2, "crm", "MERGED", 1), (1, "crm", "OPEN", 1)]
    assert catalog.alerts.unrouted()[2].facts["merged_into"] == 1


def test_the_facts_name_the_reason_and_what_is_affected(catalog: Catalog) -> None:
    look(catalog, group(finding(), blast_radius=RADIUS))

    facts = catalog.alerts.unrouted()[0].facts
    assert facts["reasons"] == ["ds://curated/orders: nothing has started"]
    assert facts["partition"] == str(DAY)
    assert facts["affected"][0]["dataset"] == "ds://mart/sales"


def test_the_reason_of_the_root_comes_first(catalog: Catalog) -> None:
    waiting = [finding(f"ds://curated/a{number}", reason="waits for the orders") for number in range(5)]
    look(catalog, group(finding(), *waiting))

    reasons = catalog.alerts.unrouted()[0].facts["reasons"]
    assert reasons[0] == "ds://curated/orders: nothing has started"
    assert len(reasons) == 3
