"""People assign, discard and release quarantined rows: each step is recorded, by two people where it must be."""

from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.catalog.database import open_database
from data_platform.errors import ConflictError, InputError, NotFoundError, UsageError
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_decision import DecisionKind, DecisionStatus
from data_platform.model.registration import Actor
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, entry, later, report

ANN, BOB = Actor(name="ann", role="DATA_OWNER"), Actor(name="bob", role="DATA_STEWARD")
NAME = "orders_20260215_run_1"
RULES = {"INVARIANT:total:positive": 4, "UNKNOWN_ENUM:status:C1": 1}


def set_aside(catalog: Catalog, run_id: str = "run_1", **changes: Any) -> None:
    given = {"stage": Stage.SILVER, "signatures": RULES, **changes}
    catalog.runs.record(report(run_id, stage=given["stage"]), [], quarantine=entry(run_id, **given))


def test_an_entry_is_assigned_and_a_later_entry_of_its_delivery_stays_with_that_person(catalog: Catalog) -> None:
    set_aside(catalog)

    assert catalog.quarantine.assign(NAME, "  Carla ", by=ANN, now=later(1)).assignee == "Carla"

    set_aside(catalog, "run_2")
    set_aside(catalog, "run_3", delivery_id="delivery_2")
    assert [e.assignee for e in catalog.quarantine.entries()] == [None, "Carla", "Carla"]
    assert [(a.actor, a.action, a.detail) for a in catalog.quarantine.actions(NAME)] == [
        ("ann", "assign", {"to": "Carla"})
    ]
    assert catalog.access.audit(subject=NAME).items[0].action == "quarantine.assign"


def test_a_discarded_entry_is_closed_and_its_rows_still_count(catalog: Catalog) -> None:
    set_aside(catalog, resolved_rows=2)

    closed = catalog.quarantine.discard(NAME, "test records", by=ANN, now=later(1))

    assert (closed.status, closed.discarded_rows, closed.resolved_rows, closed.open_rows) == (
        QuarantineStatus.DISCARDED, 3, 2, 0
    )  # fmt: skip
    assert (closed.closed_by, closed.closed_reason) == ("ann", "test records")
    [decision] = catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, "delivery_1")
    assert (decision.kind, decision.entry) == (DecisionKind.DISCARD, NAME)
    assert catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, "delivery_2") == ()
    with pytest.raises(ConflictError, match="is DISCARDED by ann: only an OPEN entry"):
        catalog.quarantine.discard(NAME, "again", by=ANN, now=later(2))


def test_a_release_needs_two_people(catalog: Catalog) -> None:
    set_aside(catalog)
    catalog.quarantine.request_release(NAME, "agreed", by=ANN, now=later(1))

    assert catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, "delivery_1") == ()
    for name in ("ann", " ANN "):
        with pytest.raises(UsageError, match="own request"):
            catalog.quarantine.approve_release(NAME, by=Actor(name=name, role="PLATFORM_ADMIN"), now=later(2))
    approved = catalog.quarantine.approve_release(NAME, by=BOB, now=later(3))

    assert (approved.status, approved.decided_by, approved.signatures) == (DecisionStatus.APPROVED, "bob", RULES)
    assert catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, "delivery_1") == (approved,)
    assert [a.action for a in catalog.quarantine.actions(NAME)] == ["release.request", "release.approve"]
    with pytest.raises(ConflictError, match="APPROVED already"):
        catalog.quarantine.request_release(NAME, "again", by=BOB, now=later(4))


def test_a_request_whose_approval_is_refused_is_not_stored(catalog: Catalog) -> None:
    set_aside(catalog)

    with pytest.raises(UsageError, match="own request"):
        catalog.quarantine.release(NAME, "agreed", by=ANN, approver=ANN, now=later(1))

    assert catalog.quarantine.decisions(NAME) == ()
    assert catalog.quarantine.actions(NAME) == ()


def test_a_withdrawn_release_has_no_effect_and_another_may_be_requested(catalog: Catalog) -> None:
    set_aside(catalog)
    catalog.quarantine.release(NAME, "agreed", by=ANN, approver=BOB, now=later(1))

    catalog.quarantine.withdraw_release(NAME, by=ANN, now=later(2))

    assert catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, "delivery_1") == ()
    catalog.quarantine.request_release(NAME, "agreed after all", by=BOB, now=later(3))
    assert [d.status for d in catalog.quarantine.decisions(NAME)] == ["WITHDRAWN", "REQUESTED"]


def test_a_release_may_name_rules_by_their_start(catalog: Catalog) -> None:
    set_aside(catalog)

    decision = catalog.quarantine.request_release(NAME, "agreed", rules=["UNKNOWN_ENUM:status"], by=ANN, now=NOW)

    assert decision.signatures == {"UNKNOWN_ENUM:status:C1": 1}
    assert decision.allows("UNKNOWN_ENUM:status")
    assert not decision.allows("UNKNOWN_ENUM:statuses")
    assert not decision.allows("INVARIANT:total:positive")


def test_a_step_that_is_repeated_after_its_answer_was_lost_changes_nothing(catalog: Catalog) -> None:
    set_aside(catalog)
    set_aside(catalog, "run_2", stage=Stage.GOLD)
    other = "orders_20260215_run_2"

    for now in (later(1), later(2)):
        catalog.quarantine.assign(NAME, "carla", by=ANN, now=now)
        catalog.quarantine.release(NAME, "agreed", by=ANN, approver=BOB, now=now)
        catalog.quarantine.discard(other, "test records", by=ANN, now=now)
    decision = catalog.quarantine.request_release(NAME, "agreed", by=ANN, now=later(3))
    catalog.runs.record(report("run_4", stage=Stage.SILVER), [], applied={decision.id: 5})  # which closes the entry
    again = catalog.quarantine.release(NAME, "agreed", by=ANN, approver=BOB, now=later(4))

    assert (again.id, again.status, again.decided_at) == (decision.id, DecisionStatus.APPROVED, later(1))
    assert [a.action for a in catalog.quarantine.actions(NAME)] == ["assign", "release.request", "release.approve"]
    assert [a.action for a in catalog.quarantine.actions(other)] == ["discard"]
    assert len(catalog.quarantine.decisions(NAME)) == len(catalog.quarantine.decisions(other)) == 1
    for now in (later(5), later(6)):
        assert catalog.quarantine.withdraw_release(NAME, by=ANN, now=now).decided_at == later(5)


def test_another_reason_another_person_or_other_rules_are_no_repetition(catalog: Catalog) -> None:
    set_aside(catalog)
    catalog.quarantine.request_release(NAME, "agreed", rules=["UNKNOWN_ENUM:status"], by=ANN, now=later(1))

    for rules, reason, by in (
        ([], "agreed", ANN),
        (["UNKNOWN_ENUM:status"], "sure", ANN),
        (["UNKNOWN_ENUM"], "agreed", BOB),
    ):
        with pytest.raises(ConflictError, match="REQUESTED already"):
            catalog.quarantine.request_release(NAME, reason, rules=rules, by=by, now=later(2))
    catalog.quarantine.assign(NAME, "carla", by=ANN, now=later(3))
    catalog.quarantine.assign(NAME, "carla", by=BOB, now=later(4))
    catalog.quarantine.assign(NAME, "dora", by=BOB, now=later(5))

    assert [a.detail for a in catalog.quarantine.actions(NAME)][1:] == [
        {"to": "carla"},
        {"to": "carla"},
        {"to": "dora"},
    ]


@pytest.mark.parametrize(
    ("changes", "rules", "message"),
    [
        pytest.param({"signatures": {"TYPE_MISMATCH:total:INT": 5}}, [], "cannot be released", id="no valid value"),
        pytest.param({"signatures": {}}, [], "no recorded rule", id="no rule is recorded"),
        pytest.param({}, ["MISSING_FIELD:id"], "no row of .* breaks MISSING_FIELD:id", id="a rule of other rows"),
        pytest.param({"stage": Stage.BRONZE}, [], "bound to a delivery", id="a delivery that bronze held"),
        pytest.param({"delivery_id": ""}, [], "bound to a delivery", id="rows of no delivery"),
    ],
)
def test_what_cannot_be_released_is_refused(
    catalog: Catalog, changes: dict[str, Any], rules: list[str], message: str
) -> None:
    set_aside(catalog, **changes)

    with pytest.raises(UsageError, match=message):
        catalog.quarantine.request_release(NAME, "agreed", rules=rules, by=ANN, now=NOW)


@pytest.mark.parametrize("reason", ["", "  ", "a" * 4001, "a\x1b[2Jb"], ids=["empty", "blank", "long", "control"])
def test_a_reason_is_required_and_printable(catalog: Catalog, reason: str) -> None:
    set_aside(catalog)

    for decide in (catalog.quarantine.discard, catalog.quarantine.request_release):
        with pytest.raises(InputError, match="reason: expected"):
            decide(NAME, reason, by=ANN, now=NOW)


def test_a_reason_is_stored_without_personal_values(catalog: Catalog) -> None:
    set_aside(catalog)

    closed = catalog.quarantine.discard(NAME, "rows of carla@example.net", by=ANN, now=NOW)

    assert closed.closed_reason == "rows of [REDACTED:EMAIL]"
    assert "carla" not in str(catalog.quarantine.actions(NAME)) + str(catalog.quarantine.decisions(NAME))


def test_what_does_not_exist_is_not_found(catalog: Catalog) -> None:
    set_aside(catalog)

    with pytest.raises(NotFoundError, match="no quarantine table none"):
        catalog.quarantine.assign("none", "ann", by=ANN, now=NOW)
    with pytest.raises(NotFoundError, match=r"no release of .* is REQUESTED"):
        catalog.quarantine.approve_release(NAME, by=BOB, now=NOW)


@pytest.mark.parametrize(
    ("applied", "status", "counts"),
    [
        pytest.param(5, QuarantineStatus.RELEASED, (5, 0), id="every row"),
        pytest.param(2, QuarantineStatus.OPEN, (2, 3), id="the others pass or stay"),
    ],
)
def test_a_run_that_applies_a_release_records_its_rows_in_the_entry(
    catalog: Catalog, applied: int, status: QuarantineStatus, counts: tuple[int, int]
) -> None:
    set_aside(catalog)
    decision = catalog.quarantine.release(NAME, "agreed", by=ANN, approver=BOB, now=later(1))

    for run_id in ("run_2", "run_3"):  # the same delivery again: nothing is counted twice
        catalog.runs.record(report(run_id, stage=Stage.SILVER), [], applied={decision.id: applied})

    found = catalog.quarantine.entry(NAME)
    assert found is not None
    assert (found.status, (found.released_rows, found.open_rows)) == (status, counts)
    [used] = catalog.quarantine.applied(ORDERS)
    assert (used.rows, used.run_id) == (applied, "run_3")


def test_the_log_of_actions_is_append_only(catalog: Catalog, catalog_url: str) -> None:
    set_aside(catalog)
    catalog.quarantine.assign(NAME, "carla", by=ANN, now=NOW)
    database = open_database(catalog_url)

    for change in ("UPDATE quarantine_action SET actor = 'bob'", "DELETE FROM quarantine_action"):
        with pytest.raises(Exception, match=r"append-only|cannot be used|refused"), database.writing() as connection:
            connection.exec_driver_sql(change)
    database.close()
    assert [a.actor for a in catalog.quarantine.actions(NAME)] == ["ann"]
