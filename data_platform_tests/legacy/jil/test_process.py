"""A job's fields, its schedule, and the findings for invalid values."""

import pytest

from data_platform.model.legacy import LegacyProcess, LegacySchedule, process_key
from data_platform.model.legacy_coverage import Concern
from data_platform_tests.legacy.example import scanned, told


def job(*lines: str) -> LegacyProcess:
    [process] = scanned("\n".join(["insert_job: A", *lines])).processes
    return process


def findings(*lines: str) -> list[str]:
    return told(scanned("\n".join(["insert_job: A", *lines])))


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        pytest.param(("JOB", "BOX"), "AUTOSYS/BOX/JOB", id="in a box"),
        pytest.param(("JOB",), "AUTOSYS/JOB", id="in no box"),
        pytest.param(("A/B",), "AUTOSYS/A%2FB", id="a slash in a name is no box"),
    ],
)
def test_the_key_contains_box_and_instance_of_the_job(arguments: tuple[str, ...], key: str) -> None:
    assert process_key(*arguments) == key


def test_the_key_of_another_instances_job_names_the_instance() -> None:
    assert process_key("JOB", instance="PRD") == "AUTOSYS/JOB^PRD"


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        pytest.param("job_type: cmd", "kind", "CMD", id="command"),
        pytest.param("job_type: B", "kind", "BOX", id="box"),
        pytest.param("job_type: ft", "kind", "FW", id="file trigger"),
        pytest.param("job_type: SQL", "kind", "other:SQL", id="another type"),
        pytest.param("owner: o", "kind", "CMD", id="no type is a command"),
        pytest.param('owner: "o@h"', "owner", "o@h", id="quotes"),
        pytest.param("machine: a, b", "machines", ("a", "b"), id="machines"),
        pytest.param("command: C\\:\\\\x.exe", "command", "C:\\\\x.exe", id="an escaped colon"),
        pytest.param('command: "/my script" -x', "command", '"/my script" -x', id="a command keeps its quotes"),
        pytest.param('command: "/my script"', "command", '"/my script"', id="even round the whole"),
        pytest.param('description: "a ""b"" \\"c\\""', "description", 'a "b" "c"', id="quotes in quotes"),
        pytest.param(
            "description: call 212-555-0147", "description", "call [REDACTED:PHONE]", id="a personal value in free text"
        ),
        pytest.param("description: 'a'", "description", "'a'", id="single quotes are text"),
        pytest.param('description: "a" and "b"', "description", '"a" and "b"', id="two quoted words"),
        pytest.param("watch_file: “/x y”", "watch_file", "/x y", id="typographic quotes"),
        pytest.param("frob: 1", "attributes", (("frob", "1"),), id="an unknown attribute is kept"),
        pytest.param("n_retrys: 2", "attributes", (("n_retrys", "2"),), id="one that means nothing here, too"),
        pytest.param("envvars: A\nenvvars: B", "attributes", (("envvars", "A"), ("envvars", "B")), id="several"),
        pytest.param("password: x", "attributes", (("password", "***"),), id="one that is secret by its name"),
        pytest.param("condition: s(B", "attributes", (("condition", "s(B"),), id="a condition that is none"),
        pytest.param("condition: s(B", "condition", None, id="is no condition"),
        pytest.param('condition: "s(B) & s(C)"', "condition", "success(B) and success(C)", id="one in quotes"),
        pytest.param("command: a $$X ${Y} $${Z}", "text_globals", ("X", "Z"), id="globals in texts"),
        pytest.param("condition: v(X) = 1", "condition_globals", ("X",), id="globals in conditions"),
    ],
)  # fmt: skip
def test_a_field_is_what_its_attribute_means(line: str, field: str, value: object) -> None:
    assert getattr(job(line), field) == value


def test_a_schedule_has_all_times_of_the_clock() -> None:
    found = job(
        "date_conditions: y", "days_of_week: mo, TU,mo", 'start_times: "9:05, 21\\:30"', "timezone: US/Eastern",
        "exclude_calendar: HOL", "run_window: 22:30 - 02:00", "must_start_times: +5", 'must_complete_times: "23:00"',
    ).schedule  # fmt: skip

    assert found == LegacySchedule(
        active=True,
        days=("mo", "tu"),
        start_times=("09:05", "21:30"),
        exclude_calendar="HOL",
        run_window="22:30-02:00",
        must_start_times=("+5",),
        must_complete_times=("23:00",),
        time_zone="US/Eastern",
    )


def test_a_job_that_the_clock_does_not_start_has_no_schedule() -> None:
    assert job("machine: m").schedule is None
    assert job("date_conditions: 0").schedule is None


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        pytest.param(["date_conditions: 1", "start_times: 25:00"], "A.start_times: an item is not a time", id="hour"),
        pytest.param(["date_conditions: 1", "days_of_week: mon-fri"], "A.days_of_week: an item is not mo,", id="day"),
        pytest.param(["date_conditions: 1", "start_mins: 60"], "A.start_mins: an item is not a minute", id="minute"),
        pytest.param(["date_conditions: 1", "run_window: x"], "A.run_window: not a window of two times", id="window"),
        pytest.param(["date_conditions: maybe"], "A.date_conditions: neither yes nor no", id="neither"),
        pytest.param(
            ["date_conditions: 1", "timezone: Mars/X"], "A.timezone: is not in the time zone database", id="zone"
        ),
        pytest.param(
            ["date_conditions: 1", "timezone: ../x"], "A.timezone: is not in the time zone database", id="a path"
        ),
        pytest.param(["date_conditions: 0", "start_times: 1:00"], "the times of this job start nothing", id="idle"),
        pytest.param(
            ["date_conditions: 1", "start_times: 1:00", "start_mins: 1"],
            "is set as well as start_times",
            id="both times",
        ),
        pytest.param(
            ["date_conditions: 1", "days_of_week: mo", "run_calendar: C"],
            "is set as well as days_of_week",
            id="both days",
        ),
        pytest.param(["job_type: SQL"], "A.job_type: 'SQL' is a job type of which", id="type"),
        pytest.param(["command: echo \"x"], "A.command: an odd number of quotes", id="quotes"),
        pytest.param(["box_name: B"], "A: is in box B, which no file has", id="no such box"),
        pytest.param(["box_name: B", "insert_job: B job_type: c"], "A: is in B, which is not a box", id="no box"),
        pytest.param(["condition: s(B)"], "names job B, which no file has", id="dangling"),
        pytest.param(["condition: s(A)"], "A: waits for itself", id="a job that waits for itself"),
        pytest.param(
            ["box_name: B", "condition: s(C)", "insert_job: B job_type: b box_name: C", "insert_job: C job_type: b"],
            "A.condition: waits for the end of C, the box that it is in, so it never starts",
            id="a job that waits for its own box",
        ),
        pytest.param(["condition: s(B)", "insert_job: B", "condition: d(A)"], "2 jobs wait for each", id="deadlock"),
    ],
)  # fmt: skip
def test_invalid_values_are_reported(lines: list[str], said: str) -> None:
    assert any(said in finding for finding in findings(*lines)), findings(*lines)


def test_what_could_not_be_read_of_a_schedule_is_kept_as_it_was_written() -> None:
    found = job("date_conditions: 1", "start_times: 9:00, noon")

    assert found.schedule is not None
    assert found.schedule.start_times == ("09:00",)
    assert found.attributes == (("start_times", "9:00, noon"),)


def test_no_finding_quotes_a_value() -> None:
    found = scanned(
        "insert_job: A\ncondition: s(Example-Pw\nstart_times: Example-Pw\nExample-Pw here\nfrob: Example-Pw\n"
        "insert_job: A\ncommand: run --password=Example-Pw\ninsert_job: B Example-Pw\n"
    )

    assert len(found.coverage.findings) > 5
    assert "Example-Pw" not in repr(found.coverage.findings)


def test_the_states_of_edges_are_kept_apart() -> None:
    found = scanned("insert_job: A\ninsert_job: B\ncondition: e(A) >= 4 & e(A) < 8 & s(A,0) & s(A,9999) & s(A) & s(A)")

    assert [(e.state, e.comparison, e.look_back, e.latching) for e in found.edges] == [
        ("exitcode", ">= 4", None, True),
        ("exitcode", "< 8", None, True),
        ("success", None, "since_own_last_end", True),
        ("success", None, "unlimited", True),
        ("success", None, None, True),
    ]


def test_coverage_counts_read_kept_and_unknown_attributes() -> None:
    found = scanned("insert_job: A job_type: c\nmachine: m\nn_retrys: 1\nfrob: 1\ndelete_job: A\nfrob: 2\n# c\n\n")

    assert found.coverage.statements == (("delete_job", 1), ("insert_job", 1))
    assert (found.coverage.read, found.coverage.kept, found.coverage.unknown) == (2, 1, 2)
    assert found.coverage.lines == 8
    assert told(found, Concern.ATTRIBUTE) == [
        "1.jil:4: A.frob: is an unknown attribute of insert_job; it is stored unchanged with the job",
        "1.jil:6: A.frob: is an unknown attribute of delete_job",
    ]
