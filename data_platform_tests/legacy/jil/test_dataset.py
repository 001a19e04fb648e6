"""Datasets are found from watch files and from mappings, and patterns that match nothing are reported."""

import pytest

from data_platform.legacy.jil.dataset import urn_of
from data_platform.legacy.mapping import JobMapping, LegacyMapping, WatchFileMapping
from data_platform.model.dataset import DatasetId
from data_platform.model.legacy import LegacyScan
from data_platform.model.legacy_coverage import Concern
from data_platform_tests.legacy.example import scanned, told

WATCHED = """\
insert_job: W job_type: f
watch_file: /in/gl_$$DAY.dat
insert_job: LOAD job_type: c
condition: s(W)
insert_job: PAGE job_type: c
condition: f(W)
"""
LEDGER, TRADES = "ds://finance/ledger", "ds://finance/trades"


def mapping(*files: tuple[str, str], jobs: tuple[JobMapping, ...] = ()) -> LegacyMapping:
    return LegacyMapping(watch_files=tuple(WatchFileMapping(pattern=p, dataset=d) for p, d in files), jobs=jobs)


def links(found: LegacyScan) -> set[tuple[str, str, str, str]]:
    return {(link.process.removeprefix("AUTOSYS/"), link.dataset, link.direction, link.origin) for link in found.links}


@pytest.mark.parametrize(
    ("path", "urn"),
    [
        pytest.param("/data/in/gl_$$BUS_DATE.dat", "ds://legacy/data_in_gl", id="a global"),
        pytest.param("/landing/ELIG_%%DATE%%.done", "ds://legacy/landing_elig", id="a date"),
        pytest.param("/in/ap_*.csv", "ds://legacy/in_ap", id="a star"),
        pytest.param("/in/my file.dat", "ds://legacy/in_my_file", id="a blank"),
        pytest.param("C:\\in\\feed.txt", "ds://legacy/in_feed", id="a drive"),
        pytest.param("2025/x", "ds://legacy/file_2025_x", id="a digit first"),
        pytest.param("$$FILE", None, id="nothing but a variable"),
        pytest.param("/données/é.dat", "ds://legacy/donn_es", id="letters that a name does not have"),
    ],
)
def test_a_dataset_is_named_by_its_path(path: str, urn: str | None) -> None:
    assert urn_of(path) == urn
    assert urn is None or DatasetId.parse(urn).urn == urn


def test_a_watcher_and_who_waits_for_its_success_read_the_watched_file() -> None:
    found = scanned(WATCHED)

    assert links(found) == {
        ("W", "ds://legacy/in_gl", "INPUT", "watch_file"),
        ("LOAD", "ds://legacy/in_gl", "INPUT", "after_watcher"),
    }
    assert [(d.mapped, d.paths) for d in found.datasets] == [(False, ("/in/gl_$$DAY.dat",))]


def test_a_mapping_names_watched_files_by_pattern_and_the_first_that_matches_counts() -> None:
    found = scanned(WATCHED, mapping=mapping(("/in/gl_*.dat", LEDGER), ("/in/*", TRADES)))

    assert {d.urn: d.mapped for d in found.datasets} == {LEDGER: True}
    assert told(found, Concern.DATASET) == [
        "legacy/map.yaml: /in/*: matches nothing in the scanned files; correct it, or remove it"
    ]


def test_a_mapping_of_a_job_replaces_what_is_inferred() -> None:
    said = JobMapping(job="LO*", inputs=(TRADES,), outputs=(LEDGER,))

    found = scanned(WATCHED, mapping=mapping(jobs=(said,)))

    assert {link for link in links(found) if link[0] == "LOAD"} == {
        ("LOAD", TRADES, "INPUT", "mapping"),
        ("LOAD", LEDGER, "OUTPUT", "mapping"),
    }


def test_outputs_alone_leave_the_inferred_inputs() -> None:
    found = scanned(WATCHED, mapping=mapping(jobs=(JobMapping(job="LOAD", outputs=(LEDGER,)),)))

    assert ("LOAD", "ds://legacy/in_gl", "INPUT", "after_watcher") in links(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("insert_job: W job_type: f\nwatch_file: $$F", "no dataset's name can be made", id="no name"),
        pytest.param(
            "insert_job: V job_type: f\nwatch_file: /in/a-b\ninsert_job: W job_type: f\nwatch_file: /in/a_b",
            "is the name of another watch file already",
            id="two paths of one name",
        ),
    ],
)
def test_a_watch_file_without_a_dataset_name_is_reported_and_not_guessed(text: str, said: str) -> None:
    found = scanned(text)

    assert any(said in line and "W.watch_file" in line for line in told(found, Concern.DATASET))
    assert not [link for link in found.links if link.process == "AUTOSYS/W"]
