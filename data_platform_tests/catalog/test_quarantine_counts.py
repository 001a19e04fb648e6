"""Whatever people and runs do in any order, the rows of each entry add up, and a release needs two people."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from data_platform.errors import ConflictError, NotFoundError, UsageError
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_decision import DISCARDED, DecisionKind, DecisionStatus
from data_platform.model.registration import Actor
from data_platform.model.run import RowCounts
from data_platform_tests.catalog.example import DAY, ORDERS, entry, later, report
from data_platform_tests.catalog.template import new_catalog
from data_platform_tests.example_count import examples

RULE = "INVARIANT:total:positive"
PEOPLE = st.sampled_from(["ann", "bob", "Ann "])


class QuarantineLoop(RuleBasedStateMachine):
    """Rows of a delivery are numbers. The model says for each row whether it breaks the policy of now."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "catalog.db"
        self.catalog = new_catalog(file)
        self.runs, self.delivery, self.rows_of = 0, 0, dict[str, set[int]]()

    def teardown(self) -> None:
        self.catalog.close()
        self.folder.cleanup()

    @initialize(rows=st.integers(1, 6), bad=st.sets(st.integers(0, 5)))
    def first_delivery(self, rows: int, bad: set[int]) -> None:
        self.deliver(rows, bad)

    @rule(rows=st.integers(1, 6), bad=st.sets(st.integers(0, 5)))
    def deliver(self, rows: int, bad: set[int]) -> None:
        self.delivery += 1
        self.rows, self.bad = set(range(rows)), {row for row in bad if row < rows}
        self.run()

    @rule(bad=st.sets(st.integers(0, 5)))
    def replay_under_another_policy(self, bad: set[int]) -> None:
        self.bad = bad & self.rows
        self.run()

    @rule()
    def replay(self) -> None:
        before, decided_before = self.accepted, self.decided_at_last_run
        decided = self.decided()
        self.run()
        if decided == decided_before:
            assert self.accepted == before  # the same input gives the same rows

    def decided(self) -> list[tuple[int, str]]:
        effective = self.catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, f"delivery_{self.delivery}")
        return [(decision.id, decision.kind) for decision in effective]

    def run(self) -> None:
        """What silver does with the rows of the last delivery: the model of ``stage.decided_row``."""
        self.runs += 1
        delivery = f"delivery_{self.delivery}"
        of_row: dict[int, Any] = {}
        for decision in self.catalog.quarantine.effective(ORDERS, Stage.SILVER, DAY, delivery):
            of_row |= dict.fromkeys(self.rows_of[decision.entry], decision)
        discarded = {row for row, d in of_row.items() if d.kind is DecisionKind.DISCARD}
        released = {row for row, d in of_row.items() if d.kind is DecisionKind.RELEASE and row in self.bad}
        rejected = (self.bad - released) | discarded
        self.accepted, self.released = self.rows - rejected, released
        applied = {d.id: sum(of_row[row].id == d.id for row in released | discarded) for d in of_row.values()}
        run_id = f"run_{self.runs}"
        aside = None
        if rejected:
            signatures = {RULE: len(self.bad & rejected), DISCARDED: len(discarded)}
            aside = entry(
                run_id, stage=Stage.SILVER, rows=len(rejected), discarded_rows=len(discarded), delivery_id=delivery,
                signatures={s: rows for s, rows in signatures.items() if rows},
            )  # fmt: skip
            self.rows_of[aside.name] = rejected - discarded
        counts = RowCounts(read=len(self.rows), accepted=len(self.accepted), quarantined=len(rejected))
        told = report(run_id, stage=Stage.SILVER, rows=counts, delivery_id=delivery)
        self.catalog.runs.record(told, [], quarantine=aside, applied={n: rows for n, rows in applied.items() if rows})
        self.catalog.quarantine.supersede(ORDERS, Stage.SILVER, DAY, by_run=run_id, now=later(self.runs))
        self.decided_at_last_run = self.decided()

    def open_name(self) -> str | None:
        found = self.catalog.quarantine.entries(ORDERS)
        return found[0].name if found else None

    @precondition(lambda self: self.open_name() is not None)
    @rule(by=PEOPLE)
    def discard(self, by: str) -> None:
        self.catalog.quarantine.discard(self.open_name() or "", "x", by=_actor(by), now=later(self.runs))

    @precondition(lambda self: self.open_name() is not None)
    @rule(by=PEOPLE)
    def request(self, by: str) -> None:
        try:
            self.catalog.quarantine.request_release(
                self.open_name() or "", "x", rules=[RULE], by=_actor(by), now=later(self.runs)
            )
        except (ConflictError, UsageError):
            assert self.catalog.quarantine.decisions(self.open_name() or "")

    @precondition(lambda self: self.open_name() is not None)
    @rule(by=PEOPLE, approves=st.booleans())
    def decide(self, by: str, approves: bool) -> None:
        quarantine = self.catalog.quarantine
        verb = quarantine.approve_release if approves else quarantine.withdraw_release
        with suppress(NotFoundError, UsageError):
            verb(self.open_name() or "", by=_actor(by), now=later(self.runs))

    @invariant()
    def rows_add_up(self) -> None:
        if not self.runs:
            return
        last = self.catalog.runs.latest(ORDERS, Stage.SILVER, DAY)
        assert last is not None
        assert last.rows.conserved
        for found in self.catalog.quarantine.entries(include_closed=True):
            parts = (found.open_rows, found.resolved_rows, found.discarded_rows, found.released_rows)
            assert min(parts) >= 0
            assert sum(parts) == found.rows
            if found.status in (QuarantineStatus.DISCARDED, QuarantineStatus.RELEASED):
                assert found.open_rows == 0
            for decision in self.catalog.quarantine.decisions(found.name):
                if decision.kind is DecisionKind.RELEASE and decision.status is DecisionStatus.APPROVED:
                    assert (decision.decided_by or "").strip().casefold() != decision.requested_by.strip().casefold()

    @invariant()
    def at_most_one_entry_is_open(self) -> None:
        assert len(self.catalog.quarantine.entries(ORDERS)) <= 1


def _actor(name: str) -> Actor:
    return Actor(name=name, role="PLATFORM_ADMIN")


QuarantineLoop.TestCase.settings = settings(
    max_examples=examples(25), stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
TestCounts = QuarantineLoop.TestCase
