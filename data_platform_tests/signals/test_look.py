"""A look opens one incident for each root cause, ends it when nothing of it is left, and may be repeated."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.event import listen, remove

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.incident import Incident, Resolution
from data_platform.model.incident_event import IncidentChange
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.signal import SignalKind, SignalSeverity
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.policies import Policies
from data_platform.signals.look import look
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.signals.test_lateness import (
    DAY,
    DELAYS,
    FLIGHTS,
    LATE_SINCE,
    NOW,
    SUMMARY,
    arrive,
    end,
    report_job,
)
from data_platform_tests.verdicts import all_gates


def record_the_days_before(catalog: Catalog) -> None:
    """Everything before ``DAY`` is there, and the rates of the day."""
    for back in range(1, 13):
        for urn in (FLIGHTS, DELAYS, SUMMARY):
            end(catalog, urn, Stage.CERTIFIED, DAY.shifted(-back))
        arrive(catalog, DAY.shifted(-back))
    arrive(catalog, DAY)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_the_days_before) as opened:
        yield opened


def certify(catalog: Catalog, *urns: str, day: PartitionKey = DAY) -> None:
    for urn in urns:
        end(catalog, urn, Stage.CERTIFIED, day, at=NOW)


def hold(catalog: Catalog, urn: str, gate: Gate, *signatures: str, day: PartitionKey = DAY, at: datetime = NOW) -> None:
    results = tuple(RuleResult.failed(signature, "too few", severity=Severity.BLOCK) for signature in signatures)
    failed = Verdict(gate=gate, outcome=Outcome.FAILED, results=results)
    passed = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not gate]
    end(catalog, urn, Stage.SILVER, day, at=at, verdicts=(*passed, failed), version=None)


def warn(catalog: Catalog, *signatures: str, day: PartitionKey = DAY) -> None:
    """Silver of flights passed with warnings."""
    results = tuple(RuleResult.failed(signature, "unusual", severity=Severity.WARN, rows=3) for signature in signatures)
    passed = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    warned = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, results=results)
    end(catalog, FLIGHTS, Stage.SILVER, day, at=NOW, verdicts=(*passed, warned))


def only(catalog: Catalog) -> Incident:
    [incident] = catalog.incidents.active()
    return incident


def test_a_chain_that_waits_is_one_incident_of_its_first_dataset(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, NOW)

    incident = only(catalog)
    assert (incident.dataset, incident.partition, incident.signature) == (FLIGHTS, DAY, "JOB_NOT_TRIGGERED")
    assert (incident.title, incident.occurred_at) == (
        "ds://ops/flights 2025-06-10 is late: its job was not started in time",
        LATE_SINCE,
    )
    assert [(one.dataset, one.depth) for one in incident.blast_radius.affected] == [(DELAYS, 1), (SUMMARY, 2)]
    assert incident.blast_radius.total == 2
    assert [signal.finding.dataset for signal in catalog.signals.active()] == [DELAYS, FLIGHTS, SUMMARY]


def test_the_first_message_has_the_deadlines_that_are_endangered(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, LATE_SINCE)

    affected = only(catalog).blast_radius.affected
    assert [one.deadline for one in affected] == [LATE_SINCE + timedelta(hours=1), LATE_SINCE + timedelta(hours=2)]


def test_a_dataset_that_waits_for_one_without_an_own_signal_is_the_incident_of_that_one(
    policies: Policies, catalog: Catalog
) -> None:
    end(catalog, FLIGHTS, Stage.CERTIFIED)
    look(policies, catalog, NOW)

    assert (only(catalog).dataset, only(catalog).signature) == (DELAYS, "JOB_NOT_TRIGGERED")


def test_the_incident_ends_when_all_of_the_chain_is_there(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, NOW)
    certify(catalog, FLIGHTS, DELAYS)
    look(policies, catalog, NOW + timedelta(minutes=1))
    still = only(catalog)

    certify(catalog, SUMMARY)
    look(policies, catalog, NOW + timedelta(minutes=2))

    assert (still.number, still.dataset) == (1, SUMMARY)
    assert catalog.incidents.active() == ()
    assert catalog.incidents.get(1).resolution is Resolution.RECOVERED


def test_a_look_may_be_repeated(policies: Policies, catalog: Catalog) -> None:
    first = look(policies, catalog, NOW)
    again = look(policies, catalog, NOW)

    assert (len(first), again) == (1, ())


def test_a_look_that_finds_the_same_writes_no_incident(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, NOW)
    written: list[str] = []

    def note(*arguments: object) -> None:
        written.append(str(arguments[2]))

    listen(catalog._database.engine, "before_cursor_execute", note)
    look(policies, catalog, NOW + timedelta(seconds=30))
    remove(catalog._database.engine, "before_cursor_execute", note)

    assert any(statement.startswith("SELECT") for statement in written)
    assert [statement for statement in written if statement.startswith("UPDATE incident")] == []


def test_a_late_day_that_is_too_old_to_be_examined_stays_until_it_is_there(
    policies: Policies, catalog: Catalog
) -> None:
    look(policies, catalog, NOW)
    for ahead in range(1, 21):
        certify(catalog, FLIGHTS, DELAYS, SUMMARY, day=DAY.shifted(ahead))
        arrive(catalog, DAY.shifted(ahead))
    month_later = NOW + timedelta(days=20)

    assert look(policies, catalog, month_later) == ()
    certify(catalog, FLIGHTS, DELAYS, SUMMARY)
    assert [event.what for event in look(policies, catalog, month_later)] == ["SIGNALS_CLEARED", "RESOLVED"]


def test_a_held_day_is_an_incident_until_it_is_certified(policies: Policies, catalog: Catalog) -> None:
    certify(catalog, DELAYS, SUMMARY)
    hold(catalog, FLIGHTS, Gate.DQ, "ROW_COUNT:1<5", "NULL_RATE:id", at=LATE_SINCE - timedelta(hours=1))
    look(policies, catalog, LATE_SINCE - timedelta(minutes=30))
    incident = only(catalog)
    look(policies, catalog, NOW)
    late_too = only(catalog)
    certify(catalog, FLIGHTS)

    look(policies, catalog, NOW + timedelta(minutes=1))

    signals = catalog.signals.of_incident(1)
    assert incident.title == "ds://ops/flights 2025-06-10 was held: NULL_RATE:id: too few"
    assert (late_too.number, late_too.title) == (1, incident.title)
    assert [signal.finding.signature for signal in signals] == ["NULL_RATE:id", "ROW_COUNT", "HELD_BY_GATE"]
    assert catalog.incidents.active() == ()


def test_a_day_that_was_held_long_ago_stays_held(policies: Policies, catalog: Catalog) -> None:
    certify(catalog, DELAYS, SUMMARY)
    hold(catalog, FLIGHTS, Gate.DQ, "NULL_RATE:id")
    look(policies, catalog, NOW)
    for ahead in range(1, 31):
        certify(catalog, FLIGHTS, DELAYS, SUMMARY, day=DAY.shifted(ahead))
        arrive(catalog, DAY.shifted(ahead))

    assert look(policies, catalog, NOW + timedelta(days=30)) == ()
    assert only(catalog).dataset == FLIGHTS


def test_what_waits_for_an_accepted_day_is_accepted_too(policies: Policies, catalog: Catalog) -> None:
    look(policies, catalog, LATE_SINCE)
    catalog.incidents.resolve(1, Resolution.ACCEPTED, by=Actor(name="ann", role="DATA_OWNER"), now=LATE_SINCE)

    events = look(policies, catalog, NOW)

    assert [(event.incident, event.what) for event in events] == [(1, "SILENCED")]
    assert catalog.incidents.active() == ()


def test_a_look_that_is_overtaken_is_repeated(
    policies: Policies, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    detected = []
    read = catalog.incidents.revision

    def overtaken() -> int:
        detected.append(None)
        return read() - (len(detected) < 3)

    monkeypatch.setattr(catalog.incidents, "revision", overtaken)

    assert len(look(policies, catalog, NOW)) == 1
    assert len(detected) == 3


@pytest.fixture
def complete(catalog: Catalog) -> Catalog:
    """Nothing is late."""
    certify(catalog, FLIGHTS, DELAYS, SUMMARY)
    return catalog


def test_a_warning_is_an_incident_until_a_rerun_is_without_it(policies: Policies, complete: Catalog) -> None:
    warn(complete, "VOLUME_ANOMALY", "UNKNOWN_ENUM:carrier:XX", "UNKNOWN_ENUM:carrier:YY")
    look(policies, complete, NOW)
    signals = {signal.finding.signature: signal.finding for signal in complete.signals.active()}
    incident = only(complete)

    warn(complete)
    look(policies, complete, NOW)

    assert {name: finding.kind for name, finding in signals.items()} == {
        "VOLUME_ANOMALY": SignalKind.VOLUME, "UNKNOWN_ENUM:carrier": SignalKind.ANOMALY,
    }  # fmt: skip
    assert (incident.severity, incident.title) == (
        SignalSeverity.WARNING,
        "ds://ops/flights 2025-06-10: VOLUME_ANOMALY: unusual",
    )
    assert complete.incidents.active() == ()


@pytest.mark.parametrize(
    ("of_next_day", "active"), [pytest.param((), 0, id="without"), pytest.param(("VOLUME_ANOMALY",), 1, id="with it")]
)
def test_a_warning_ends_with_a_later_day_without_it(
    policies: Policies, complete: Catalog, of_next_day: tuple[str, ...], active: int
) -> None:
    warn(complete, "VOLUME_ANOMALY")
    look(policies, complete, NOW)

    warn(complete, *of_next_day, day=DAY.next)
    look(policies, complete, NOW)

    assert len(complete.incidents.active()) == active
    assert len(complete.signals.active()) == 2 * active


def test_a_warning_of_long_ago_stays_while_no_later_day_is_without_it(policies: Policies, complete: Catalog) -> None:
    warn(complete, "VOLUME_ANOMALY")
    look(policies, complete, NOW)

    late = look(policies, complete, NOW + timedelta(days=60))

    assert "VOLUME_ANOMALY" in {signal.finding.signature for signal in complete.signals.active()}
    assert not any(event.what is IncidentChange.SIGNALS_CLEARED for event in late)


def test_a_job_that_failed_is_an_incident_before_the_deadline(policies: Policies, catalog: Catalog) -> None:
    early = LATE_SINCE - timedelta(hours=5)
    certify(catalog, DELAYS, SUMMARY)
    report_job(catalog, "FAIL", "DATA_PLATFORM/ops/flights/silver", at=early, error="no reply from jane@example.com")
    look(policies, catalog, early + timedelta(minutes=1))
    incident = only(catalog)
    [signal] = catalog.signals.active()

    certify(catalog, FLIGHTS)
    look(policies, catalog, early + timedelta(minutes=2))

    assert (incident.dataset, incident.signature) == (FLIGHTS, "JOB_FAILED")
    assert incident.title.startswith(f"{FLIGHTS} {DAY}: the job DATA_PLATFORM/ops/flights/silver ended with an error: ")
    assert "jane" not in incident.title
    assert (signal.finding.kind, signal.finding.occurred_at) == (SignalKind.JOB, early)
    assert catalog.incidents.active() == ()


def test_a_rerun_that_has_passed_silver_ends_no_failure_and_one_that_has_passed_gold_does(
    policies: Policies, catalog: Catalog
) -> None:
    early = LATE_SINCE - timedelta(hours=5)
    certify(catalog, DELAYS, SUMMARY)
    report_job(catalog, "FAIL", "DATA_PLATFORM/ops/flights/gold", at=early)
    states = []
    for minutes, stage in ((1, Stage.BRONZE), (2, Stage.SILVER), (3, Stage.GOLD)):
        at = early + timedelta(minutes=minutes)
        end(catalog, FLIGHTS, stage, at=at)
        look(policies, catalog, at)
        states.append(len(catalog.incidents.active()))

    assert states == [1, 1, 0]


def test_a_day_that_was_held_and_now_waits_for_its_group_is_held_no_more(policies: Policies, complete: Catalog) -> None:
    day = DAY.next
    hold(complete, FLIGHTS, Gate.DQ, "NULL_RATE:id", day=day)
    look(policies, complete, NOW)
    before = len(complete.incidents.active())

    end(complete, FLIGHTS, Stage.SILVER, day, at=NOW + timedelta(minutes=1))
    look(policies, complete, NOW + timedelta(minutes=1))
    during = len(complete.incidents.active())
    end(complete, FLIGHTS, Stage.GOLD, day, at=NOW + timedelta(minutes=2))
    look(policies, complete, NOW + timedelta(minutes=2))

    assert (before, during, len(complete.incidents.active())) == (1, 1, 0)
