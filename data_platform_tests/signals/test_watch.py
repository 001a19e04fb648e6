"""A watchdog survives outages, wrong policies and looks that hang, and records that it is alive."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import SourceUnavailableError
from data_platform.policies import Policies
from data_platform.signals import passing_look, watch
from data_platform.signals.passing_look import look_in_passing
from data_platform.signals.watch import LookReport, Watch
from data_platform_tests.signals.outbox import change
from data_platform_tests.signals.test_lateness import FLIGHTS, NOW


@pytest.fixture
def watching(policies: Policies, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Watches ``policies``, of which ten days are late."""
    assert catalog.incidents.active() == ()
    settings: Any = SimpleNamespace(catalog_url=f"sqlite:///{tmp_path / 'catalog.db'}", policies=tmp_path)
    monkeypatch.setattr(watch, "load_policies", lambda folder, **_: policies)  # noqa: ARG005
    one = Watch(settings, "watch on here", timedelta(seconds=1), lambda: NOW)
    yield one
    one.close()


def test_a_look_reports_what_changed_and_that_somebody_watches(watching: Watch, catalog: Catalog) -> None:
    first, second = watching.look(), watching.look()

    [watcher] = catalog.incidents.watchers()
    assert (len(first.changes), first.active, first.problem) == (first.active, first.active, "")
    assert (first.active > 0, second.changes) == (True, ())
    assert (watcher.name, watcher.looked_at, watcher.every_seconds, watcher.error) == ("watch on here", NOW, 1, "")
    assert watcher.is_alive(NOW + timedelta(seconds=30))
    assert not watcher.is_alive(NOW + timedelta(minutes=5))


def test_an_outage_of_the_catalog_is_reported_and_retried(watching: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(url: str) -> Catalog:
        raise SourceUnavailableError(f"{url} did not answer")

    opened = watch.open_catalog
    monkeypatch.setattr(watch, "open_catalog", fail)
    during = watching.look()
    monkeypatch.setattr(watch, "open_catalog", opened)

    assert "did not answer" in during.problem
    assert watching.look().problem == ""


def test_an_unexpected_error_does_not_end_it(
    watching: Watch, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(watch, "look", fail)
        during = watching.look()

    assert during.problem == "unexpected ZeroDivisionError"
    assert catalog.incidents.watchers()[0].error == during.problem
    assert watching.look().problem == ""


def test_a_look_that_hangs_is_reported_and_no_second_one_begins(
    watching: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def hang(*_: Any) -> tuple[()]:
        begun.release()
        go_on.wait(60)
        return ()

    monkeypatch.setattr(watch, "look", hang)
    watching.look_seconds = 0.01
    reports = [watching.look(), watching.look()]
    go_on.set()
    watching.look_seconds = 60

    assert [report.problem for report in reports] == ["the look has not ended after 0.01 seconds"] * 2
    assert watching.look().problem == ""
    assert begun.acquire(blocking=False)
    assert not begun.acquire(blocking=False)


def test_it_goes_on_until_it_is_stopped(watching: Watch) -> None:
    stop, reports = threading.Event(), []

    def report(one: LookReport) -> None:
        reports.append(one)
        if len(reports) == 2:
            stop.set()

    watching.every = timedelta(0)
    watching.follow(stop, report)

    assert len(reports) == 2


def test_a_look_in_passing_sees_its_dataset_and_leaves_the_others_as_they_are(
    policies: Policies, catalog: Catalog
) -> None:
    platform: Any = SimpleNamespace(policies=policies, catalog=catalog, now=lambda: NOW)

    look_in_passing(platform, "ds://ops/summary")
    summary = {signal.finding.dataset for signal in catalog.signals.active()}
    look_in_passing(platform, FLIGHTS)

    assert summary == {"ds://ops/summary"}
    assert {signal.finding.dataset for signal in catalog.signals.active()} == {
        FLIGHTS, "ds://ops/delays", "ds://ops/summary",
    }  # fmt: skip
    assert [one.dataset for one in catalog.incidents.active()] == [FLIGHTS]


def test_a_look_in_passing_never_fails_its_run(
    policies: Policies, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(passing_look, "look", fail)
    platform: Any = SimpleNamespace(policies=policies, catalog=catalog, now=lambda: NOW)

    look_in_passing(platform, FLIGHTS)

    assert f"the look at signals after a stage of {FLIGHTS} failed" in caplog.text


def test_what_a_look_found_is_sent_and_an_error_of_sending_is_reported_by_the_next(
    watching: Watch, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise SourceUnavailableError("no catalog")

    with monkeypatch.context() as broken:
        broken.setattr(watch, "send_due", fail)
        first = watching.look()
        watching.send()
        watching.close()
    second = watching.look()
    watching.send()
    watching.close()
    third = watching.look()

    assert (first.problem, second.problem, third.problem) == ("", "alerts were not sent: no catalog", "")
    assert {one.status.value for one in catalog.alerts.newest(limit=100)} == {"SENT"}


def test_a_channel_that_hangs_delays_no_look(watching: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def hang(*_: Any) -> None:
        begun.release()
        go_on.wait(60)

    monkeypatch.setattr(watch, "send_due", hang)
    reports = []
    for _ in range(2):
        reports.append(watching.look())
        watching.send()
    go_on.set()

    assert [report.problem for report in reports] == ["", ""]
    assert begun.acquire(timeout=60)
    assert not begun.acquire(blocking=False)


def test_alerts_are_sent_although_the_look_failed(
    watching: Watch, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    change(catalog)
    monkeypatch.setattr(watch, "look", fail)
    watching.look()
    watching.send()
    watching.close()

    assert [one.status.value for one in catalog.alerts.newest(limit=100)] == ["SENT"]
