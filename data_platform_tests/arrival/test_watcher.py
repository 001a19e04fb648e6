"""Deliveries reach the catalog: new content arrives once, with any number of watchers and looks."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data_platform.arrival import watcher as module
from data_platform.arrival.watcher import Looked, Watcher
from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import SourceUnavailableError
from data_platform.legacy.arrival import arrival_event
from data_platform.model.arrival import ArrivedVersion
from data_platform.model.partition import PartitionRange
from data_platform.model.source import Source, Watch
from data_platform.model.source_format import SourceFormat
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import mention, run_event
from data_platform.policies.external import ExternalAsset
from data_platform_tests.case import case_file, expected
from data_platform_tests.catalog.template import new_catalog

ORDERS = ExternalAsset(
    urn="ds://shop/orders",
    key=("landing", "orders"),
    partitions=PartitionRange(start=date(2025, 1, 1)),
    arrival=Source(
        format=SourceFormat.CSV, path="orders", files="orders_{dt:%Y%m%d}.csv", marker="orders_{dt:%Y%m%d}.done"
    ),
    landed=True,
)
POSITIONS = ExternalAsset(
    urn="ds://legacy/positions",
    key=("legacy", "positions"),
    partitions=PartitionRange(start=date(2025, 1, 1)),
    arrival=Watch(path="positions/{dt}", marker="_SUCCESS"),
    process="AUTOSYS/NIGHT/LOAD",
)
RUN = "00000000-0000-4000-8000-000000000001"


@dataclass
class Landing:
    """A landing zone with its catalog; ``now`` goes on by a minute a look."""

    root: Path
    catalog: Catalog
    assets: tuple[ExternalAsset, ...] = (ORDERS, POSITIONS)
    now: datetime = field(default=datetime(2025, 6, 3, tzinfo=UTC))

    def __post_init__(self) -> None:
        self.watcher = self.another()

    def another(self) -> Watcher:
        return Watcher(self.root, self.assets, self.catalog, now=lambda: self.now)

    def look(self, watcher: Watcher | None = None) -> Looked:
        self.now += timedelta(minutes=1)
        return (watcher or self.watcher).look(30)

    def deliver(self, day: str, content: str, folder: str = "positions") -> None:
        place = self.root / folder / day
        place.mkdir(parents=True, exist_ok=True)
        (place / "data.csv").write_text(content)
        (place / "_SUCCESS").unlink(missing_ok=True)
        (place / "_SUCCESS").touch()

    def arrived(self) -> tuple[ArrivedVersion, ...]:
        return self.catalog.arrivals.versions([number for number, _ in self.catalog.arrivals.names(0)])


@pytest.fixture
def landing(tmp_path: Path) -> Iterator[Landing]:
    with new_catalog(tmp_path / "catalog.db") as catalog:
        yield Landing(tmp_path / "landing", catalog)


def said(looked: Looked) -> list[tuple[str | None, int, bool]]:
    return [(one.partition, one.number, one.duplicate) for one in looked.delivered]


def test_c03_a_corrected_file_of_the_same_name_supersedes_and_a_copy_does_not(landing: Landing) -> None:
    """Ticks 1 to 3; what follows a run that failed is in the flows."""
    right = {one["delivery"]: one["expected"] for one in expected("C03")["sequence"]}
    words = []
    for number in (1, 2, 3):
        for file in case_file("C03", f"deliveries/{number}").iterdir():
            folder = landing.root / "orders"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / file.name)  # as a vendor does: the same name, and the marker after it
            marker = folder / f"{file.stem}.done"
            marker.unlink(missing_ok=True)
            marker.touch()
        (delivered,) = landing.look().delivered
        words.append((delivered.partition, delivered.number, delivered.duplicate))

    assert right[1] == "run"
    assert right[2] == "run_superseding_1"
    assert right[3] == "skip_duplicate_with_reason"
    assert words == [("2025-06-01", 1, False), ("2025-06-01", 2, False), ("2025-06-01", 2, True)]
    first, second = landing.arrived()
    assert second.report["metadata"]["supersedes_delivery"] == 1
    assert (first.urn, first.report["partition"]) == ("ds://shop/orders/landing", "2025-06-01")


def test_a_personal_value_in_a_marker_or_folder_is_in_no_record(tmp_path: Path) -> None:
    """Several senders, each with a folder and a marker of its name: distinguished, but without the names."""
    watch = Watch(path="in/*/{dt}", marker="done_*")
    by_sender = replace(POSITIONS, arrival=watch)
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    with open_catalog(url) as catalog:
        landing = Landing(tmp_path / "landing", catalog, (by_sender,))
        for sender in ("ann.lee@example.com", "bob.ray@example.com"):
            landing.deliver("2025-06-01", sender, f"in/{sender}")
            (landing.root / "in" / sender / "2025-06-01" / f"done_{sender}").touch()

        looked = [landing.look(), landing.look(landing.another())]

        assert [len(one.delivered) for one in looked] == [2, 0]
        markers = [state.marker for state in catalog.arrivals.markers(POSITIONS.urn)]
        assert len(set(markers)) == 2
        assert all(marker.startswith("in/[REDACTED:EMAIL]/2025-06-01/[REDACTED:EMAIL]#") for marker in markers), markers
    text = "".join(file.read_bytes().decode("utf-8", errors="replace") for file in tmp_path.iterdir() if file.is_file())
    assert not any(value in text for value in ("ann.lee", "bob.ray"))


def test_the_same_content_is_news_after_other_content(landing: Landing) -> None:
    for content in ("a", "b", "a"):
        landing.deliver("2025-06-01", content)
        assert said(landing.look())[0][2] is False

    tags = [version.tag for version in landing.arrived()]
    assert len(tags) == 3
    assert tags[0] == tags[2] != tags[1]


def test_two_days_of_the_same_content_are_two_deliveries(landing: Landing) -> None:
    landing.deliver("2025-06-01", "a")
    landing.deliver("2025-06-02", "a")

    assert said(landing.look()) == [("2025-06-01", 1, False), ("2025-06-02", 1, False)]
    assert len({version.tag for version in landing.arrived()}) == 2


def test_without_a_change_nothing_is_reported_also_by_a_new_watcher(landing: Landing) -> None:
    landing.deliver("2025-06-01", "a")
    landing.look()

    assert said(landing.look()) == []
    assert said(landing.look(landing.another())) == []
    assert len(landing.arrived()) == 1


def test_two_watchers_at_once_report_it_once(landing: Landing) -> None:
    first, second = landing.another(), landing.another()
    landing.look(first)
    landing.look(second)
    landing.deliver("2025-06-01", "a")

    landing.look(first)
    landing.look(second)

    assert len(landing.arrived()) == 1


def test_what_could_not_be_kept_is_found_again(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    landing.deliver("2025-06-01", "a")

    def away(*_: Any, **__: Any) -> None:
        raise SourceUnavailableError("the catalog did not answer")

    with monkeypatch.context() as patch:
        patch.setattr(landing.catalog.arrivals, "take_markers", away)
        with pytest.raises(SourceUnavailableError):
            landing.look()

    assert said(landing.look()) == [("2025-06-01", 1, False)]


def test_a_delivery_is_a_completed_run_of_the_one_job_that_makes_it(landing: Landing) -> None:
    landing.deliver("2025-06-01", "abc")
    landing.look()

    (version,) = landing.arrived()
    assert version.process == "AUTOSYS/NIGHT/LOAD"
    assert (version.byte_count, version.nominal_start) == (3, datetime(2025, 6, 1, tzinfo=UTC))
    assert str(version.path).endswith("landing/positions/2025-06-01")
    last = landing.catalog.lineage.last_successful_run("ds://legacy/positions")
    assert last is not None


def test_a_run_that_reported_itself_is_the_run_of_the_delivery(landing: Landing) -> None:
    """The wrapper reported the job without its version: one run, one version, one arrival."""
    told = run_event(
        "COMPLETE", "AUTOSYS/NIGHT/LOAD", RUN, time=landing.now, outputs=[mention("ds://legacy/positions")]
    )
    landing.catalog.events.ingest([read_event(told)], now=landing.now)
    landing.deliver("2025-06-01", "abc")

    landing.look()

    versions = landing.arrived()
    assert {version.run_uuid for version in versions} == {RUN}
    assert {version.tag for version in versions} == {versions[-1].tag}
    assert versions[-1].tag.startswith("2025-06-01/")


def test_a_day_before_the_first_is_not_a_delivery(landing: Landing) -> None:
    landing.deliver("2024-12-31", "a")

    assert landing.look() == Looked()


def test_what_is_waited_for_is_on_record(landing: Landing) -> None:
    (landing.root / "orders").mkdir(parents=True)
    (landing.root / "orders" / "orders_20250601.done").touch()

    looked = landing.look()
    again = landing.look()

    (state,) = landing.catalog.arrivals.markers()
    assert (looked.waiting, again.waiting, state.waits_for) == (1, 1, "a file of orders_20250601.csv")
    assert (state.partition, state.delivery_id, state.deliveries) == ("2025-06-01", None, 0)


def test_a_look_ends_in_time_and_the_next_goes_on(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"d{number}" for number in range(5)]
    landing.assets = tuple(
        replace(POSITIONS, urn=f"ds://legacy/{name}", arrival=Watch(path=f"{name}/{{dt}}", marker="_SUCCESS"))
        for name in names
    )
    for name in names:
        landing.deliver("2025-06-01", "a", name)
    watcher = landing.another()
    clock = iter(range(1000))
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(clock)))

    looks = [watcher.look(4) for _ in range(3)]

    assert [look.unfinished for look in looks][:2] == [True, True]
    assert sorted(one.urn for look in looks for one in look.delivered) == [f"ds://legacy/{name}" for name in names]


def test_older_days_have_their_turn(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST", 2)
    monkeypatch.setattr(module, "OLDER", 3)
    for day in range(1, 11):
        landing.deliver(f"2025-05-{day:02}", "a")

    seen = [len(landing.look().delivered) for _ in range(3)]
    landing.deliver("2025-05-01", "b")
    later = [said(landing.look()) for _ in range(3)]

    assert seen == [5, 3, 2]
    assert [("2025-05-01", 2, False)] in later


def test_a_marker_of_a_time_long_ago_is_found(landing: Landing) -> None:
    landing.deliver("2025-06-02", "a")
    landing.look()
    landing.deliver("2025-06-01", "b")
    place = landing.root / "positions" / "2025-06-01"
    for path in (place / "data.csv", place / "_SUCCESS", place):
        os.utime(path, (0, 0))

    assert said(landing.look()) == [("2025-06-01", 1, False)]


def test_an_arrival_event_without_a_job_is_the_dataset_s_own() -> None:
    event = arrival_event("ds://legacy/positions", "v1", None, time=datetime(2025, 6, 1, tzinfo=UTC))

    assert (event.run_uuid, event.datasets[0].version_tag) == (None, "v1")
