"""Processes that look at the same moment store each finding once."""

from data_platform.catalog import Catalog, open_catalog
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.incident.example_finding import DAY, NOW, finding, group

FINDINGS = [finding(f"ds://ops/d{number}", partition=DAY.shifted(number % 3)) for number in range(30)]


def _look(url: str, at: int) -> str:
    """Looks as the watchdog does: again, if another look was first. Every process groups by day."""
    by_day = {day: [one for one in FINDINGS if one.partition == day] for day in (DAY, DAY.next, DAY.shifted(2))}
    with open_catalog(url) as catalog:
        for attempt in range(20):
            revision = catalog.incidents.revision()
            groups = [group(*members) for members in by_day.values()]
            if catalog.incidents.reconcile(FINDINGS, groups, silenced={}, revision=revision, now=NOW) is not None:
                return f"{at} after {attempt}"
    return "never"


def test_looks_of_several_processes_open_each_incident_once(catalog: Catalog, catalog_url: str) -> None:
    answers = run_concurrently(_look, [(catalog_url, number) for number in range(4)])

    assert "never" not in answers
    assert len(catalog.incidents.find().items) == len(catalog.incidents.active()) == 3
    assert len(catalog.signals.find().items) == len(FINDINGS)
    assert [event.what for number in (1, 2, 3) for event in catalog.incidents.history(number)] == ["OPENED"] * 3
