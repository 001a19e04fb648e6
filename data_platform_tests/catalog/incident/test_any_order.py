"""Whatever happens in whatever order, each root cause has one active incident, and no finding is without one.

Looks are repeated, overtaken and restarted, clocks are set back, people resolve, and findings come, go and are joined.
"""

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from data_platform.catalog import open_catalog
from data_platform.model.incident import SILENCING, IncidentState, Resolution
from data_platform.model.incident_event import IncidentChange
from data_platform.model.registration import Actor
from data_platform_tests.catalog.incident.example_finding import DAY, NOW, finding, group
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.example_count import examples

if TYPE_CHECKING:
    from data_platform.model.signal import Finding

ANN = Actor(name="ann", role="DATA_OWNER")
CAUSES = [finding(f"ds://ops/{name}", partition=day) for name in "abc" for day in (DAY, DAY.next)]


class AnyOrder(RuleBasedStateMachine):
    """``true`` maps what is true now to the name of its root cause."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "catalog.db"
        copy_template(file)
        self.url = f"sqlite:///{file}"
        self.catalog = open_catalog(self.url)
        self.true: dict[int, int] = {}
        self.now = NOW
        self.is_looked_at = True
        self.history: list[Any] = []

    def teardown(self) -> None:
        self.catalog.close()
        self.folder.cleanup()

    @rule(causes=st.lists(st.sampled_from([None, 0, 1]), min_size=len(CAUSES), max_size=len(CAUSES)))
    def change(self, causes: list[int | None]) -> None:
        self.true = {which: cause for which, cause in enumerate(causes) if cause is not None}
        self.is_looked_at = False

    @rule(minutes=st.sampled_from([-600, -1, 0, 1, 60, 1500]))
    def pass_time(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def restart(self) -> None:
        self.catalog.close()
        self.catalog = open_catalog(self.url)

    @rule(is_overtaken=st.booleans())
    def look(self, is_overtaken: bool) -> None:
        findings = [CAUSES[which] for which in self.true]
        silenced = self.catalog.signals.silenced(one.key for one in findings)
        by_cause: dict[int, list[Finding]] = {}
        for which, cause in sorted(self.true.items()):
            if CAUSES[which].key not in silenced:
                by_cause.setdefault(cause, []).append(CAUSES[which])
        groups = [group(*members) for members in by_cause.values()]
        revision = self.catalog.incidents.revision() - is_overtaken
        before = self.state()
        events = self.catalog.incidents.reconcile(findings, groups, silenced=silenced, revision=revision, now=self.now)
        assert (events is None) is is_overtaken
        if events is None:
            assert self.state() == before
            return
        self.is_looked_at = True
        still = {signal.number for signal in self.catalog.signals.active()}
        for event in events:
            if event.what is IncidentChange.RESOLVED:
                lost = {signal.number for signal in before[1] if signal.incident == event.incident} & still
                assert not lost, "an incident recovered while a signal of it is found"

    @rule(resolution=st.sampled_from(sorted(SILENCING)), patience=st.integers(0, 7))
    def resolve_oldest(self, resolution: Resolution, patience: int) -> None:
        """Rarely, since what people accepted opens no incident any more."""
        active = self.catalog.incidents.active()
        if active and patience == 7:
            self.catalog.incidents.resolve(active[0].number, resolution, by=ANN, now=self.now)

    @rule()
    def acknowledge_newest(self) -> None:
        active = [one for one in self.catalog.incidents.active() if one.state is IncidentState.OPEN]
        if active:
            self.catalog.incidents.acknowledge(active[-1].number, by=ANN, now=self.now)

    def state(self) -> Any:
        return self.catalog.incidents.find().items, self.catalog.signals.find(limit=1000).items

    @invariant()
    def every_finding_has_one_signal_and_one_incident(self) -> None:
        if not self.is_looked_at:
            return
        signals = self.catalog.signals.active()
        assert sorted(one.finding.key for one in signals) == sorted(CAUSES[which].key for which in self.true)
        assert all(one.incident is not None for one in signals)

    @invariant()
    def one_cause_has_one_active_incident(self) -> None:
        if not self.is_looked_at:
            return
        active = {one.number for one in self.catalog.incidents.active()}
        incidents: dict[int, set[int]] = {}
        for signal in self.catalog.signals.active():
            if signal.incident in active:
                cause = self.true[CAUSES.index(signal.finding)]
                incidents.setdefault(cause, set()).add(signal.incident)
        assert all(len(numbers) == 1 for numbers in incidents.values()), incidents

    @invariant()
    def an_incident_is_active_exactly_while_a_signal_of_it_is(self) -> None:
        with_signal = {one.incident for one in self.catalog.signals.active()}
        for incident in self.catalog.incidents.find(limit=1000).items:
            if incident.state.is_active:
                assert incident.number in with_signal
            elif incident.number in with_signal:
                assert incident.resolution in SILENCING
            if incident.resolved_at is not None:
                assert incident.resolved_at >= incident.opened_at

    @invariant()
    def history_only_grows(self) -> None:
        numbers = [one.number for one in self.catalog.incidents.find(limit=1000).items]
        history = sorted((event for number in numbers for event in self.catalog.incidents.history(number)),
                         key=lambda event: event.number)  # fmt: skip
        assert history[: len(self.history)] == self.history
        self.history = history


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=examples(20), stateful_step_count=30, deadline=None)
