"""Any order of looks, decisions, answers, kills and windows: each change arrives once for each owner and channel.

It arrives twice only if an outcome was unknown, and then the second message says so. It does not arrive only if a
maintenance window silenced it, or if no answer came twice.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import ConflictError
from data_platform.model.alert import LOG, AlertState, DeliveryStatus
from data_platform.model.incident import BlastRadius, Resolution
from data_platform.model.incident_event import IncidentChange
from data_platform.model.registration import Actor
from data_platform_tests.catalog.conftest import POSTGRES_URL
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.incident.example_finding import CUSTOMERS, ORDERS, finding, group, look
from data_platform_tests.catalog.template import copied_database, copy_template
from data_platform_tests.example_count import examples
from data_platform_tests.signals.alert_case import NOON, policy
from data_platform_tests.signals.outbox import ACCEPTED, REFUSED, UNKNOWN, Killed, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.alert import Delivery
    from data_platform.signals.alert_channel import Answer, Envelope
    from data_platform.signals.notify import Report

ANN = Actor(name="ann", role="DATA_OWNER")
ANSWERS = ("accepted", "refused", "lost", "arrived without answer", "killed before", "killed after")
STEPS = ("claim", "begin", "finish", "", "")
_TIMES = st.sampled_from([0, 1, 3, 20, 120, 600]).map(lambda minutes: timedelta(minutes=minutes))
_LOOK = st.tuples(st.just("look"), st.sampled_from([(), (ORDERS,), (ORDERS,), (ORDERS, CUSTOMERS)]))
_DEATH = st.tuples(st.sampled_from(STEPS), st.integers(0, 5))
_SEND = st.tuples(st.just("send"), st.tuples(st.lists(st.sampled_from(ANSWERS), max_size=3), _DEATH))
_ACKNOWLEDGE = st.tuples(st.just("acknowledge"), st.integers(1, 3))
_RESOLVE = st.tuples(st.just("resolve"), st.integers(2, 3))
_WINDOW = st.tuples(st.just("window"), st.tuples(st.sampled_from(["*", "shop", "sales"]), st.integers(1, 300)))
_END = st.tuples(st.just("end"), st.integers(1, 2))
_ACTION = st.one_of(_LOOK, _LOOK, _LOOK, _SEND, _SEND, _SEND, _ACKNOWLEDGE, _RESOLVE, _WINDOW, _END)
_ACTIONS = st.lists(st.tuples(_TIMES, _ACTION), min_size=12, max_size=30)


@dataclass
class World:
    """``arrived`` are deliveries in the order of arrival, each with whether its message said that it is a repeat."""

    catalog: Catalog
    per_hour: int
    now: datetime = NOON
    arrived: list[tuple[int, bool]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def post(self, _: str, envelope: Envelope) -> Answer:
        what = self.answers.pop(0) if self.answers else "accepted"
        if what == "killed before":
            raise Killed
        if what in ("accepted", "arrived without answer", "killed after"):
            sending = [one for one in self.catalog.alerts.waiting() if one.message == envelope.id]
            self.arrived += [(one.number, envelope.is_repeat) for one in sending]
        if what == "killed after":
            raise Killed
        return {"accepted": ACCEPTED, "refused": REFUSED}.get(what, UNKNOWN)

    def do(self, action: str, given: Any) -> None:
        with suppress(ConflictError, Killed, LookupError):
            getattr(self, f"_{action}")(given)

    def _look(self, datasets: tuple[str, ...]) -> None:
        radius = BlastRadius(owners=("sales",), total=1)
        groups = [group(finding(urn), blast_radius=radius, tier="TIER_2") for urn in datasets]
        look(self.catalog, *groups, at=self.now)
        look(self.catalog, *groups, at=self.now)

    def _send(self, given: tuple[list[str], tuple[str, int]]) -> None:
        self.answers = list(given[0])
        with killed_after(self.catalog, *given[1]):
            self._pass()

    def _pass(self) -> Report:
        return send(self.catalog, self.post, now=self.now, alerts=policy(per_hour=self.per_hour))

    def _acknowledge(self, number: int) -> None:
        if number in {one.number for one in self.catalog.incidents.active()}:
            self.catalog.incidents.acknowledge(number, by=ANN, comment="", now=self.now)

    def _resolve(self, number: int) -> None:
        if number in {one.number for one in self.catalog.incidents.active()}:
            self.catalog.incidents.resolve(number, Resolution.EXPECTED, by=ANN, comment="", now=self.now)

    def _window(self, given: tuple[str, int]) -> None:
        subject, minutes = given
        until = self.now + timedelta(minutes=minutes)
        self.catalog.maintenance.add(subject, starts_at=self.now, ends_at=until, reason="work", by=ANN, now=self.now)

    def _end(self, number: int) -> None:
        if number in {window.number for window in self.catalog.maintenance.since(self.now)}:
            self.catalog.maintenance.end(number, by=ANN, now=self.now)

    def finish(self) -> None:
        """All windows, quiet hours and attempts are over, and the channel accepts everything."""
        self.answers = []
        for _ in range(200):
            self.now += timedelta(hours=1)
            if self._pass().waiting == 0:
                return
        raise AssertionError("some deliveries wait forever")


@contextmanager
def killed_after(catalog: Catalog, step: str, others: int) -> Iterator[None]:
    """The process dies right after such a transaction, which comes after so many ``others``."""
    if not step:
        yield
        return
    original, left = getattr(catalog.alerts, step), [None] * others

    def killed(*given: Any, **named: Any) -> Any:
        result = original(*given, **named)
        if not left:
            raise Killed
        left.pop()
        return result

    setattr(catalog.alerts, step, killed)
    try:
        yield
    finally:
        delattr(catalog.alerts, step)


@contextmanager
def new_catalog() -> Iterator[Catalog]:
    with tempfile.TemporaryDirectory() as folder:
        copy_template(Path(folder) / "catalog.db")
        with open_catalog(f"sqlite:///{folder}/catalog.db", KEYS) as catalog:
            yield catalog


def expected(catalog: Catalog) -> set[tuple[int, str, str, int]]:
    """What the history of incidents says that each owner has to receive."""
    found: set[tuple[int, str, str, int]] = set()
    for incident in catalog.incidents.find(None, states=(), cursor=None, limit=100).items:
        number = 0
        for event in catalog.incidents.history(incident.number):
            if event.what in (IncidentChange.OPENED, IncidentChange.REOPENED):
                number += 1
                state = AlertState.OPEN
            elif event.what.value in (AlertState.ACKNOWLEDGED, AlertState.RESOLVED, AlertState.MERGED):
                state = AlertState(event.what.value)
            else:
                continue
            found |= {(incident.number, owner, state.value, number) for owner in ("shop", "sales")}
    return found


@settings(max_examples=examples(40))
@given(_ACTIONS, st.sampled_from([1, 2, 30]))
def test_each_change_arrives_once_for_each_owner_and_channel(actions: list[Any], per_hour: int) -> None:
    with new_catalog() as catalog:
        require_all_arrived(World(catalog, per_hour), actions)


@pytest.mark.skipif(POSTGRES_URL is None, reason="no PostgreSQL server is named")
@settings(max_examples=examples(3))
@given(_ACTIONS, st.sampled_from([1, 30]))
def test_it_arrives_once_on_postgresql_too(actions: list[Any], per_hour: int) -> None:
    with copied_database(POSTGRES_URL or "") as url, open_catalog(url, KEYS) as catalog:
        require_all_arrived(World(catalog, per_hour), actions)


def require_all_arrived(world: World, actions: list[Any]) -> None:
    for pause, (action, details) in actions:
        world.now += pause
        world.do(action, details)
    world.finish()

    deliveries = world.catalog.alerts.newest(limit=1000)
    assert Counter(key(one) for one in deliveries if one.channel == "pager") == Counter(expected(world.catalog))
    silenced = [key(one) for one in deliveries if one.status is DeliveryStatus.SILENCED]
    for one in deliveries:
        require_arrived(one, [said for number, said in world.arrived if number == one.number], silenced)


def key(one: Delivery) -> tuple[int, str, str, int]:
    about = one.notification
    return (about.incident, about.owner, about.state.value, about.round)


def require_arrived(one: Delivery, repeats: list[bool], silenced: list[tuple[int, str, str, int]]) -> None:
    """``repeats`` says of each arrival whether the message said that it is a repeat."""
    incident, owner, _, number = key(one)
    if one.channel == LOG:
        assert one.status in (DeliveryStatus.SENT, DeliveryStatus.UNKNOWN)
    elif one.status is DeliveryStatus.SILENCED:
        assert (repeats, one.maintenance is None) == ([], False)
        of_round = {state for *same, state, n in silenced if (*same, n) == (incident, owner, number)}
        assert "OPEN" in of_round
        assert of_round & {"RESOLVED", "MERGED"}
    elif one.is_repeat:
        assert one.status in (DeliveryStatus.SENT, DeliveryStatus.UNKNOWN)
        least = 1 if one.status is DeliveryStatus.SENT else 0
        assert repeats in [said for said in ([], [False], [True], [False, True]) if len(said) >= least]
    else:
        assert (one.status, repeats) == (DeliveryStatus.SENT, [False])
