"""Random arrivals, holds, deliveries anew, roll-backs and crashes: a reader never sees a mixed or unqualified set."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from data_platform.model.verdict import Outcome
from data_platform.stage.group_publication import publish_waiting
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.stage.group_shop import Shop, day

NAMES = ("items", "lines", "orders")
names, days = st.sampled_from(NAMES), st.integers(1, 3).map(day)
moments = st.sampled_from(["", "", "", "ready", "prepared", "publish", "views"])


class Group(RuleBasedStateMachine):
    """Three members of a group, and three days of each."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        copy_template(Path(self.folder.name) / "catalog.db")
        self.shop = Shop(Path(self.folder.name), NAMES)
        self.before = self.shop.read()

    @rule(name=names, partition=days, killed_at=moments)
    def a_delivery_passes(self, name: str, partition: str, killed_at: str) -> None:
        self.shop.arrive(name, partition, killed_at=killed_at)

    @rule(name=names, partition=days)
    def a_delivery_without_rows_passes(self, name: str, partition: str) -> None:
        self.shop.arrive(name, partition, empty=True)

    @rule(name=names, partition=days)
    def a_delivery_is_held(self, name: str, partition: str) -> None:
        self.shop.hold(name, partition)

    @rule(name=names)
    def another_program_rolls_back(self, name: str) -> None:
        self.shop.roll_back(name)

    @rule(name=names, bound=st.integers(0, 2))
    def the_policy_of_a_member_is_edited(self, name: str, bound: int) -> None:
        self.shop.declare(name, f"id > {bound}")

    @rule()
    def somebody_reconciles(self) -> None:
        publish_waiting(self.shop.platform, f"run_20250201_{next(self.shop.numbers):012x}")

    @invariant()
    def readers_see_only_what_passed_and_belongs_together(self) -> None:
        shop, seen = self.shop, self.shop.read()
        for urn, content in seen.items():
            assert set(content.values()) <= shop.passed, "a reader sees a delivery that did not pass"
            for partition, delivery in content.items():
                if self.before[urn].get(partition) == delivery:
                    continue
                for other in seen:  # it appeared in this step
                    assert shop.last.get((other, partition)) is Outcome.PASSED, "a day appeared that another has not"
        self.before = seen

    @invariant()
    def a_day_is_shown_of_all_members_or_of_none(self) -> None:
        seen = self.shop.read()
        for partition in {partition for content in seen.values() for partition in content}:
            for urn, content in seen.items():
                assert partition in content or (urn, partition) in self.shop.empty, f"{urn} lacks {partition}"

    def teardown(self) -> None:
        if hasattr(self, "shop"):
            assert self.shop.platform.catalog.evidence.verify().is_whole
            self.shop.platform.close()
            self.folder.cleanup()


TestGroup = Group.TestCase
TestGroup.settings = settings(
    max_examples=12, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
