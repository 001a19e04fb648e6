"""An archived run is found as it was, by its uuid, its process, its dataset and its days."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from data_platform.catalog import Catalog
from data_platform.catalog.database import open_database
from data_platform.catalog.lineage_table import PROCESS_RUN, RUN_EVENT
from data_platform.errors import EnvironmentProblem, InputError, UsageError
from data_platform_tests.catalog.retention.past import NOW, OLD, START, event, fill, registered, run, tell, uuid_of

FIRST, LAST = START.date(), START.date() + timedelta(days=30)


def archive(catalog: Catalog, folder: Path) -> None:
    catalog.registry.archive(older_than=OLD, folder=folder, now=NOW)


def test_a_run_and_its_events_come_back_as_they_were(catalog: Catalog, catalog_url: str, tmp_path: Path) -> None:
    nominal = {"nominalTime": {"nominalStartTime": START.isoformat()}, "custom": {"größe": [1, None, "é"]}}
    document = event("r", "FAIL", START + timedelta(microseconds=123456))
    document["run"]["facets"] = nominal | {"errorMessage": {"message": "it broke"}}
    tell(catalog, document)
    database = open_database(catalog_url)
    with database.reading() as connection:
        (before,) = connection.execute(select(PROCESS_RUN)).mappings().all()
        (event_before,) = connection.execute(select(RUN_EVENT)).mappings().all()
    database.close()

    archive(catalog, tmp_path / "a")

    assert catalog.registry.archived_run(uuid_of("r")) == dict(before)
    assert catalog.registry.archived_events(uuid_of("r")) == [dict(event_before)]
    assert catalog.registry.archived_run(uuid_of("another")) is None


def test_runs_are_found_by_process_dataset_and_days(catalog: Catalog, tmp_path: Path) -> None:
    fill(catalog)
    archive(catalog, tmp_path / "a")

    def found(**asked: str | date | int) -> list[str]:
        runs = catalog.registry.archived_runs(**{"first": FIRST, "last": LAST, **asked})  # type: ignore[arg-type]
        names = {uuid_of(name): name for day in range(3) for name in (f"good {day}", f"bad {day}", "endless")}
        return [names[run["run_uuid"]] for run in runs]

    assert found(process="AUTOSYS/check") == ["bad 2", "bad 1", "bad 0"]
    assert set(found(process="AUTOSYS/load")) == {"good 2", "good 1", "good 0", "endless"}
    assert found(dataset="ds://ops/check_out") == ["bad 2", "bad 1", "bad 0"]
    assert len(found(dataset="ds://ops/orders")) == 7
    assert found(process="AUTOSYS/load", dataset="ds://ops/check_out") == []
    second = FIRST + timedelta(days=1)
    assert found(first=second, last=second) == ["bad 1", "good 1"]
    assert found(limit=1) == ["bad 2"]
    assert found(first=date.min, last=date(2020, 1, 1)) == []


def test_a_late_event_is_seen_beside_what_is_archived(catalog: Catalog, tmp_path: Path) -> None:
    run(catalog, "r", START, end=None)
    archive(catalog, tmp_path / "a")

    tell(catalog, event("r", "COMPLETE", START + timedelta(days=100)), heard=NOW)

    (found,) = catalog.registry.archived_runs(first=START.date(), last=NOW.date())
    assert found["status"] == "COMPLETED"
    assert (catalog.registry.archived_run(uuid_of("r")) or {})["status"] == "COMPLETED"


def test_nothing_is_archived_yet(catalog: Catalog) -> None:
    assert catalog.registry.archived_run(uuid_of("r")) is None
    assert catalog.registry.archived_runs(first=FIRST, last=LAST) == []
    assert catalog.registry.archived_events(uuid_of("r")) == []


def test_unknown_values_are_reported(catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="there is no process AUTOSYS/x"):
        catalog.registry.archived_runs(first=FIRST, last=LAST, process="AUTOSYS/x")
    with pytest.raises(UsageError, match="there is no dataset x"):
        catalog.registry.archived_runs(first=FIRST, last=LAST, dataset="x")


@pytest.mark.parametrize(("first", "last", "limit"), [(LAST, FIRST, 1), (FIRST, date.max, 1), (FIRST, LAST, 0)])
def test_days_and_limits_that_make_no_sense_are_refused(catalog: Catalog, first: date, last: date, limit: int) -> None:
    with pytest.raises(InputError):
        catalog.registry.archived_runs(first=first, last=last, limit=limit)


@pytest.mark.parametrize("harm", ["gone", "cut"])
def test_an_incomplete_file_is_reported_and_not_skipped(
    catalog: Catalog, catalog_url: str, tmp_path: Path, harm: str
) -> None:
    fill(catalog)
    archive(catalog, tmp_path / "a")
    path = next(Path(file.path) for file in registered(catalog_url) if file.kind == "process_run")
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:100])

    with pytest.raises(EnvironmentProblem, match=r"the archive cannot be read: .* put it back"):
        catalog.registry.archived_runs(first=FIRST, last=LAST)
