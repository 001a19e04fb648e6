"""What consumers saw at any instant follows from the history of the pointer, line by line."""

import itertools
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_platform.catalog import Catalog
from data_platform.errors import InputError, NotCertifiedError
from data_platform.model.certification import CertificationStatus, PointerEvent, PointerMove
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, certification, later
from data_platform_tests.example_count import examples

NEXT_DAY = "2026-02-16"
NUMBERS = itertools.count()


def certify(catalog: Catalog, version: int, at: datetime, *, expected: int | None, run_id: str = "run_1") -> None:
    pointer = certification(version, run_id, certified_at=at)
    catalog.certifications.certify(pointer, expected=expected, evidence=[])


def hold(catalog: Catalog, at: datetime, reason: str = "NOT_UNIQUE:id") -> None:
    catalog.certifications.hold(ORDERS, run_id="run_held", partition=NEXT_DAY, reason=reason, now=at)


def move(catalog: Catalog, expected: int, version: int, at: datetime) -> None:
    reason = f"v{expected} -> v{version}: the same rows"
    catalog.certifications.follow(ORDERS, PointerMove(expected=expected, version=version, reason=reason), now=at)


@pytest.fixture
def past(catalog: Catalog) -> Catalog:
    """v3 at minute 0, held at 10, v5 with the same rows at 11, v8 by another run at 20."""
    certify(catalog, 3, NOW, expected=None)
    hold(catalog, later(10))
    move(catalog, 3, 5, later(11))
    certify(catalog, 8, later(20), expected=5, run_id="run_2")
    return catalog


@pytest.mark.parametrize(
    ("minute", "version", "judged", "run", "status", "seen"),
    [
        pytest.param(0, 3, 3, "run_1", "CERTIFIED", (0, 11), id="the instant of the certification"),
        pytest.param(10, 3, 3, "run_1", "HELD_AT_PREVIOUS", (0, 11), id="held"),
        pytest.param(11, 5, 3, "run_1", "HELD_AT_PREVIOUS", (11, 20), id="moved to the same rows"),
        pytest.param(19, 5, 3, "run_1", "HELD_AT_PREVIOUS", (11, 20), id="before the next certification"),
        pytest.param(20, 8, 8, "run_2", "CERTIFIED", (20, None), id="the next certification"),
        pytest.param(9999, 8, 8, "run_2", "CERTIFIED", (20, None), id="long after"),
    ],
)
def test_the_version_that_consumers_saw(
    past: Catalog, minute: int, version: int, judged: int, run: str, status: str, seen: tuple[int, int | None]
) -> None:
    found = past.certifications.at(ORDERS, later(minute))

    assert (found.version, found.judged_version, found.run_id) == (version, judged, run)
    assert (found.status, found.partition, found.as_of) == (status, DAY, later(minute))
    until = None if seen[1] is None else later(seen[1])
    assert (found.seen_from, found.seen_until) == (later(seen[0]), until)


def test_a_version_that_is_certified_again_was_seen_since_the_first_time(catalog: Catalog) -> None:
    certify(catalog, 3, NOW, expected=None)
    certify(catalog, 3, later(5), expected=3, run_id="run_2")

    found = catalog.certifications.at(ORDERS, later(6))

    assert (found.seen_from, found.certified_at, found.run_id) == (NOW, later(5), "run_2")


def test_before_the_first_certification_nothing_was_seen(past: Catalog) -> None:
    with pytest.raises(NotCertifiedError, match=r"had no certified version at 2026-02-15 07:14:32 UTC: its first one"):
        past.certifications.at(ORDERS, later(-1))


def test_a_dataset_that_was_only_held_was_never_seen(catalog: Catalog) -> None:
    hold(catalog, NOW)

    with pytest.raises(NotCertifiedError, match="has no certified version yet"):
        catalog.certifications.at(ORDERS, later(1))


def test_a_clock_that_is_behind_does_not_bring_back_an_older_version(catalog: Catalog) -> None:
    certify(catalog, 3, NOW, expected=None)
    certify(catalog, 5, later(-2), expected=3, run_id="run_2")

    assert catalog.certifications.at(ORDERS, later(1)).version == 5


def test_each_change_is_listed_with_what_it_was(past: Catalog) -> None:
    changes = past.certifications.changes(ORDERS).items

    assert [(c.event, c.previous_version, c.version, c.run_id, c.partition) for c in changes] == [
        (PointerEvent.CERTIFIED, 5, 8, "run_2", DAY),
        (PointerEvent.MOVED, 3, 5, "", None),
        (PointerEvent.HELD, 3, 3, "run_held", NEXT_DAY),
        (PointerEvent.CERTIFIED, None, 3, "run_1", DAY),
    ]
    assert [c.reason for c in changes] == ["", "v3 -> v5: the same rows", "NOT_UNIQUE:id", ""]
    assert [c.at for c in changes] == [later(20), later(11), later(10), NOW]


def test_pages_of_changes_have_each_change_once(past: Catalog) -> None:
    first = past.certifications.changes(ORDERS, limit=3)
    rest = past.certifications.changes(ORDERS, limit=3, cursor=first.cursor)

    assert (*first.items, *rest.items) == past.certifications.changes(ORDERS).items
    assert rest.cursor is None
    assert past.certifications.changes(ORDERS, limit=4).cursor is None
    with pytest.raises(InputError, match="not a cursor of this listing"):
        past.certifications.changes(ORDERS, cursor="nonsense")


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.sampled_from(["certify", "hold", "move"]), min_size=1, max_size=8))
def test_at_every_instant_the_past_is_what_was_answered_then(catalog: Catalog, steps: list[str]) -> None:
    urn = f"{ORDERS}_{next(NUMBERS)}"  # another dataset for each example
    answered = []
    for minute, step in enumerate(steps):
        current = catalog.certifications.get(urn)
        version = current.version if current else None
        if step == "certify":
            pointer = replace(certification((version or 0) + 1, f"run_{minute}"), dataset_urn=urn)
            pointer = replace(pointer, certified_at=later(minute))
            catalog.certifications.certify(pointer, expected=version, evidence=[])
        elif step == "hold":
            catalog.certifications.hold(urn, run_id=f"run_{minute}", partition=DAY, reason="R:f", now=later(minute))
        elif version is not None:
            moved = PointerMove(expected=version, version=version + 1, reason="the same rows")
            catalog.certifications.follow(urn, moved, now=later(minute))
        answered.append(catalog.certifications.get(urn))

    for minute, then in enumerate(answered):
        if then is None or then.status is CertificationStatus.UNCERTIFIED:
            with pytest.raises(NotCertifiedError):
                catalog.certifications.at(urn, later(minute))
            continue
        found = catalog.certifications.at(urn, later(minute) + timedelta(seconds=30))
        seen = (found.version, found.judged_version, found.status, found.run_id, found.certified_at)
        assert seen == (then.version, then.judged_version, then.status, then.run_id, then.certified_at)
        assert found.seen_from <= later(minute)
        assert found.seen_until is None or found.seen_until > later(minute)
