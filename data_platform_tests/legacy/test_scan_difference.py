"""A second scan reports what changed, and nothing else."""

from hypothesis import given

from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source
from data_platform.legacy.scan_difference import difference
from data_platform_tests.legacy.example import scanned
from data_platform_tests.legacy.jil.generated import GeneratedEstate, estates

BEFORE = """\
insert_job: BOX job_type: b
insert_job: LOAD job_type: c
box_name: BOX
command: /load.sh
insert_job: REPORT job_type: c
condition: s(LOAD)
command: /report.sh
"""


def test_a_scan_of_the_same_files_changes_nothing() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE))

    assert found.is_empty
    assert found.unchanged == 3


def test_the_first_scan_adds_all() -> None:
    found = difference(scanned(), scanned(BEFORE))

    assert [process.name for process in found.added] == ["BOX", "LOAD", "REPORT"]
    assert len(found.edges_added) == 1


def test_another_layout_comment_or_spelling_is_no_change() -> None:
    after = BEFORE.replace("s(LOAD)", "SUCCESS( LOAD )").replace("insert_job: REPORT", "\n/* new */\ninsert_job:REPORT")

    assert difference(scanned(BEFORE), scanned(after)).is_empty


def test_a_changed_field_is_reported_with_both_values() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE.replace("/load.sh", "/load2.sh")))

    [change] = found.changed
    [field] = change.fields
    assert (change.new.name, field.field, field.before, field.after) == ("LOAD", "command", "/load.sh", "/load2.sh")
    assert found.unchanged == 2
    assert not found.is_empty


def test_a_changed_condition_is_a_changed_job_and_its_edges() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE.replace("s(LOAD)", "d(LOAD)")))

    assert [field.field for change in found.changed for field in change.fields] == ["condition"]
    assert [edge.state for edge in found.edges_added] == ["done"]
    assert [edge.state for edge in found.edges_removed] == ["success"]


def test_a_missing_job_is_retired_with_all_its_fields() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE, "delete_job: REPORT"))

    [gone] = found.retired
    assert (gone.name, gone.command) == ("REPORT", "/report.sh")
    assert (found.added, found.changed) == ((), ())
    assert len(found.edges_removed) == 1


def test_a_renamed_job_is_the_same_job() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE, "rename_job: LOAD\nnew_name: LOAD2"))

    [change] = found.renamed
    assert (change.old.key, change.new.key) == ("AUTOSYS/BOX/LOAD", "AUTOSYS/BOX/LOAD2")
    assert {field.field for field in change.fields} == {"key", "name"}
    assert (found.added, found.retired) == ((), ())


def test_a_job_that_moves_to_another_box_is_the_same_job_under_another_key() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE.replace("box_name: BOX\n", "")))

    [change] = found.renamed
    assert (change.old.key, change.new.key) == ("AUTOSYS/BOX/LOAD", "AUTOSYS/LOAD")


def test_two_jobs_that_look_alike_are_not_taken_for_one() -> None:
    found = difference(scanned(BEFORE), scanned(BEFORE.replace("REPORT", "REPORT2")))

    assert [process.name for process in found.added] == ["REPORT2"]
    assert [process.name for process in found.retired] == ["REPORT"]


def test_datasets_and_calendars_come_and_go() -> None:
    watcher = "insert_job: W job_type: f\nwatch_file: /in/a.dat\ncalendar: C\n01/01/2025\n"

    found = difference(scanned(watcher), scanned(watcher.replace("a.dat", "b.dat").replace("2025", "2026")))

    assert [d.urn for d in found.datasets_added] == ["ds://legacy/in_b"]
    assert [d.urn for d in found.datasets_removed] == ["ds://legacy/in_a"]
    assert len(found.links_added) == len(found.links_removed) == 1
    assert len(found.objects_added) == len(found.objects_removed) == 1


@given(estates(), estates())
def test_a_difference_turns_one_scan_into_the_other(one: GeneratedEstate, other: GeneratedEstate) -> None:
    before, after = (scan([Source(f"{n}.jil", c) for n, c in enumerate(e.files)]) for e in (one, other))

    found = difference(before, after)

    moved = [*found.changed, *found.renamed]
    gone = {p.name for p in found.retired} | {change.old.name for change in moved}
    kept = {p for p in before.processes if p.name not in gone}
    assert kept | set(found.added) | {change.new for change in moved} == set(after.processes)
    assert set(before.edges) - set(found.edges_removed) | set(found.edges_added) == set(after.edges)
    assert len(kept) == found.unchanged
    assert difference(after, after).is_empty
