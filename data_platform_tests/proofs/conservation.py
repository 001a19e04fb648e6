"""A machine that delivers orders, edits policies, decides about quarantined rows, and kills runs, in any order.

After each stage it compares the platform with ``order_model``: each delivered row is in silver or in quarantine exactly
once, and counts agree. After each run the certified view has only rows that today's policy, or people, let through.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from deltalake import DeltaTable
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from data_platform.errors import ConflictError, UsageError
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.registration import Actor
from data_platform.model.run import StageReport, new_run_id
from data_platform.model.verdict import Gate
from data_platform.model.waiver import WaiverRequest
from data_platform.stage import driver, replay
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.flows.estate import ORDERS, ORDERS_SOURCE, Estate, a_day, declare_orders
from data_platform_tests.proofs.killed_run import Work, run_until_killed
from data_platform_tests.proofs.order_model import COUNT, Decided, Delivery, Held, Order, OrderPolicy, People, kind_of
from data_platform_tests.proofs.write_seam import Died, dying_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.policies import Dataset

DAYS = (a_day(6), a_day(7))
ANN, BOB = Actor(name="ann", role="PLATFORM_ADMIN"), Actor(name="bob", role="DATA_STEWARD")
LINES = ("lines", "no file", "no text", "a column is missing")
MOST_SEAMS = 90
"""A run of all stages that holds nothing has about as many."""
MOST_STEPS = 22

Rows = frozenset[Order]
Lines = list[tuple[str, str, str]]


class Death(NamedTuple):
    """Ends a run: ``is_real`` with SIGKILL after a number of steps, else at a seam between writes."""

    is_real: bool
    after: int


class Edit(NamedTuple):
    """A policy that is written while a run is between two stages."""

    before: Stage
    policy: OrderPolicy


days = st.sampled_from(DAYS)
lines = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", "4", "5", "6", ""]),
        st.sampled_from(["1.00", "2.50", "-1.00", "", "x"]) | st.just("3.00"),
        st.sampled_from(["a", "b", "z"]),
    ),
    min_size=1,
    max_size=8,
)
at_seam = st.builds(Death, st.just(False), st.integers(1, MOST_SEAMS))
by_signal = st.builds(Death, st.just(True), st.integers(1, MOST_STEPS))
deaths = st.integers(1, 12).flatmap(lambda n: st.none() if n < 7 else at_seam if n < 12 else by_signal)
policies = st.builds(
    OrderPolicy,
    positive=st.booleans(),
    enum=st.booleans(),
    unique=st.booleans(),
    min_compliance=st.sampled_from([0.0, 0.5, 1.0]),
    min_rows=st.sampled_from([1, 2]),
    mode=st.sampled_from(["HARD_FAIL", "HARD_FAIL", "WARN"]),
)
edits = st.none() | st.builds(Edit, st.sampled_from([Stage.SILVER, Stage.GOLD, Stage.CERTIFIED]), policies)


class Conservation(RuleBasedStateMachine):
    """``spark`` is set by whoever runs the machine; ``tally`` counts what was done: ``runs`` are those of a stage."""

    spark: SparkSession
    tally: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        home = Path(self.folder.name)
        copy_template(home / "catalog.db")
        self.estate = Estate(home, self.spark)
        self.platform = self.estate.platform()
        self.steps = list[str]()
        self.order_of = dict[int, Order]()
        self.deliveries = list[Delivery]()
        self.landed = dict[PartitionKey, Delivery]()  # the newest files that can be read
        self.unreadable = set[PartitionKey]()  # days whose newest files cannot be read
        self.bronze = defaultdict[PartitionKey, set[Delivery]](set)  # one of these; several after a death
        self.held = dict[str, Held]()
        self.people = People()
        self.seen = dict[PartitionKey, Rows]()  # what consumers see
        self.in_doubt = set[PartitionKey]()  # days whose slice of gold may keep others from being certified
        self.version = -1
        self.past = list[tuple[datetime, int]]()  # what was certified after each run

    @property
    def dataset(self) -> Dataset:
        return self.platform.policies.dataset("orders")

    def teardown(self) -> None:
        try:
            if self.landed:
                self.settle()
                self.tally["histories"] += 1
        finally:
            self.platform.close()
            self.folder.cleanup()

    @initialize(chance=st.integers(0, 10**6), policy=policies, day=days, delivered=lines)
    def begin(self, chance: int, policy: OrderPolicy, day: PartitionKey, delivered: Lines) -> None:
        """Refuses Hypothesis's first history, whose every choice is the simplest one."""
        if not chance:
            reject()
        self.edit_policy(policy)
        self.deliver(day, delivered)
        self.run(day)

    # what people and programs do

    @rule(day=days, delivered=lines, what=st.sampled_from([*LINES[:1] * 4, *LINES]), death=deaths, edit=edits)
    def deliver_and_run(
        self, day: PartitionKey, delivered: Lines, what: str, death: Death | None, edit: Edit | None
    ) -> None:
        if what in ("no file", "no text"):
            self.spoil(day, what)
        else:
            self.deliver(day, delivered, is_whole=what == "lines")
        self.run(day, death, edit)

    @rule(day=days, is_delivered_again=st.booleans(), first=st.sampled_from(Stage), death=deaths)
    def run_again(self, day: PartitionKey, is_delivered_again: bool, first: Stage, death: Death | None) -> None:
        """The whole day, or from a stage on, as an operator can ask of it."""
        if day in self.landed:
            if is_delivered_again:
                self.land(self.landed[day])
            self.run(day, death, first=first)

    @rule(day=days, other=days, delivered=lines, turns=st.permutations([0] * 4 + [1] * 4), late=st.integers(0, 8))
    def two_runs_at_once(
        self, day: PartitionKey, other: PartitionKey, delivered: Lines, turns: list[int], late: int
    ) -> None:
        """One writes at a time, so their stages take turns; a delivery arrives meanwhile."""
        if not {day, other} <= self.landed.keys() | self.unreadable:
            return
        self.in_doubt |= {day, other}
        self.tally["days run"] += 2
        left = [[(one, stage) for stage in self.dataset.stages] for one in (day, other)]
        with self.printed(f"run {day} and {other} at once: {turns}"):
            for number, turn in enumerate(turns):
                if number == late:
                    self.deliver(day, delivered)
                if left[turn]:
                    self.estate.now += timedelta(minutes=1)  # at one instant consumers see one version
                    one, stage = left[turn].pop(0)
                    report = self.run_day(one, [stage], None, is_checked=True)
                    if report is None or not report.proceeds:
                        left[turn].clear()
                    self.check_consumers()

    @rule(policy=policies, death=deaths)
    def edit_policy_and_replay(self, policy: OrderPolicy, death: Death | None) -> None:
        self.edit_policy(policy)
        self.replay(death)

    @rule(policy=policies, day=days, death=deaths)
    def edit_policy_and_run(self, policy: OrderPolicy, day: PartitionKey, death: Death | None) -> None:
        self.edit_policy(policy)
        self.run(day, death)

    @precondition(lambda self: self.open_entries())
    @rule(
        kind=st.sampled_from(["discard", "release", "release", "release of a rule", "request"]),
        newest=st.booleans(),
        death=deaths,
        is_replayed=st.booleans(),
    )
    def decide(self, kind: str, newest: bool, death: Death | None, is_replayed: bool) -> None:
        """A rule that cannot be released, or a second release, is refused: that is an answer too."""
        entry, quarantine = self.open_entries()[0 if newest else -1], self.platform.catalog.quarantine
        rules = list(entry.signatures)[:1] if kind == "release of a rule" else []
        with suppress(UsageError, ConflictError):
            if kind == "discard":
                quarantine.discard(entry.name, "test records", by=ANN, now=self.estate.now)
                self.people.decided[f"{entry.name} discard"] = Decided(self.held[entry.name], frozenset())
            else:
                quarantine.request_release(entry.name, "agreed", rules=rules, by=ANN, now=self.estate.now)
            if kind.startswith("release"):
                quarantine.approve_release(entry.name, by=BOB, now=self.estate.now)
                kinds = frozenset(kind_of(signature) for signature in rules or entry.signatures)
                self.people.decided[entry.name] = Decided(self.held[entry.name], kinds)
            self.steps.append(f"{kind} {entry.name}")
            self.tally[kind.partition(" ")[0]] += 1
        if is_replayed:
            self.replay(death)

    @precondition(lambda self: self.released())
    @rule(is_replayed=st.booleans(), newest=st.booleans())
    def withdraw(self, is_replayed: bool, newest: bool) -> None:
        name = self.released()[-1 if newest else 0]
        self.platform.catalog.quarantine.withdraw_release(name, by=BOB, now=self.estate.now)
        del self.people.decided[name]
        self.steps.append(f"withdraw the release of {name}")
        self.tally["withdraw"] += 1
        if is_replayed:
            self.replay(None)

    @rule(
        day=days,
        signature=st.sampled_from(["NOT_UNIQUE:id", "ROW_COUNT:1<2", "INVARIANT:amount:positive"]),
        minutes=st.sampled_from([1, 4, 1000]),
        death=deaths,
    )
    def waive_and_run(self, day: PartitionKey, signature: str, minutes: int, death: Death | None) -> None:
        end = self.estate.now + timedelta(minutes=minutes)
        wanted = WaiverRequest(
            dataset_urn=ORDERS, gate=Gate.DQ if signature.startswith(COUNT) else Gate.G4_CONTRACT,
            signature=signature, first=day, last=day, reason="accepted", expires_at=end,
        )  # fmt: skip
        waivers = self.platform.catalog.waivers
        number = waivers.request(wanted, by=ANN, now=self.estate.now).number
        waivers.approve(number, by=BOB, comment="", now=self.estate.now)
        self.people.waived.append((kind_of(signature), day, end))
        self.steps.append(f"waive {signature} on {day} until {end:%H:%M}")
        self.tally["waive"] += 1
        self.run(day, death)

    def edit_policy(self, policy: OrderPolicy) -> None:
        self.policy = policy
        self.steps.append(f"edit the policy: {policy}")
        source = {
            **ORDERS_SOURCE,
            "trailer": "none",
        }  # few rows of small numbers: the last may have the sum of the others
        declare_orders(self.estate, policy.bundle, enforcement=policy.mode, source=source)

    def deliver(self, day: PartitionKey, delivered: Lines, *, is_whole: bool = True) -> None:
        first = len(self.order_of) + 1
        orders = [
            Order(number, id_, amount, note if is_whole else "")
            for number, (id_, amount, note) in enumerate(delivered, start=first)
        ]
        self.order_of |= {order.ref: order for order in orders}
        self.deliveries.append(Delivery(len(self.deliveries), day, frozenset(orders), is_whole))
        self.land(self.deliveries[-1])

    def land(self, delivery: Delivery) -> None:
        self.landed[delivery.day] = delivery
        self.unreadable.discard(delivery.day)
        self.steps.append(f"deliver {delivery}")
        self.estate.deliver(f"orders/{delivery.day}", {"orders.csv": delivery.text})

    def spoil(self, day: PartitionKey, how: str) -> None:
        self.unreadable.add(day)
        self.steps.append(f"deliver {how} on {day}")
        self.estate.deliver(f"orders/{day}", {"orders.csv": b"\x00\xff\x00"})
        if how == "no file":
            (self.estate.root / "landing" / "orders" / day / "orders.csv").unlink()

    def run(
        self,
        day: PartitionKey,
        death: Death | None = None,
        edit: Edit | None = None,
        first: Stage = Stage.BRONZE,
    ) -> None:
        if day in self.landed or day in self.unreadable:
            self.execute([(day, self.dataset.stages_from(first))], death, edit)

    def replay(self, death: Death | None) -> None:
        planned = replay.plan(self.platform, "orders", None)
        work = [(one.partition, one.stages) for one in planned if one.partition is not None]
        if work:
            self.tally["replays"] += 1
            self.execute(work, death, None)
        else:
            self.run(min(self.landed | dict.fromkeys(self.unreadable)), death)

    # how it is run

    def execute(self, work: Work, death: Death | None, edit: Edit | None) -> None:
        self.estate.now += timedelta(minutes=1)
        self.tally["days run"] += len(work)
        with self.printed(f"run {work} with {death} and {edit}"):
            for day, stages in work:
                if death or edit:
                    self.in_doubt.add(day)
                if Stage.BRONZE in stages and death is not None and day not in self.unreadable:
                    self.bronze[day].add(self.landed[day])
            if death is None:
                self.run_stages(work, edit)
            elif death.is_real:
                self.tally["runs"] += 1  # at least: nobody counts the stages of a killed process
                self.count_death(run_until_killed(self.estate, work, death.after))
            else:
                self.run_until_dead(work, death.after)
            self.note_entries()
            self.check_consumers()

    def run_until_dead(self, work: Work, seam: int) -> None:
        with dying_at(seam) as seams:
            is_dead = False
            try:
                self.run_stages(work, None, is_checked=False)
            except Died:
                is_dead = True
        self.count_death(is_dead, seams.passed[-1])
        self.platform.close()
        self.platform = self.estate.platform()

    def count_death(self, is_dead: bool, where: str = "by SIGKILL") -> None:
        self.tally["deaths"] += is_dead
        self.tally[f"died {where}"] += is_dead

    def run_stages(self, work: Work, edit: Edit | None, *, is_checked: bool = True) -> None:
        for day, stages in work:
            must_pass = is_checked and edit is None and stages[0] is Stage.BRONZE and self.must_pass(day)
            last = self.run_day(day, stages, edit, is_checked=is_checked)
            is_certified = last is not None and (last.stage, last.passed) == (Stage.CERTIFIED, True)
            assert is_certified or not must_pass, f"a good delivery was held: {last and last.verdicts}"
            if is_certified:
                self.in_doubt.clear()

    def run_day(
        self, day: PartitionKey, stages: Sequence[Stage], edit: Edit | None, *, is_checked: bool
    ) -> StageReport | None:
        """Returns the report of the last stage; None if it was refused, since the one before it was held."""
        report = None
        for stage in stages:
            if edit is not None and edit.before is stage:
                self.edit_policy(edit.policy)
            before = self.settled(stage) if stage is not Stage.CERTIFIED else {}
            self.tally["runs"] += 1
            try:
                report = driver.run_stage(self.platform, self.dataset, stage, day, new_run_id(self.estate.now))
            except UsageError:
                assert stage is stages[0] or edit is not None
                self.tally["refused stages"] += 1
                return None
            if is_checked:
                self.check_stage(day, report, before)
            if not report.qualifies and (report.proceeds or stage is Stage.CERTIFIED):
                self.in_doubt.add(day)
            if not report.proceeds:
                break
        return report

    @contextmanager
    def printed(self, text: str) -> Iterator[None]:
        """Prints the history up to a step that fails."""
        self.steps.append(text)
        try:
            yield
        except Exception:
            print("\n".join(("a step failed; the history:", *self.steps)), file=sys.stderr)
            traceback.print_exc()
            raise

    # what is compared with the model

    def check_stage(self, day: PartitionKey, report: StageReport, before: dict[PartitionKey, Rows]) -> None:
        assert report.rows.conserved
        self.check_evidence(report)
        if report.stage is Stage.CERTIFIED:
            return
        self.note_entries()
        after = self.stored(report.stage)
        others = {other: rows for other, rows in after.items() if other != day}
        assert others == {other: rows for other, rows in before.items() if other != day}, "another day changed"
        now, quarantined = after.get(day, frozenset()), self.quarantined(report)
        if report.stage is Stage.BRONZE:
            self.check_bronze(day, report, now, quarantined)
            return
        silver = now if report.stage is Stage.SILVER else self.stored(Stage.SILVER).get(day, frozenset())
        delivery = self.delivery_in_bronze(day)
        if not report.proceeds:
            assert now == before.get(day, frozenset()), "a held stage changed its day"
            assert quarantined == (delivery.orders if report.stage is Stage.SILVER else silver)
        elif report.stage is Stage.SILVER:
            self.check_silver(report, delivery, silver, quarantined)
        else:
            assert now == silver
            assert not quarantined

    def check_bronze(self, day: PartitionKey, report: StageReport, now: Rows, quarantined: Rows) -> None:
        if day in self.unreadable:
            assert not report.proceeds
            assert not quarantined
            return
        delivery = self.landed[day]
        if report.proceeds:
            assert now == delivery.orders, "bronze has other rows than were delivered"
            self.bronze[day] = {delivery}
        else:
            assert quarantined == delivery.orders
            assert not delivery.fits, f"a delivery that fits was held: {report.verdicts}"
        assert (report.rows.read, report.rows.accepted) == (len(delivery.orders), len(now) * report.proceeds)

    def check_silver(self, report: StageReport, delivery: Delivery, silver: Rows, quarantined: Rows) -> None:
        """Each row of the delivery is accepted, open, resolved, released or discarded, and each count says so."""
        rejected = self.people.rejected(self.policy, delivery)
        assert silver == delivery.orders - rejected.keys(), "silver has other rows than the policy and people accept"
        assert quarantined == rejected.keys()
        counts = replay.counts_of(self.platform, report)
        held = self.held.get((report.quarantine_table or "").removeprefix("quarantine."))
        resolved = held.resolved if held else frozenset()
        assert resolved <= quarantined
        discarded = {order for order in rejected.keys() - resolved if self.people.is_discarded(order, delivery)}
        released = {order for order in silver if self.policy.broken(order)}
        assert counts == {
            "read": len(delivery.orders),
            "accepted": len(silver) - len(released),
            "released": len(released) * report.qualifies,
            "discarded": len(discarded),
            "quarantined": len(rejected) - len(discarded),
        }
        kinds = Counter(kind for broken in rejected.values() for kind in broken)
        if entry := self.platform.catalog.quarantine.entry((report.quarantine_table or "").partition(".")[2]):
            found = Counter[str]()
            for signature, rows in entry.signatures.items():
                found[kind_of(signature)] += rows or 0
            del found["DISCARDED"]
            assert found == kinds
        open_ = [one for one in self.open_entries() if (one.stage, one.partition) == (Stage.SILVER, delivery.day)]
        assert [one.run_id for one in open_] in ([], [report.run_id]), "rows that were judged again are open twice"

    def check_evidence(self, report: StageReport) -> None:
        """Each judged verdict has evidence of the same result, with the table where the rows are."""
        found = self.platform.catalog.evidence.find(ORDERS, run_id=report.run_id)
        own = [one for one in found if one.stage == report.stage.value]
        for verdict in report.verdicts:
            if verdict.judged and report.stage is not Stage.CERTIFIED:
                results = {one.result for one in own if one.gate == verdict.gate.value}
                assert results == {"PASS" if verdict.passed else "FAIL"}
        assert {one.quarantine_table for one in own} <= {report.quarantine_table}

    def check_consumers(self) -> None:
        """The view never goes back, and a day changes only to rows that may be seen now; it is one version of gold."""
        pointer = self.platform.catalog.certifications.get(ORDERS)
        if pointer is None or pointer.version is None:
            assert not self.seen
            return
        assert pointer.version >= self.version, "the certified view went back"
        self.version = pointer.version
        self.past.append((self.estate.now, pointer.version))
        seen = self.by_day(pointer.path, pointer.version, "day")
        for day in DAYS:
            rows, last = seen.get(day, frozenset()), self.seen.get(day, frozenset())
            if rows != last:
                newest = max((self.delivery_of(order).number for order in last), default=-1)
                own = [one for one in self.deliveries if one.day == day and one.number >= newest]
                passing = [self.people.passing(self.policy, one, self.estate.now) for one in own]
                assert rows in passing, f"{day} was certified with rows that may not be seen: {rows}"
                self.tally["certified days"] += 1
        self.seen = seen

    def must_pass(self, day: PartitionKey) -> bool:
        """Whether nothing can keep this delivery from being certified: it is good, and so is all else of gold."""
        if day in self.unreadable:
            return False
        good = People().passing(self.policy, self.landed[day], self.estate.now) is not None
        return good and not self.people.is_about(self.landed[day]) and self.in_doubt <= {day}

    def settle(self) -> None:
        """Runs every day once more, so that nothing of a dead run may be left."""
        for day in sorted(self.landed):
            self.run(day)
        catalog = self.platform.catalog
        assert catalog.evidence.verify().is_whole
        assert [catalog.certifications.at(ORDERS, moment).version for moment, _ in self.past] == [
            version for _, version in self.past
        ], "what was certified at an instant is not what consumers saw then"
        assert catalog.runs.open_intents() == ()
        assert catalog.leases.owner(ORDERS) is None
        folder = self.estate.root / "lake" / "quarantine"
        stored = {place.name for place in folder.iterdir()} if folder.exists() else set()
        assert stored == set(self.held), "quarantine has tables that no record names, or lacks one"

    def open_entries(self) -> tuple[QuarantineEntry, ...]:
        return self.platform.catalog.quarantine.entries(ORDERS)

    def released(self) -> list[str]:
        """The entries that have an approved release."""
        return [name for name, one in self.people.decided.items() if one.kinds]

    def note_entries(self) -> None:
        """Remembers the rows of each new entry, and checks that its counts add up."""
        for entry in self.platform.catalog.quarantine.entries(ORDERS, include_closed=True):
            parts = (entry.open_rows, entry.resolved_rows, entry.discarded_rows, entry.released_rows)
            assert min(parts) >= 0
            assert sum(parts) == entry.rows
            assert entry.status is not QuarantineStatus.RELEASED or not entry.open_rows
            if entry.name not in self.held:
                held = self.held[entry.name] = self.read_held(entry)
                assert len(held.broken) == entry.rows
                assert entry.partition == held.delivery.day

    def read_held(self, entry: QuarantineEntry) -> Held:
        rows = DeltaTable(entry.path).to_pyarrow_table(columns=["ref", "_violations", "_resolved"]).to_pylist()
        orders = self.distinct([self.order_of[int(row["ref"])] for row in rows])
        broken = {
            self.order_of[int(row["ref"])]: frozenset(kind_of(signature) for signature in row["_violations"])
            for row in rows
        }
        resolved = frozenset(self.order_of[int(row["ref"])] for row in rows if row["_resolved"])
        [delivery] = {self.delivery_of(order) for order in orders}
        is_silver, is_batch = entry.stage is Stage.SILVER, entry.level == "batch"
        return Held(delivery, is_silver, is_batch, broken, frozenset() if is_batch else resolved)

    def quarantined(self, report: StageReport) -> Rows:
        name = (report.quarantine_table or "").removeprefix("quarantine.")
        return frozenset(self.held[name].broken) if name else frozenset()

    def delivery_of(self, order: Order) -> Delivery:
        return next(one for one in self.deliveries if order in one.orders)

    def delivery_in_bronze(self, day: PartitionKey) -> Delivery:
        if len(self.bronze[day]) > 1:
            stored = self.stored(Stage.BRONZE)[day]
            self.bronze[day] = {one for one in self.bronze[day] if one.orders == stored}
        [delivery] = self.bronze[day]
        return delivery

    def stored(self, stage: Stage) -> dict[PartitionKey, Rows]:
        path = self.platform.path(self.dataset, stage)
        if not (Path(path) / "_delta_log").exists():
            return {}
        return self.by_day(path, None, self.column_of(stage))

    @staticmethod
    def column_of(stage: Stage) -> str:
        return "_partition" if stage is Stage.BRONZE else "day"

    def settled(self, stage: Stage) -> dict[PartitionKey, Rows]:
        """What is stored without the commits of dead runs, which the next run of any day rolls back."""
        platform, before = self.platform, self.stored(stage)
        intents = sorted(platform.catalog.runs.open_intents(ORDERS), key=lambda one: one.opened_at, reverse=True)
        for intent in (one for one in intents if one.stage is stage and one.partition is not None):
            if platform.catalog.runs.is_recorded(intent.run_id, ORDERS, stage):
                continue
            earlier = {} if intent.before is None else self.by_day(intent.path, intent.before, self.column_of(stage))
            before.pop(intent.partition, None)
            if intent.partition in earlier:
                before[intent.partition] = earlier[intent.partition]
        return before

    def by_day(self, path: str, version: int | None, column: str) -> dict[PartitionKey, Rows]:
        """Read without Spark, by another program than the one that wrote it."""
        rows = DeltaTable(path, version=version).to_pyarrow_table(columns=[column, "ref"])
        found = defaultdict[PartitionKey, list[Order]](list)
        for day, ref in zip(*(rows[name].to_pylist() for name in (column, "ref")), strict=True):
            found[PartitionKey(str(day))].append(self.order_of[int(ref)])
        return {day: self.distinct(orders) for day, orders in found.items()}

    def distinct(self, orders: list[Order]) -> Rows:
        assert len(set(orders)) == len(orders), "a row is there twice"
        return frozenset(orders)
