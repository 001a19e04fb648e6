"""Row counts and sizes that jobs outside report are judged as those of our own deliveries are."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from data_platform.catalog import Catalog
from data_platform.legacy.arrival import arrival_event
from data_platform.model.incident import Resolution
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus, Slo, Volume
from data_platform.model.registration import Actor
from data_platform.model.signal import Finding, Signal, SignalKind, SignalSeverity
from data_platform.policies import Policies
from data_platform.signals.external_volume import find_external_volume
from data_platform.signals.look import look
from data_platform.signals.situation import Situation
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.signals.test_lateness import DAY, JOB, NOW, RATES


def report(
    catalog: Catalog, day: PartitionKey, rows: int | None, size: int | None = None, *, version: str = "v1",
    at: datetime | None = None,
) -> None:  # fmt: skip
    time = at or datetime.fromisoformat(f"{day.next}T05:00:00+00:00")
    event = arrival_event(RATES, version, day, time=time, process=JOB, run=str(uuid4()), rows=rows, size=size)
    catalog.events.ingest([event], now=time)


def record_ten_days(catalog: Catalog) -> None:
    for back in range(1, 11):
        report(catalog, DAY.shifted(-back), 1000 + back, 50_000 + back)


@pytest.fixture
def ten_days(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_ten_days) as opened:
        yield opened


def with_volume(policies: Policies, volume: Volume, status: DatasetStatus = DatasetStatus.ACTIVE) -> Policies:
    changes = {"slo": Slo(volume=volume), "status": status}
    changed = (replace(one, policy=one.policy.model_copy(update=changes)) for one in policies.datasets)
    return replace(policies, datasets=tuple(changed))


def found(policies: Policies, catalog: Catalog, now: datetime = NOW, active: tuple[Signal, ...] = ()) -> list[Finding]:
    return find_external_volume(Situation(policies, catalog, now, active))


def test_a_delivery_without_half_of_its_rows_is_a_warning(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 500, 50_000)

    [finding] = found(policies, ten_days)

    assert (finding.dataset, finding.partition, finding.signature) == (RATES, DAY, "VOLUME_ANOMALY")
    assert (finding.kind, finding.severity) == (SignalKind.VOLUME, SignalSeverity.WARNING)
    assert finding.reason.startswith("500 rows, 50 % fewer than the 1,004 expected by the 10 deliveries before")
    assert finding.run_id is not None


def test_a_delivery_of_unusual_size_is_a_warning_of_its_own(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 1000, 5)

    [finding] = found(policies, ten_days)

    assert finding.signature == "VOLUME_ANOMALY:bytes"
    assert finding.reason.startswith("5 bytes, 100 % fewer than the 50,004 expected")


def test_no_rows_at_all_are_critical_from_the_first_delivery_on(policies: Policies, catalog: Catalog) -> None:
    report(catalog, DAY, 0)

    [finding] = found(policies, catalog)

    assert (finding.signature, finding.severity) == ("EMPTY_BATCH", SignalSeverity.CRITICAL)


def test_fewer_rows_than_the_policy_asks_are_critical(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 900)

    assert found(policies, ten_days) == []
    [finding] = found(with_volume(policies, Volume(min_rows_per_partition=950)), ten_days)
    assert (finding.signature, finding.severity) == ("ROW_COUNT", SignalSeverity.CRITICAL)


def test_a_corrected_version_and_a_usual_later_day_clear_it(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 500)
    assert len(found(policies, ten_days)) == 1

    report(ten_days, DAY, 1000, version="v2", at=NOW)
    assert found(policies, ten_days) == []

    report(ten_days, DAY, 400, version="v3", at=NOW + timedelta(hours=1))
    assert len(found(policies, ten_days)) == 1
    report(ten_days, DAY.next, 1000, at=NOW + timedelta(days=1))
    assert found(policies, ten_days) == []


def test_a_late_older_day_is_judged_when_it_comes(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY.next, 1000)
    report(ten_days, DAY, 10, at=NOW + timedelta(days=2))

    [finding] = found(policies, ten_days, NOW + timedelta(days=2))

    assert (finding.partition, finding.signature) == (DAY, "VOLUME_ANOMALY")


def test_without_reported_sizes_or_history_nothing_is_judged(policies: Policies, catalog: Catalog) -> None:
    report(catalog, DAY, None)
    assert found(policies, catalog) == []

    report(catalog, DAY, 3, version="v2")
    assert found(policies, catalog) == []


def test_drafts_are_not_watched(policies: Policies, catalog: Catalog) -> None:
    report(catalog, DAY, 0)

    assert found(with_volume(policies, Volume(), DatasetStatus.DRAFT), catalog) == []


def test_an_old_finding_stays_while_its_signal_is_active(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 500, 50_000)
    look(policies, ten_days, NOW)
    [active] = [one for one in ten_days.signals.active() if one.finding.kind is SignalKind.VOLUME]
    long_after = NOW + timedelta(days=40)

    assert found(policies, ten_days, long_after) == []
    assert [one.key for one in found(policies, ten_days, long_after, (active,))] == [active.finding.key]


def test_a_look_opens_an_incident_and_ends_it(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 500, 50_000)
    look(policies, ten_days, NOW)
    opened = {one.dataset: one for one in ten_days.incidents.active()}
    assert opened[RATES].title.startswith(f"{RATES} {DAY}: 500 rows, 50 % fewer")

    report(ten_days, DAY, 1000, 50_000, version="v2", at=NOW)
    look(policies, ten_days, NOW + timedelta(minutes=1))

    assert RATES not in {one.dataset for one in ten_days.incidents.active()}


def test_a_level_that_people_expect_is_usual_for_the_next_deliveries(policies: Policies, ten_days: Catalog) -> None:
    report(ten_days, DAY, 500)
    look(policies, ten_days, NOW)
    [incident] = [one for one in ten_days.incidents.active() if one.dataset == RATES]
    assert len(found(policies, ten_days)) == 1
    by = Actor(name="ann", role="DATA_OWNER")
    ten_days.incidents.resolve(incident.number, Resolution.EXPECTED, by=by, comment="half", now=NOW)

    report(ten_days, DAY.next, 510, at=NOW + timedelta(days=1))
    assert found(policies, ten_days, NOW + timedelta(days=1)) == []

    report(ten_days, DAY.next.next, 250, at=NOW + timedelta(days=2))
    assert len(found(policies, ten_days, NOW + timedelta(days=2))) == 1


def test_each_database_has_the_newest_version_of_each_day(catalog: Catalog) -> None:
    for version, rows in (("v1", 1), ("v2", 2)):
        report(catalog, DAY, rows, version=version, at=NOW + timedelta(hours=rows))
    report(catalog, DAY.previous, 7)

    sizes = catalog.arrivals.reported_sizes(RATES, limit=5)

    assert [(one.partition, one.rows) for one in sizes] == [(DAY.previous, 7), (DAY, 2)]
    assert [one.rows for one in catalog.arrivals.reported_sizes(RATES, limit=1)] == [2]
    assert set(catalog.arrivals.report_states([RATES, "ds://a/b"], since=NOW)) == {RATES}
