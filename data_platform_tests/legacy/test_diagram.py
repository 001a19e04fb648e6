"""A picture shows each job once, below its box."""

from hypothesis import given

from data_platform.legacy.diagram import tree
from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source
from data_platform_tests.legacy.example import scanned
from data_platform_tests.legacy.jil.generated import GeneratedEstate, estates


def test_boxes_are_above_their_jobs() -> None:
    found = scanned(
        'insert_job: B job_type: b\ndate_conditions: 1\nstart_times: "21:30"\n'
        "insert_job: W job_type: f\nbox_name: B\ninsert_job: C job_type: b\nbox_name: B\ncondition: s(W)\n"
        "insert_job: X\nbox_name: C\ninsert_job: Q job_type: SQL\nbox_name: GONE\n"
    )

    assert list(tree(found)) == [
        "▣ B  at 21:30",
        "├─ [FW] W",
        "└─ ▣ C  when success(W)",
        "   └─ X",
        "[SQL] Q  in box GONE, which is not shown above it",
    ]


def test_boxes_that_hold_each_other_are_shown_once() -> None:
    found = scanned("insert_job: A job_type: b box_name: B\ninsert_job: B job_type: b box_name: A\n")

    assert list(tree(found)) == ["▣ A  in box B, which is not shown above it", "└─ ▣ B"]


def test_a_deep_estate_is_drawn() -> None:
    text = "".join(f"insert_job: B{n} job_type: b\nbox_name: B{n - 1}\n" for n in range(1, 2000))

    assert len(list(tree(scanned(text)))) == 1999


@given(estates())
def test_every_job_has_one_line(estate: GeneratedEstate) -> None:
    found = scan([Source(f"{number}.jil", content) for number, content in enumerate(estate.files)])

    assert len(list(tree(found))) == len(found.processes)
