"""The pointer moves forward, from where the caller saw it, together with its evidence, or stays."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import ConflictError, UsageError
from data_platform.model.certification import Certification, CertificationStatus, PointerMove
from data_platform.model.dataset import Stage
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, certification, evidence, later, report, shown


def certify(catalog: Catalog, version: int, *, expected: int | None, run_id: str = "run_1", **more: Any) -> None:
    catalog.certifications.certify(
        certification(version, run_id), expected=expected, evidence=[evidence(run_id)], **more
    )


def test_a_certified_version_is_what_consumers_see(catalog: Catalog) -> None:
    certify(catalog, 3, expected=None)

    assert catalog.certifications.get(ORDERS) == shown(3)
    assert catalog.certifications.all() == (shown(3),)
    assert catalog.certifications.get("ds://curated/items") is None
    assert catalog.evidence.find() == (evidence(),)


def test_the_pointer_moves_on_and_its_history_stays(catalog: Catalog) -> None:
    certify(catalog, 3, expected=None)
    certify(catalog, 5, expected=3, run_id="run_2")

    assert catalog.certifications.history(ORDERS) == (certification(5, "run_2"), certification(3))


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
    assert catalog.certifications.history(ORDERS) == (certification(5),)
    assert catalog.evidence.find() == (evidence(),)
    assert catalog.runs.recent() == ()


def test_a_pointer_that_is_gone_cannot_be_expected(catalog: Catalog) -> None:
    with pytest.raises(ConflictError, match="is certified at no version, and run_1 expected v4"):
        certify(catalog, 5, expected=4)


def test_the_same_run_may_certify_the_same_version_twice(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)

    certify(catalog, 5, expected=None)
    certify(catalog, 5, expected=5)

    assert len(catalog.certifications.history(ORDERS)) == 1
    assert len(catalog.evidence.find()) == 1


def test_another_run_may_certify_the_same_version_again(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)

    certify(catalog, 5, expected=5, run_id="run_2")

    assert catalog.certifications.get(ORDERS) == shown(5, "run_2")
    assert len(catalog.evidence.find()) == 2


def test_the_report_is_recorded_with_the_pointer(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None, report=report(stage=Stage.CERTIFIED, version=5))

    assert catalog.runs.is_recorded("run_1", ORDERS, Stage.CERTIFIED)
    assert catalog.evidence.find() == (evidence(),)


def test_evidence_that_cannot_be_kept_leaves_the_pointer_where_it_was(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)
    bad = [evidence("run_2"), evidence("run_2", certified_view_status="PERHAPS")]

    with pytest.raises(UsageError, match="evidence_view_status"):
        catalog.certifications.certify(
            certification(6, "run_2"), expected=5, evidence=bad, report=report("run_2", stage=Stage.CERTIFIED)
        )
    assert catalog.certifications.get(ORDERS) == shown(5)
    assert len(catalog.certifications.history(ORDERS)) == len(catalog.evidence.find()) == 1
    assert catalog.runs.recent() == ()


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
        catalog.certifications.certify(wrong, expected=None, evidence=[])
    assert catalog.certifications.all() == ()


def test_a_held_dataset_goes_on_showing_its_version(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)

    held = catalog.certifications.hold(
        ORDERS, run_id="run_2", partition="2026-02-16", reason="too few rows", now=later(1)
    )

    attempt = {"attempt_run_id": "run_2", "attempt_partition": "2026-02-16", "reason": "too few rows"}
    assert held == shown(5, status=CertificationStatus.HELD_AT_PREVIOUS, **attempt)
    assert (held.run_id, held.partition) == ("run_1", DAY)
    assert catalog.certifications.get(ORDERS) == held
    assert [entry.run_id for entry in catalog.certifications.history(ORDERS)] == ["run_2", "run_1"]


@pytest.mark.parametrize("is_held", [False, True], ids=["after a rewrite", "after a held run"])
def test_the_pointer_follows_the_same_rows_and_keeps_who_certified_them(catalog: Catalog, is_held: bool) -> None:
    certify(catalog, 5, expected=None)
    if is_held:
        catalog.certifications.hold(ORDERS, run_id="run_2", partition="2026-02-16", reason="too few rows", now=later(1))
    before = catalog.certifications.get(ORDERS)

    for version in (7, 9):
        found = catalog.certifications.get(ORDERS)
        assert found is not None
        assert found.version is not None
        move = PointerMove(expected=found.version, version=version, reason=f"to v{version}")
        catalog.certifications.follow(ORDERS, move, now=later(version))

    assert before is not None
    assert catalog.certifications.get(ORDERS) == replace(before, version=9)
    assert (before.run_id, before.partition, before.judged_version, before.certified_at) == ("run_1", DAY, 5, NOW)
    history = [(entry.version, entry.reason) for entry in catalog.certifications.history(ORDERS)]
    assert history[:2] == [(9, "to v9"), (7, "to v7")]


@pytest.mark.parametrize(
    ("expected", "version"),
    [pytest.param(4, 7, id="from elsewhere"), pytest.param(5, 4, id="backward"), pytest.param(5, 5, id="nowhere")],
)
def test_a_pointer_follows_only_forward_and_from_where_it_is(catalog: Catalog, expected: int, version: int) -> None:
    certify(catalog, 5, expected=None)

    with pytest.raises(ConflictError, match="is certified at v5, and cannot follow"):
        catalog.certifications.follow(
            ORDERS, PointerMove(expected=expected, version=version, reason="moved"), now=later(1)
        )
    assert catalog.certifications.get(ORDERS) == shown(5)


def test_a_move_is_recorded_with_the_held_run_or_not_at_all(catalog: Catalog) -> None:
    certify(catalog, 5, expected=None)
    move = PointerMove(expected=4, version=7, reason="v4 -> v7")

    with pytest.raises(ConflictError, match="cannot follow"):
        catalog.runs.record(report("run_2", version=None), [evidence("run_2")], held_reason="NOT_UNIQUE:id", move=move)
    assert (catalog.certifications.get(ORDERS), catalog.runs.recent()) == (shown(5), ())
    catalog.runs.record(
        report("run_2", version=None),
        [],
        held_reason="NOT_UNIQUE:id",
        move=replace(move, expected=5, reason="v5 -> v7"),
    )

    found = catalog.certifications.get(ORDERS)
    assert found is not None
    assert (found.version, found.status, found.reason) == (7, CertificationStatus.HELD_AT_PREVIOUS, "NOT_UNIQUE:id")
    assert [entry.reason for entry in catalog.certifications.history(ORDERS)] == ["v5 -> v7", "NOT_UNIQUE:id", ""]


def test_a_dataset_held_before_its_first_certification_is_uncertified(catalog: Catalog) -> None:
    held = catalog.certifications.hold(ORDERS, run_id="run_1", partition=DAY, reason="too few rows", now=NOW)

    assert (held.status, held.version, held.certified_at) == (CertificationStatus.UNCERTIFIED, None, None)
    assert (held.run_id, held.partition, held.attempt_run_id, held.attempt_partition) == ("", None, "run_1", DAY)
    assert catalog.certifications.get(ORDERS) == held


def test_the_same_hold_again_is_one_hold(catalog: Catalog) -> None:
    for minute in (1, 2):
        catalog.certifications.hold(ORDERS, run_id="run_1", partition=DAY, reason="too few rows", now=later(minute))

    assert len(catalog.certifications.history(ORDERS)) == 1


@pytest.mark.parametrize("before", [None, 5])
def test_a_held_dataset_is_certified_by_the_next_run_that_passes(catalog: Catalog, before: int | None) -> None:
    if before is not None:
        certify(catalog, before, expected=None)
    catalog.certifications.hold(ORDERS, run_id="run_2", partition=DAY, reason="too few rows", now=NOW)

    certify(catalog, 6, expected=before, run_id="run_3")

    assert catalog.certifications.get(ORDERS) == shown(6, "run_3")


def _try(url: str, run_id: str, version: int) -> str:
    with open_catalog(url, KEYS) as catalog:
        try:
            certify(catalog, version, expected=5, run_id=run_id)
        except ConflictError:
            return "lost"
        return run_id


def test_of_processes_that_certify_at_once_exactly_one_wins(catalog: Catalog, catalog_url: str) -> None:
    certify(catalog, 5, expected=None, run_id="run_first")

    answers = run_concurrently(_try, [(catalog_url, f"run_{i}", 6 + i) for i in range(3)])

    (winner,) = set(answers) - {"lost"}
    assert answers.count("lost") == 2
    assert [c.run_id for c in catalog.certifications.history(ORDERS)] == [winner, "run_first"]
    assert [e.run_id for e in catalog.evidence.find()] == [winner, "run_first"]


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
    assert [c.version for c in catalog.certifications.history(ORDERS)] == list({0, 1, 2, 3} - set(lost))
    assert len(catalog.evidence.find()) == 1
