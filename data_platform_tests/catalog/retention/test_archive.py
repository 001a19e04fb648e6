"""What is old goes into Parquet files, once, however often the archive is begun and wherever it dies."""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.database import open_database
from data_platform.catalog.retention import batch, file
from data_platform.errors import ConflictError, EnvironmentProblem, UsageError
from data_platform_tests.catalog.retention.past import (
    NOW,
    OLD,
    START,
    archived,
    counts,
    event,
    files,
    fill,
    registered,
    rollups,
    run,
    tell,
    uuid_of,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def archive(catalog: Catalog, folder: Path, **changes: Any) -> Any:
    return catalog.registry.archive(**{"older_than": OLD, "folder": folder, "now": NOW, **changes})


def test_old_runs_go_with_all_of_theirs_and_today_s_stays(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    fill(catalog)

    report = archive(catalog, folder)

    assert (report.runs, report.events, report.run_datasets) == (7, 14, 14)
    assert counts(catalog_url) == {"process_run": 1, "run_event": 2, "run_dataset": 2}
    assert {name: len(set(keys)) for name, keys in archived(catalog_url).items()} == {
        "process_run": 7,
        "run_event": 14,
        "run_dataset": 7,
    }
    assert set(report.files) == {file.path for file in registered(catalog_url)} == files(folder)


def test_there_is_one_file_per_day_and_kind_as_registered(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    for day in range(2):
        run(catalog, f"r{day}", START + timedelta(days=day))

    archive(catalog, folder)

    told = [(file.kind, f"{file.day:%m-%d}", file.row_count) for file in registered(catalog_url)]
    assert sorted(told) == [
        *(("process_run", day, 1) for day in ("01-05", "01-06")),
        *(("run_dataset", day, 2) for day in ("01-05", "01-06")),
        *(("run_event", day, 2) for day in ("01-05", "01-06")),
    ]
    for known in registered(catalog_url):
        assert hashlib.sha256(Path(known.path).read_bytes()).hexdigest() == known.checksum
        assert pq.ParquetFile(known.path).metadata.row_group(0).column(0).compression == "ZSTD"
        assert pq.read_metadata(known.path).num_rows == known.row_count


def test_rollups_stay_by_hour_and_day(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    fill(catalog, days=1)

    archive(catalog, folder)

    assert rollups(catalog_url) == {
        ("HOUR", "01-05 06", "COMPLETED"): (1, 600.0, 600.0),
        ("HOUR", "01-05 06", "RUNNING"): (1, 0.0, 0.0),
        ("HOUR", "01-05 07", "FAILED"): (1, 600.0, 600.0),
        ("DAY", "01-05 00", "COMPLETED"): (1, 600.0, 600.0),
        ("DAY", "01-05 00", "RUNNING"): (1, 0.0, 0.0),
        ("DAY", "01-05 00", "FAILED"): (1, 600.0, 600.0),
    }


def test_to_archive_again_changes_nothing(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    fill(catalog)
    archive(catalog, folder)
    before = counts(catalog_url), rollups(catalog_url), archived(catalog_url), files(folder)

    report = archive(catalog, folder)

    assert (report.runs, report.events, report.files) == (0, 0, ())
    assert (counts(catalog_url), rollups(catalog_url), archived(catalog_url), files(folder)) == before


def test_a_history_that_was_loaded_yesterday_stays(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    tell(catalog, event("r", "COMPLETE", START), heard=NOW - timedelta(days=1))

    assert archive(catalog, folder).runs == 0
    assert counts(catalog_url)["process_run"] == 1


def test_an_old_run_that_is_still_running_stays(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    tell(catalog, event("r", "START", START), event("r", "RUNNING", NOW - timedelta(days=1)))

    assert archive(catalog, folder).runs == 0
    assert counts(catalog_url)["run_event"] == 2


@pytest.mark.parametrize("late", ["START", "COMPLETE", "FAIL"])
def test_a_late_event_makes_a_new_row_which_is_counted_once_in_the_end(
    catalog: Catalog, catalog_url: str, folder: Path, late: str
) -> None:
    tell(catalog, event("r", "RUNNING", START))
    archive(catalog, folder)
    assert rollups(catalog_url)["DAY", "01-05 00", "RUNNING"] == (1, 0.0, 0.0)

    # a moment later than what is archived; a START of the same moment says nothing newer
    tell(catalog, event("r", late, START + timedelta(seconds=30)), heard=NOW)
    assert counts(catalog_url)["process_run"] == 1
    report = archive(catalog, folder, now=NOW + timedelta(days=100))

    assert report.runs == 1
    status = {"START": "RUNNING", "COMPLETE": "COMPLETED", "FAIL": "FAILED"}[late]
    assert {key: told[0] for key, told in rollups(catalog_url).items()} == {
        ("HOUR", "01-05 06", status): 1,
        ("DAY", "01-05 00", status): 1,
    }
    found = catalog.registry.archived_run(uuid_of("r"))
    assert found is not None
    assert found["status"] == status


def test_an_older_event_that_arrives_late_does_not_undo_the_end(
    catalog: Catalog, catalog_url: str, folder: Path
) -> None:
    run(catalog, "r", START)
    archive(catalog, folder)
    before = rollups(catalog_url)

    tell(catalog, event("r", "START", START - timedelta(minutes=1)), heard=NOW)
    archive(catalog, folder, now=NOW + timedelta(days=100))

    assert rollups(catalog_url) == before
    found = catalog.registry.archived_run(uuid_of("r"))
    assert found is not None
    assert found["status"] == "COMPLETED"


def test_an_event_that_comes_while_its_run_is_archived_is_not_lost(
    catalog: Catalog, catalog_url: str, folder: Path
) -> None:
    run(catalog, "r", START)
    late = event("r", "OTHER", START + timedelta(minutes=20))

    def hear(step: str, told: dict[str, Any]) -> None:  # noqa: ARG001
        if step == "renamed" and counts(catalog_url)["run_event"] == 2:
            tell(catalog, late, heard=NOW)

    report = archive(catalog, folder, progress=hear)
    assert (report.runs, report.changed, files(folder), registered(catalog_url)) == (0, 1, set(), [])
    assert counts(catalog_url) == {"process_run": 1, "run_event": 3, "run_dataset": 2}
    assert archive(catalog, folder).runs == 1
    assert len(catalog.registry.archived_events(uuid_of("r"))) == 3


def test_a_day_of_many_runs_has_several_parts(
    catalog: Catalog, catalog_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_RUNS", 2)
    fill(catalog, days=2)

    assert archive(catalog, folder).runs == 5
    assert counts(catalog_url)["process_run"] == 1
    parts = [file.row_count for file in registered(catalog_url) if file.kind == "process_run"]
    assert (sum(parts), max(parts)) == (5, 2)
    assert len(set(archived(catalog_url)["process_run"])) == 5


KILLED = """
import os, signal, sys
from datetime import datetime, timedelta
from pathlib import Path
from data_platform.catalog import open_catalog

url, folder, now, step, place = sys.argv[1:]
seen = 0

def hear(told, _):
    global seen
    seen += told == step
    if told == step and seen == int(place):
        os.kill(os.getpid(), signal.SIGKILL)

with open_catalog(url) as catalog:
    days = timedelta(days=90)
    catalog.registry.archive(older_than=days, folder=Path(folder), now=datetime.fromisoformat(now), progress=hear)
"""


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("step", ["noted", "written", "renamed", "committed"])
def test_killed_at_any_step_nothing_is_lost_and_nothing_doubled(
    catalog: Catalog, catalog_url: str, folder: Path, tmp_path: Path, step: str, place: int
) -> None:
    fill(catalog)
    with open_catalog(f"sqlite:///{tmp_path / 'never_killed.db'}") as other:
        fill(other)
        archive(other, tmp_path / "never_killed")
    wanted = f"sqlite:///{tmp_path / 'never_killed.db'}"
    foreign = folder / "process_run" / "2026-01-05-of-somebody-else.parquet"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("not ours")

    command = [sys.executable, "-c", KILLED, catalog_url, str(folder), NOW.isoformat(), step, str(place)]
    done = subprocess.run(command, check=False, env=os.environ | {"PYTHONPATH": os.getcwd()})  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    hot, cold = counts(catalog_url), archived(catalog_url)
    assert hot["process_run"] + len(cold["process_run"]) == 8
    assert hot["run_event"] + len(cold["run_event"]) == 16

    report = archive(catalog, folder)

    assert report.removed == {"noted": 0, "written": 3, "renamed": 3, "committed": 0}[step]
    assert counts(catalog_url) == counts(wanted)
    assert rollups(catalog_url) == rollups(wanted)
    assert {name: sorted(keys) for name, keys in archived(catalog_url).items()} == {
        name: sorted(keys) for name, keys in archived(wanted).items()
    }
    assert files(folder) == {str(foreign)} | {file.path for file in registered(catalog_url)}


def test_one_archive_at_a_time_in_a_folder(catalog: Catalog, folder: Path) -> None:
    folder.mkdir()

    with (folder / ".archive.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ConflictError, match="another archiving is running in"):
            archive(catalog, folder)
    assert archive(catalog, folder).runs == 0


def test_two_catalogs_may_share_a_folder(catalog: Catalog, catalog_url: str, folder: Path, tmp_path: Path) -> None:
    """Also when one of them was killed with its files named, and the other comes next."""
    fill(catalog)
    command = [sys.executable, "-c", KILLED, catalog_url, str(folder), NOW.isoformat(), "committed", "1"]
    subprocess.run(command, check=False, env=os.environ | {"PYTHONPATH": os.getcwd()})  # noqa: S603

    with open_catalog(f"sqlite:///{tmp_path / 'other.db'}") as other:
        fill(other)
        assert archive(other, folder).removed == 0
    assert all(Path(file.path).exists() for file in registered(catalog_url))
    archive(catalog, folder)
    assert counts(catalog_url)["process_run"] == 1


@pytest.mark.parametrize("age", [timedelta(0), timedelta(hours=23), timedelta(days=-5)])
def test_what_is_of_today_cannot_be_archived(catalog: Catalog, folder: Path, age: timedelta) -> None:
    with pytest.raises(UsageError, match="at least one day old"):
        archive(catalog, folder, older_than=age)
    assert not folder.exists()


def test_a_folder_that_cannot_be_created_is_reported(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        archive(catalog, tmp_path / "file" / "archive")


def test_a_disk_that_is_full_loses_nothing(
    catalog: Catalog, catalog_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(catalog)
    before = counts(catalog_url)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(file, "sync_folder", full)
        with pytest.raises(EnvironmentProblem, match="No space left on device; what was moved before is kept"):
            archive(catalog, folder)
    assert counts(catalog_url) == before
    assert archive(catalog, folder).runs == 7
    assert files(folder) == {file.path for file in registered(catalog_url)}


def test_a_month_of_which_nothing_is_left_goes_in_one_piece(catalog: Catalog, catalog_url: str, folder: Path) -> None:
    if not catalog_url.startswith("postgresql"):
        pytest.skip("only PostgreSQL has months")
    fill(catalog)

    report = archive(catalog, folder)

    assert {"process_run_y2026m01", "run_event_y2026m01"} <= set(report.months)
    database = open_database(catalog_url)
    with database.reading() as connection:
        query = text("SELECT relname FROM pg_class WHERE relname ~ '_y[0-9]{4}m' AND relnamespace = :here")
        here = connection.execute(text("SELECT current_schema()::regnamespace::oid")).scalar_one()
        left = set(connection.execute(query.bindparams(here=here)).scalars())
    database.close()
    assert not any("2026m01" in name for name in left)
    assert {"process_run_y2026m07", "run_event_y2026m07"} <= left
    tell(catalog, event("good 0", "OTHER", START + timedelta(hours=5)), heard=NOW)
    assert counts(catalog_url)["process_run"] == 2
