"""Calendars that a job names are defined and not over, where calendars are given at all."""

from datetime import date

import pytest

from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source
from data_platform_tests.case import CASES

C57 = CASES / "C57_jil_calendars_zones_types_resources"
TODAY = date(2026, 11, 29)
DEFINED = "calendar: {}\n"


def told(jil: str, *, today: date = TODAY) -> list[str]:
    findings = scan([Source("a.jil", jil.encode())], today=today).coverage.findings
    return [f"{one.subject}: {one.text}" for one in findings if "calendar" in one.subject]


def test_case_c57_reports_calendars_that_ended_or_are_missing() -> None:
    sources = [Source(name, (C57 / name).read_bytes()) for name in ("estate.jil", "calendars.txt")]

    findings = scan(sources, today=TODAY).coverage.findings

    told = {one.subject: one.text for one in findings}
    assert told["OLD_CAL.run_calendar"] == "calendar BUS_DAYS_2019 ended on 2019-12-31: it no longer starts this job"
    assert told["NO_CAL.run_calendar"] == "names calendar NOBODY_DEFINED_IT, which no file defines"
    assert not any(subject.startswith("CAL_BOX") and "calendar" in told[subject] for subject in told)
    assert {"TZ_CITY.timezone", "TZ_ALIAS.timezone", "DAYS_RANGE.days_of_week"} <= told.keys()


@pytest.mark.parametrize(
    ("jil", "problem"),
    [
        pytest.param("insert_job: J\nrun_calendar: GONE\n", None, id="no calendars were given"),
        pytest.param(
            "calendar: C\n12/31/2025 00:00\ninsert_job: J\nrun_calendar: C\n", "ended on 2025-12-31", id="over"
        ),
        pytest.param(
            "calendar: C\n31/12/2025\ninsert_job: J\nrun_calendar: C\n", "ended on 2025-12-31", id="day first"
        ),
        pytest.param("calendar: C\n11/29/2026\ninsert_job: J\nrun_calendar: C\n", None, id="its last day is today"),
        pytest.param(
            "calendar: C\n01/01/2020\ninsert_job: J\nexclude_calendar: C\n", "no longer excludes any day", id="excluded"
        ),
        pytest.param(
            "extended_calendar: X\nworkday: mo\ninsert_job: J\nrun_calendar: X\n", None, id="a rule never ends"
        ),
        pytest.param("calendar: C\n01/01/2030\ninsert_job: J\nrun_calendar: c\n", "no file defines", id="another case"),
        pytest.param(
            "calendar: C\n2019/12/31\ninsert_job: J\nrun_calendar: C\n", "ended on 2019-12-31", id="year first"
        ),
        pytest.param("calendar: C\ndates: 31.12.2019\ninsert_job: J\nrun_calendar: C\n", "ended on 2019", id="points"),
        pytest.param(
            "calendar: C\n20191231\ninsert_job: J\nrun_calendar: C\n", "ended on 2019-12-31", id="digits only"
        ),
        pytest.param("calendar: C\ninsert_job: J\nrun_calendar: C\n", "lists no day", id="no day"),
        pytest.param("calendar: C\n02/30/2027\ninsert_job: J\nrun_calendar: C\n", "lists no day", id="no such day"),
        pytest.param('calendar: C\n01/01/2030\ninsert_job: J\nrun_calendar: " C "\n', None, id="blanks in quotes"),
    ],
)
def test_a_problem_of_a_calendar_is_reported_for_its_job(jil: str, problem: str | None) -> None:
    found = told(jil)

    assert (len(found) == 1 and problem in found[0]) if problem else found == []
