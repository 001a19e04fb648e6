"""The pointer moves forward, from where the caller saw it, together with its evidence, or stays."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import ConflictError, UsageError
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, certification, evidence, later, report
from data_platform_tests.catalog.together import together


def certify(catalog: Catalog, version: int, *, expected: int | None, run_id: str = "run_1", **more: Any) -> None:
    catalog.certify(certification(version, run_id), expected=expected, evidence=[evidence(run_id)], **more)


def test_a_certified_version_is_what_consumers_see(catalog: Catalog) -> None:
    certify(catalog, 3, expected=None)

    assert catalog.certification(ORDERS) == certification(3)
    assert catalog.certifications() == (certification(3),)
    assert catalog.certification("ds://curated/items") is None
    assert catalog.evidence() == (evidence(),)


def test_the_pointer_moves_on_and_its_history_stays(catalog: Catalog) -> None:
    certify(catalog, 3, expected=None)
    certify(catalog, 5, expected=3, run_id="run_2")

    assert catalog.certification_history(ORDERS) == (certification(5, "run_2"), certification(3))


@pytest.mark.parametrize(
    ("version", "expected", "message"),
    [
        pytest.param(6, None, "is certified at v5, and run_2 expected no version", id="seen before the first"),
        pytest.param(6, 4, "is certified at v5, and run_2 expected v4", id="seen before the last"),
        pytest.param(4, 5, "is certified at v5, and cannot go back to v4", id="backward"),
        pytest.param(5, 4, "expected v4", id="the same version of another run that saw an older one"),
    ],
)
def test_a_pointer_that_is_elsewhere_stays(catalog: Catalog, version: int, expected: int | None, message: str) -> None:
    certify(catalog, 5, expected=None)

    with pytest.raises(ConflictError, match=message):
        certify(catalog, version, expected=expected, run_id="run_2", report=report("run_2", stage=Stage.CERTIFIED))
    assert catalog.certification_history(ORDERS) == (certification(5),)
    assert catalog.evidence() == (evidence(),)
    assert catalog.runs() == ()


def test_a_pointer_that_is_gone_cannot_be_expected(catalog: Catalog) -> None:
    with pytest.raises(ConflictError, match="is certified at no version, and run_1 expected v4"):
        certify(catalog, 5, expected=4)


def test_the_same_run_may_say_the_same_version_again(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)

    certify(catalog, 5, expected=None)
    certify(catalog, 5, expected=5)

    assert len(catalog.certification_history(ORDERS)) == 1
    assert len(catalog.evidence()) == 1


def test_another_run_may_certify_the_same_version_anew(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)

    certify(catalog, 5, expected=5, run_id="run_2")

    assert catalog.certification(ORDERS) == certification(5, "run_2")
    assert len(catalog.evidence()) == 2


def test_the_report_is_recorded_with_the_pointer(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None, report=report(stage=Stage.CERTIFIED, version=5))

    assert catalog.is_recorded("run_1", ORDERS, Stage.CERTIFIED)
    assert catalog.evidence() == (evidence(),)


def test_evidence_that_cannot_be_kept_leaves_the_pointer_where_it_was(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)
    bad = [evidence("run_2"), evidence("run_2", certified_view_status="PERHAPS")]

    with pytest.raises(UsageError, match="evidence_view_status"):
        catalog.certify(
            certification(6, "run_2"), expected=5, evidence=bad, report=report("run_2", stage=Stage.CERTIFIED)
        )
    assert catalog.certification(ORDERS) == certification(5)
    assert len(catalog.certification_history(ORDERS)) == len(catalog.evidence()) == 1
    assert catalog.runs() == ()


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(certification(None), id="no version"),
        pytest.param(certification(5, certified_at=None), id="no time"),
        pytest.param(certification(5, status=CertificationStatus.HELD_AT_PREVIOUS), id="held"),
    ],
)
def test_only_a_certified_version_can_be_certified(catalog: Catalog, wrong: Certification) -> None:
    with pytest.raises(UsageError, match="only a CERTIFIED version with its time can be certified"):
        catalog.certify(wrong, expected=None, evidence=[])
    assert catalog.certifications() == ()


def test_a_held_dataset_goes_on_showing_its_version(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)

    held = catalog.hold(ORDERS, run_id="run_2", partition="2026-02-16", reason="too few rows", now=later(1))

    state = CertificationStatus.HELD_AT_PREVIOUS
    assert held == replace(certification(5), status=state, run_id="run_2", partition="2026-02-16")
    assert catalog.certification(ORDERS) == held
    assert catalog.certification_history(ORDERS) == (held, certification(5))


def test_a_dataset_held_before_its_first_certification_is_uncertified(catalog: Catalog) -> None:
    held = catalog.hold(ORDERS, run_id="run_1", partition=DAY, reason="too few rows", now=NOW)

    assert (held.status, held.version, held.certified_at) == (CertificationStatus.UNCERTIFIED, None, None)
    assert catalog.certification(ORDERS) == held


def test_the_same_hold_again_is_one_hold(catalog: Catalog) -> None:
    for minute in (1, 2):
        catalog.hold(ORDERS, run_id="run_1", partition=DAY, reason="too few rows", now=later(minute))

    assert len(catalog.certification_history(ORDERS)) == 1


@pytest.mark.parametrize("before", [None, 5])
def test_a_held_dataset_is_certified_by_the_next_run_that_passes(catalog: Catalog, before: int | None) -> None:
    if before is not None:
        certify(catalog, before, expected=None)
    catalog.hold(ORDERS, run_id="run_2", partition=DAY, reason="too few rows", now=NOW)

    certify(catalog, 6, expected=before, run_id="run_3")

    assert catalog.certification(ORDERS) == certification(6, "run_3")


def _try(url: str, run_id: str, version: int) -> str:
    with open_catalog(url) as catalog:
        try:
            certify(catalog, version, expected=5, run_id=run_id)
        except ConflictError:
            return "lost"
        return run_id


def test_of_processes_that_certify_at_once_exactly_one_wins(catalog: Catalog, catalog_url: str) -> None:
    certify(catalog, 5, expected=None, run_id="run_first")

    answers = together(_try, [(catalog_url, f"run_{i}", 6 + i) for i in range(3)])

    (winner,) = set(answers) - {"lost"}
    assert answers.count("lost") == 2
    assert [c.run_id for c in catalog.certification_history(ORDERS)] == [winner, "run_first"]
    assert [e.run_id for e in catalog.evidence()] == [winner, "run_first"]


def test_of_threads_that_certify_at_once_exactly_one_wins(catalog: Catalog) -> None:
    barrier, lost = threading.Barrier(4), []

    def attempt(number: int) -> None:
        barrier.wait()
        try:
            certify(catalog, number, expected=None, run_id=f"run_{number}")
        except ConflictError:
            lost.append(number)

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(lost) == 3
    assert [c.version for c in catalog.certification_history(ORDERS)] == list({0, 1, 2, 3} - set(lost))
    assert len(catalog.evidence()) == 1
