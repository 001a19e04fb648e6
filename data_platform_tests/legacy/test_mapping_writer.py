"""A scan as a mapping file: values of JIL are merged with declared ones, and always written the same."""

from typing import Any

import pytest
import yaml

from data_platform.legacy.mapping import JobMapping, LegacyMapping
from data_platform.legacy.mapping_writer import declaration
from data_platform.legacy.merged_mapping import Declarations
from data_platform_tests.legacy.example import scanned

ESTATE = """\
insert_job: NIGHT job_type: b
insert_job: W job_type: f
box_name: NIGHT
owner: risk@host
watch_file: /in/gl.dat
insert_job: LOAD job_type: c
box_name: NIGHT
owner: svc-risk@host
description: "books the day"
condition: s(W)
date_conditions: 1
days_of_week: {days}
start_times: "22:00"
must_complete_times: "{done}"
timezone: {zone}
insert_job: IDLE job_type: c
"""
WRITES = {"hand.yaml": LegacyMapping(jobs=(JobMapping(job="LOA*", outputs=("ds://risk/ledger",)),))}


def declared(days: str = "all", done: str = "23:00", zone: str = "Europe/Berlin", **more: Any) -> dict[str, Any]:
    return declaration(scanned(ESTATE.format(days=days, done=done, zone=zone), **more))


def job(found: dict[str, Any], name: str) -> dict[str, Any]:
    (one,) = (job for job in found["jobs"] if job["job"] == name)
    return one


def test_a_job_is_written_with_its_jil_attributes() -> None:
    found = declared()

    assert found["watch_files"] == [{"pattern": "/in/gl.dat", "dataset": "ds://legacy/in_gl"}]
    assert [job["job"] for job in found["jobs"]] == ["W", "LOAD"]
    assert job(found, "LOAD") == {
        "job": "LOAD",
        "box": "NIGHT",
        "inputs": ["ds://legacy/in_gl"],
        "team": "svc-risk",
        "description": "books the day",
        "schedule": "all 22:00 Europe/Berlin",
        "condition": "success(W)",
        "freshness": {"expected_update_by": "23:00 Europe/Berlin daily"},
    }


def test_it_is_a_mapping_file_and_comes_back_as_it_was_written() -> None:
    found = declared()

    again = yaml.safe_load(yaml.safe_dump(found))

    assert again == found
    assert [one.job for one in LegacyMapping.model_validate(again).jobs] == ["W", "LOAD"]


@pytest.mark.parametrize(
    ("given", "deadline"),
    [
        ({"days": "mo,tu,we,th,fr"}, "23:00 Europe/Berlin weekdays"),
        ({"done": "05:30, 23:15"}, "23:15 Europe/Berlin daily"),
        ({"days": "mo,tu"}, None),
        ({"done": "+15"}, None),
        ({"zone": "SomewhereElse"}, None),
    ],
)
def test_a_deadline_is_written_if_it_can_be_expressed(given: dict[str, str], deadline: str | None) -> None:
    said = job(declared(**given), "LOAD").get("freshness")

    assert said == (None if deadline is None else {"expected_update_by": deadline})


def test_declared_outputs_of_a_job_are_merged_with_those_of_jil() -> None:
    mine = LegacyMapping.model_validate(declared())

    found = {one.urn: one for one in Declarations({"legacy/estate.yaml": mine, **WRITES}).datasets()}

    (made_by,) = found["ds://risk/ledger"].jobs
    assert (made_by.job, made_by.box, made_by.team) == ("LOAD", "NIGHT", "svc-risk")
    assert made_by.freshness is not None
    assert list(found["ds://risk/ledger"].inputs) == ["ds://legacy/in_gl"]
    assert found["ds://legacy/in_gl"].patterns == ["/in/gl.dat"]


def test_declared_values_override_those_of_jil() -> None:
    mine = LegacyMapping.model_validate(declared())
    hand = LegacyMapping(jobs=(JobMapping(job="LOAD", outputs=("ds://risk/ledger",), team="ledger"),))

    (ledger,) = (
        one for one in Declarations({"a.yaml": mine, "hand.yaml": hand}).datasets() if one.urn == "ds://risk/ledger"
    )

    assert [(made.team, made.box) for made in ledger.jobs] == [("ledger", "NIGHT")]


def test_a_pattern_that_matches_no_named_job_stays_one() -> None:
    (ledger,) = Declarations(WRITES).datasets()

    assert [made.job for made in ledger.jobs] == ["LOA*"]
