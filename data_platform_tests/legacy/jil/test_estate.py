"""Statements change the estate in order, as the scheduler would apply them."""

import pytest

from data_platform.model.legacy_coverage import Concern
from data_platform_tests.legacy.example import jobs, pairs, scanned, told

BOXED = "insert_job: B job_type: b\ninsert_job: M job_type: c box_name: B\ninsert_job: N job_type: b box_name: B\n"
NESTED = BOXED + "insert_job: O job_type: c box_name: N\ninsert_job: FREE job_type: c\n"


def test_an_update_changes_what_it_names_and_takes_away_what_it_empties() -> None:
    found = scanned(
        "insert_job: A job_type: c\nmachine: m\nowner: o\ncommand: x\ndescription: d\n"
        "update_job: A\nmachine: n\nowner:\ndescription: NULL\n"
    )

    [job] = found.processes
    assert (job.machines, job.owner, job.command, job.description) == (("n",), "", "x", "")


def test_an_update_moves_a_job_to_another_box_and_its_key_with_it() -> None:
    found = scanned(NESTED, "update_job: M\nbox_name: N")

    assert jobs(found)["M"].key == "AUTOSYS/N/M"
    assert found.boxes == {"B": ("N",), "N": ("M", "O")}


def test_an_override_is_for_one_run_and_changes_nothing_else() -> None:
    found = scanned("insert_job: A\nmachine: m\noverride_job: A\nmachine: n\ncondition: s(B)")

    [job] = found.processes
    assert job.machines == ("m",)
    assert job.overrides == (("condition", "s(B)"), ("machine", "n"))
    assert found.edges == ()


def test_an_override_can_be_taken_back() -> None:
    found = scanned("insert_job: A\noverride_job: A\nmachine: n\noverride_job: A delete")

    assert found.processes[0].overrides == ()
    assert told(found) == []


def test_deleting_a_box_as_a_job_leaves_its_jobs_without_a_box() -> None:
    found = scanned(NESTED, "delete_job: B")

    assert {p.name: p.box for p in found.processes} == {"M": None, "N": None, "O": "N", "FREE": None}
    assert found.deleted == ("B",)


def test_deleting_a_box_as_a_box_takes_all_that_it_holds() -> None:
    found = scanned(NESTED, "delete_box: B")

    assert [p.name for p in found.processes] == ["FREE"]
    assert set(found.deleted) == {"B", "M", "N", "O"}


def test_boxes_that_contain_each_other_are_deleted_once_and_reported() -> None:
    circle = "insert_job: A job_type: b box_name: B\ninsert_job: B job_type: b box_name: A\n"

    assert told(scanned(circle), Concern.CYCLE) == ["1.jil:1: A: boxes contain each other: A, B"]
    assert scanned(circle, "delete_box: A").processes == ()


def test_a_job_that_is_inserted_again_after_it_was_deleted_is_there() -> None:
    found = scanned("insert_job: A\nmachine: m", "delete_job: A\ninsert_job: A\nmachine: n")

    assert [p.machines for p in found.processes] == [("n",)]
    assert found.deleted == ()


def test_a_rename_takes_the_boxs_jobs_along_and_leaves_conditions_alone() -> None:
    found = scanned(
        NESTED + "insert_job: W\ncondition: s(N)\n", "rename_job: N\nnew_name: N2\nrename_job: N2\nnew_name: N3"
    )

    assert jobs(found)["O"].key == "AUTOSYS/N3/O"
    assert found.renamed == (("N", "N3"),)
    assert told(found) == [
        "1.jil:7: W.condition: names job N, which no file has under that name: it was renamed to N3; it is never true"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("insert_job: A\ninsert_job: A", "1.jil:2: A: already inserted at 1.jil:1", id="twice"),
        pytest.param("update_job: X\nmachine: m", "1.jil:1: X: update_job of a job that no statement", id="update"),
        pytest.param("override_job: X\nmachine: m", "1.jil:1: X: override_job of a job that no", id="override"),
        pytest.param("delete_job: X", "1.jil:1: X: delete_job of a job that no statement", id="delete"),
        pytest.param("delete_box: X", "1.jil:1: X: delete_box of a job that no statement", id="delete a box"),
        pytest.param("insert_job: A\ndelete_box: A", "1.jil:2: A: is not a box and was not deleted", id="no box"),
        pytest.param("rename_job: X\nnew_name: Y", "1.jil:1: X: rename_job of a job that no", id="rename"),
        pytest.param("insert_job: A\nrename_job: A", "1.jil:2: A: rename_job needs new_name", id="no new name"),
        pytest.param(
            "insert_job: A\ninsert_job: B\nrename_job: A\nnew_name: B", "already belongs to another job", id="taken"
        ),
        pytest.param("insert_job:\nmachine: m", "1.jil:1: insert_job: has no name", id="no name"),
        pytest.param("insert_zebra: A", "1.jil:1: A: insert_zebra is an unknown statement", id="unknown"),
        pytest.param("insert_resource: A", "insert_resource is JIL, but the registry does not store it", id="no place"),
        pytest.param("insert_job: A\nmachine: m\nmachine: n", "A.machine: appears twice, first at", id="attribute"),
        pytest.param("delete_machine: M", "1.jil:1: M: no file has this machine", id="delete a machine"),
        pytest.param("update_machine: M\nport: 1", "1.jil:1: M: no file inserts this machine", id="update a machine"),
        pytest.param("insert_machine: M\ninsert_machine: M", "1.jil:2: M: already inserted at 1.jil:1", id="machines"),
    ],
)
def test_what_cannot_be_applied_is_named_with_its_line(text: str, said: str) -> None:
    found = scanned(text)

    assert any(said in line for line in told(found)), told(found)
    assert found.coverage.gaps


def test_an_unknown_statement_takes_its_attributes_from_the_job_before_it() -> None:
    found = scanned("insert_job: A\nmachine: m\nupdate_zebra: Z\nmachine: n\n")

    assert jobs(found)["A"].machines == ("m",)
    assert [(gap.line, gap.concern) for gap in found.coverage.gaps] == [(3, Concern.STATEMENT), (4, Concern.ATTRIBUTE)]


def test_machines_calendars_globals_and_instances_are_kept_beside_the_jobs() -> None:
    found = scanned(
        "insert_machine: pool\ntype: v\nmachine: a\nmax_load: 4\nmachine: b\n"
        "insert_xinst: PRD\nxtype: a\n"
        "calendar: HOL\n01/01/2025 00:00\n12/25/2025 00:00\n\n"
        "extended_calendar: BUS\nworkday: mo,tu\ncondition: WORKD\n"
        'insert_global: READY\nvalue: Y\nsendevent -E SET_GLOBAL -G "DB_PASSWORD=Example-Pw1"\n'
        "insert_machine: gone\ndelete_machine: gone\n"
    )

    assert {(o.kind, o.name): o.attributes for o in found.objects} == {
        ("machine", "pool"): (("type", "v"), ("machine", "a"), ("max_load", "4"), ("machine", "b")),
        ("xinst", "PRD"): (("xtype", "a"),),
        ("calendar", "HOL"): (("dates", "01/01/2025 00:00"), ("dates", "12/25/2025 00:00")),
        ("calendar", "BUS"): (("workday", "mo,tu"), ("condition", "WORKD")),
        ("global", "READY"): (("value", "Y"),),
        ("global", "DB_PASSWORD"): (("value", "***"),),
    }
    assert found.coverage.gaps == ()


def test_files_are_applied_in_the_order_in_which_they_are_given() -> None:
    insert, update = "insert_job: A\ncondition: s(B)\ninsert_job: B\ninsert_job: C", "update_job: A\ncondition: s(C)"

    assert pairs(scanned(insert, update)) == {("C", "A")}
    assert pairs(scanned(update, insert)) == {("B", "A")}
