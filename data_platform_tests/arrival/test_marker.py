"""C04 and C05: a delivery is reported once it is complete, once, with any times of its files."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from data_platform.arrival.digest import Digests
from data_platform.arrival.marker import Marker, MarkerContent, find_markers, look
from data_platform.model.partition_key import PartitionKey
from data_platform.model.source import Arrival, Source, Watch
from data_platform.model.source_format import SourceFormat
from data_platform_tests.case import case_file, expected

SCENARIOS = json.loads(case_file("C05", "scenarios.json").read_text())
TICKS = json.loads(case_file("C04", "ticks.json").read_text())


class Scanner:
    """Remembers stamps and deliveries as the catalog does."""

    def __init__(self, landing: Path, arrival: Arrival) -> None:
        self.landing, self.arrival = landing, arrival
        self.stamps: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self.digests = Digests()

    def tick(self) -> list[MarkerContent]:
        found = []
        for marker in find_markers(self.landing, self.arrival):
            one = look(self.landing, self.arrival, marker, self.stamps.get(marker.path), self.digests)
            if one is not None:
                self.stamps[marker.path] = one.stamp
                found.append(one)
        return found

    def words(self) -> str:
        """``run`` for a delivery that is new by its content."""
        found = [one for one in self.tick() if one.delivery_id]
        new = [one for one in found if self.ids.get(one.marker.path) != one.delivery_id]
        self.ids |= {one.marker.path: str(one.delivery_id) for one in new}
        if new:
            return "run"
        return "skip_duplicate" if found else "wait"


def drop(folder: Path, files: list[dict[str, Any]]) -> None:
    """Exactly these files, with their sizes and times."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in {file["name"] for file in files} | {"manifest.json"}:
            path.unlink()
    for file in files:
        path = folder / file["name"]
        content = b"x" * file.get("bytes", 0)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        at = datetime.fromisoformat(file["mtime"]).timestamp()
        if path.stat().st_mtime != at:  # whoever sets a time has touched the file
            os.utime(path, (at, at))


ALLOWED = {
    "wait": {"wait"},
    "run": {"run"},
    "nothing": {"wait"},
    "nothing_or_skip_duplicate": {"wait", "skip_duplicate"},
    "wait_no_crash": {"wait"},
}


@pytest.mark.parametrize("number", range(len(SCENARIOS["scenarios"])), ids=lambda n: SCENARIOS["scenarios"][n]["what"])
def test_c05(tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = SCENARIOS["scenarios"][number]
    (right,) = (s for s in expected("C05")["scenarios"] if s["scenario"] == scenario["scenario"])
    folder = tmp_path / "in"
    folder.mkdir()
    files = [{"file": f["name"], "bytes": f["bytes"]} for f in SCENARIOS["manifest"]["files"]]
    (folder / "manifest.json").write_text(json.dumps({"files": files}))
    scanner = Scanner(tmp_path, Watch(path="in", marker="orders.done", manifest="manifest.json"))
    said = []
    for tick in scenario["ticks"]:
        drop(folder, tick)
        if any(file.get("vanishes_on_open") for file in tick):
            vanish(monkeypatch, folder / "orders.done")
        said.append(scanner.words())

    assert len(said) == len(right["expected_per_tick"])
    for word, allowed in zip(said, right["expected_per_tick"], strict=True):
        assert word in ALLOWED[allowed]


def vanish(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """The file is listed, and is gone when its content is looked at."""
    listed = find_markers

    def then_gone(landing: Path, arrival: Arrival) -> list[Marker]:
        markers = list(listed(landing, arrival))
        path.unlink()
        return markers

    monkeypatch.setattr("data_platform_tests.arrival.test_marker.find_markers", then_gone)


def test_c04(tmp_path: Path) -> None:
    scanner = Scanner(tmp_path, Watch(path="in", marker="*.done"))
    per_tick = []
    for tick in TICKS:
        drop(tmp_path / "in", [{"bytes": 1, **file} for file in tick["listing"]])
        per_tick.append(sorted(found.marker.name for found in scanner.tick() if found.delivery_id))

    assert per_tick == expected("C04")["requested_per_tick"]
    assert sum(map(len, per_tick)) == expected("C04")["total_requests"]


def test_a_day_is_found_in_a_folder_or_in_a_name_and_newest_first(tmp_path: Path) -> None:
    for day in ("2026-02-13", "2026-02-14", "2026-13-01", "notes"):
        (tmp_path / "a" / day).mkdir(parents=True)
        (tmp_path / "a" / day / "_SUCCESS").touch()
    (tmp_path / "b").mkdir()
    for name in ("x_20260213.done", "x_20260230.done", "x_20260214.done.tmp", "y_20260214.done"):
        (tmp_path / "b" / name).touch()

    in_folders = find_markers(tmp_path, Watch(path="a/{dt}", marker="_SUCCESS"))
    in_names = find_markers(tmp_path, Watch(path="b", marker="x_{partition:%Y%m%d}.done"))

    assert [(m.partition, m.path) for m in in_folders] == [
        (PartitionKey("2026-02-14"), "a/2026-02-14/_SUCCESS"),
        (PartitionKey("2026-02-13"), "a/2026-02-13/_SUCCESS"),
    ]
    assert [(m.partition, m.path) for m in in_names] == [(PartitionKey("2026-02-13"), "b/x_20260213.done")]


def test_the_id_of_a_delivery_is_the_same_as_in_bronze(tmp_path: Path) -> None:
    from data_platform.ingestion.delivery import find_delivery
    from data_platform.model.schema import Column, Schema

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id\n1\n")
    (tmp_path / "in" / "manifest.json").write_text(json.dumps({"file": "a.csv", "bytes": 5, "record_count": 1}))
    source = Source(format=SourceFormat.CSV, path="in", manifest="manifest.json", marker="manifest.json")

    (found,) = Scanner(tmp_path, source).tick()

    declared = Schema.of([Column(name="id", type="int")])
    assert found.delivery_id == find_delivery(tmp_path, source, None, declared).id
    assert (found.files, found.bytes > 5, found.record_count) == (1, True, 1)


def test_bronze_passes_over_the_same_files_as_the_marker(tmp_path: Path) -> None:
    from data_platform.ingestion.delivery import find_delivery
    from data_platform.model.schema import Column, Schema

    at = "2026-02-14T06:00:00Z"
    names = ("a.csv", "_a.csv", ".a.csv", "a.csv.tmp", "A.PART", "go.done")
    drop(tmp_path / "in", [{"name": name, "bytes": 2, "mtime": at} for name in names])
    source = Source(format=SourceFormat.CSV, path="in", files="[!g]*", marker="go.done")

    (found,) = Scanner(tmp_path, source).tick()

    delivery = find_delivery(tmp_path, source, None, Schema.of([Column(name="id", type="int")]))
    assert [file.name for file in delivery.files] == ["a.csv"]
    assert (found.files, found.delivery_id) == (1, delivery.id)


def test_a_checksum_is_awaited(tmp_path: Path) -> None:
    import hashlib

    whole = b"id\n1\n"
    (tmp_path / "in").mkdir()
    manifest = {"file": "a.csv", "bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest()}
    (tmp_path / "in" / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "in" / "a.csv").write_bytes(b"\0" * len(whole))  # room that a transfer has made, and not filled yet
    scanner = Scanner(tmp_path, Watch(path="in", marker="manifest.json", manifest="manifest.json"))

    (before,) = scanner.tick()
    (tmp_path / "in" / "a.csv").write_bytes(whole)
    (after,) = scanner.tick()

    assert before.waits_for == "a.csv (its checksum is not the manifest's)"
    assert after.delivery_id


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": []}', '{"files": [{"file": "../x"}]}'])
def test_a_manifest_that_is_being_written_is_waited_for(tmp_path: Path, text: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "m.json").write_text(text)

    (found,) = Scanner(tmp_path, Watch(path="in", marker="m.json", manifest="m.json")).tick()

    assert found.waits_for.startswith("a manifest that can be read: m.json")


def test_a_file_without_a_promised_size_must_not_be_newer_than_its_marker(tmp_path: Path) -> None:
    manifest = {"name": "m.json", "bytes": 0, "mtime": "2025-01-01T01:00:00+00:00"}
    done = {"name": "go.done", "bytes": 0, "mtime": "2025-01-01T02:00:00+00:00"}
    growing = {"name": "a.csv", "bytes": 5, "mtime": "2025-01-01T03:00:00+00:00"}
    scanner = Scanner(tmp_path, Watch(path="in", marker="go.done", manifest="m.json"))
    said = []
    for files in ([growing, done], [growing, {**done, "mtime": growing["mtime"]}]):
        drop(tmp_path / "in", [manifest, *files])
        (tmp_path / "in" / "m.json").write_text('{"files": ["a.csv"]}')
        said.append(scanner.words())

    assert said == ["wait", "run"]


def test_a_file_without_a_promised_size_has_to_stay_as_it_is_if_its_manifest_is_the_marker(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "m.json").write_text('{"files": ["a.csv"]}')
    scanner = Scanner(tmp_path, Watch(path="in", marker="m.json", manifest="m.json"))
    said = []
    for content in ("x", "xy", "xy", "xy"):
        if not (tmp_path / "in" / "a.csv").exists() or (tmp_path / "in" / "a.csv").read_text() != content:
            (tmp_path / "in" / "a.csv").write_text(content)
        said.append(scanner.words())

    assert said == ["wait", "wait", "run", "wait"]


def test_without_a_manifest_a_marker_older_than_its_data_is_the_last_delivery_s(tmp_path: Path) -> None:
    early, late = "2026-02-14T06:00:00Z", "2026-02-14T07:00:00Z"
    marker = {"name": "_SUCCESS", "bytes": 0}
    data = {"name": "a.csv", "bytes": 3, "mtime": late}
    scanner = Scanner(tmp_path, Watch(path="in", marker="_SUCCESS", files="*.csv"))
    said = []
    for files in ([{**marker, "mtime": early}], [{**marker, "mtime": early}, data], [{**marker, "mtime": late}, data]):
        drop(tmp_path / "in", files)
        said += [found.waits_for for found in scanner.tick()]

    assert said == ["a file of *.csv", "a marker that is newer than a.csv: this one may be of the delivery before", ""]


def test_a_file_that_is_its_own_marker_has_to_stay_as_it_is(tmp_path: Path) -> None:
    source = Source(format=SourceFormat.CSV, path="in", files="o_{dt:%Y%m%d}.csv", marker="o_{dt:%Y%m%d}.csv")
    scanner = Scanner(tmp_path, source)
    said = []
    for size in (3, 5, 5, 5, 7, 7):
        drop(tmp_path / "in", [{"name": "o_20260214.csv", "bytes": size, "mtime": f"2026-02-14T06:00:0{size}Z"}])
        said.append([found.delivery_id is not None for found in scanner.tick()])

    assert said == [[False], [False], [True], [], [False], [True]]


def test_several_markers_in_a_folder_have_the_files_of_their_names(tmp_path: Path) -> None:
    at = "2026-02-14T06:00:00Z"
    names = ("ab.done", "a.done", "a.csv", "a_2.csv", "ab.csv", "other.csv")
    drop(tmp_path / "in", [{"name": name, "bytes": 2, "mtime": at} for name in names])

    found = Scanner(tmp_path, Watch(path="in", marker="*.done", files="*.csv")).tick()

    assert {one.marker.name: (one.files, one.waits_for) for one in found} == {"a.done": (2, ""), "ab.done": (1, "")}


MARKED = {"marker": "x_{dt:%Y%m%d}.done"}


@pytest.mark.parametrize(
    ("said", "files"),
    [
        pytest.param(MARKED, 2, id="the marker's"),
        pytest.param({**MARKED, "files": "*.csv"}, 1, id="the marker's, and a pattern of all files"),
        pytest.param({**MARKED, "files": "x_{dt:%Y%m%d}*.csv"}, 1, id="the marker's and the files'"),
        pytest.param({"marker": "x_{dt:%Y%m%d}.json", "manifest": "x_{dt:%Y%m%d}.json"}, 1, id="the manifest's"),
        pytest.param({"marker": "x_{dt:%Y%m%d}.csv", "files": "x_{dt:%Y%m%d}.csv"}, 1, id="the files' alone"),
    ],
)
def test_days_whose_names_share_a_folder_leave_each_other_alone(
    tmp_path: Path, said: dict[str, str], files: int
) -> None:
    scanner = Scanner(tmp_path, Watch(path="in", **said))
    (tmp_path / "in").mkdir()
    ends: list[list[tuple[PartitionKey | None, int]]] = []
    for day in ("20260213", "20260214"):
        manifest = json.dumps({"file": f"x_{day}.csv", "bytes": 2})
        for name, text in ((f"x_{day}.csv", "ab"), (f"x_{day}.json", manifest), (f"x_{day}.done", "")):
            (tmp_path / "in" / name).write_text(text)
        looks = [*scanner.tick(), *scanner.tick()]  # a file that is its own marker has to stay as it is
        ends.append([(found.marker.partition, found.files) for found in looks if not found.waits_for])

    assert ends == [[(PartitionKey("2026-02-13"), files)], [(PartitionKey("2026-02-14"), files)]]
    assert {found.marker.partition for found in looks} == {PartitionKey("2026-02-14")}
    assert scanner.tick() == []


def test_a_large_file_is_read_over_several_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_platform.arrival.digest._CHUNK", 10)
    drop(tmp_path / "in", [{"name": "go.done", "bytes": 0, "mtime": "2026-02-14T06:00:00Z"},
                           {"name": "a.csv", "bytes": 95, "mtime": "2026-02-14T05:00:00Z"}])  # fmt: skip
    now = [0.0]

    def clock() -> float:
        now[0] += 1
        return now[0]

    scanner = Scanner(tmp_path, Watch(path="in", marker="go.done", files="*.csv"))
    scanner.digests = Digests(clock)
    said = []
    for _ in range(4):
        scanner.digests.allow(5)
        said += [found.waits_for or found.delivery_id for found in scanner.tick()]

    assert said[:-1] == ["a.csv to be read to its end"] * 2
    fresh = Scanner(tmp_path, scanner.arrival)
    assert [found.delivery_id for found in fresh.tick()] == [said[-1]]


def test_a_folder_that_cannot_be_read_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "go.done").touch()
    (tmp_path / "in" / "a.csv").symlink_to(tmp_path / "nowhere")

    (found,) = Scanner(tmp_path, Watch(path="in", marker="go.done", files="*.csv")).tick()

    assert found.waits_for == "a file of *.csv"
    assert list(find_markers(tmp_path / "no landing", Watch(path="in", marker="*.done"))) == []
