"""A scan finds exactly the graph that was written, in any layout, and accepts any bytes."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source
from data_platform.model.legacy import LegacyScan
from data_platform.model.legacy_coverage import Concern
from data_platform_tests.legacy.example import CASES, jobs
from data_platform_tests.legacy.jil.generated import GeneratedEstate, estates


def scanned_estate(estate: GeneratedEstate) -> LegacyScan:
    return scan([Source(f"{number}.jil", content) for number, content in enumerate(estate.files)])


def edges(found: LegacyScan) -> set[tuple[str, str, str, str]]:
    return {
        (f"{e.upstream_job}^{e.instance}" if e.instance else e.upstream_job, e.downstream_job, e.state, e.via)
        for e in found.edges
    }


def refused(found: LegacyScan) -> set[str]:
    """The jobs whose condition a finding names."""
    told_of = (f.subject.removesuffix(".condition") for f in found.coverage.findings if f.concern is Concern.CONDITION)
    return set(told_of)


@given(estates())
def test_precision_and_recall_are_one_and_each_refusal_is_named(estate: GeneratedEstate) -> None:
    found = scanned_estate(estate)

    assert edges(found) == estate.edges
    assert {p.name: p.box for p in found.processes} == estate.boxes
    assert refused(found) == estate.refused
    assert {gap.concern for gap in found.coverage.gaps} <= {Concern.CONDITION}


@given(estates())
def test_no_password_of_a_command_is_in_the_scan(estate: GeneratedEstate) -> None:
    text = repr(scanned_estate(estate))

    assert [secret for secret in estate.secrets if secret in text] == []


@given(estates())
def test_statements_that_delete_or_rename_jobs_are_recorded(estate: GeneratedEstate) -> None:
    found = scanned_estate(estate)

    assert dict(found.renamed) == estate.renamed
    assert set(found.deleted) == estate.deleted


@given(estates())
def test_each_edge_connects_two_processes_by_their_keys(estate: GeneratedEstate) -> None:
    found = scanned_estate(estate)

    keys = {process.key for process in found.processes}
    assert len(keys) == len(found.processes)
    for edge in found.edges:
        assert edge.downstream in keys
        assert (edge.upstream in keys) is not (edge.dangling or edge.external)


@given(st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_scanned(content: bytes) -> None:
    found = scan([Source("a.jil", content)])

    assert found.coverage.files == ("a.jil",)
    assert json.dumps([str(finding) for finding in found.coverage.findings])


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.data())
def test_a_damaged_file_costs_another_file_nothing(random: Random, data: st.DataObject) -> None:
    sound = b"insert_job: SOUND job_type: c\nmachine: m\n"
    path = data.draw(st.sampled_from(sorted(CASES.glob("*/*.jil"))))
    damaged = bytearray(path.read_bytes())
    for _ in range(random.randint(1, 20)):
        place = random.randrange(len(damaged))
        noise = random.choices(b'/*"\\()&|:\n #\x00\xff', k=random.randint(0, 3))
        damaged[place : place + random.randint(0, 3)] = bytes(noise)

    found = scan([Source("0.jil", sound), Source("1.jil", bytes(damaged))])

    assert "SOUND" in jobs(found)


RENAMES = b"".join(b"rename_job: J%d\nnew_name: J%d\n" % (n, n + 1) for n in range(10_000))
HOSTILE = {
    "one long line": b"insert_job: " + b"A" * 300_000,
    "a long line of keys": b"insert_job: A " + b"machine: m " * 30_000,
    "open quotes": b"insert_job: A\ndescription: " + b'\\"' * 150_000,
    "many quotes": b"insert_job: A " + b'" ' * 150_000,
    "comments in a line": b"insert_job: A\ncommand: x" + b" /* a */" * 40_000,
    "opened comments in a line": b"insert_job: A\ncommand: x" + b" /* a" * 60_000 + b" */",
    "comments at a line's start": b"/**/" * 80_000 + b"insert_job: A",
    "comments that are never closed": b"insert_job: A\n" + b"/* a\n" * 60_000,
    "values that open comments": b"insert_job: A\n" + b"machine: m /* a\n" * 20_000,
    "stray lines": b"insert_job: A\n" + b"stray\n" * 50_000,
    "quoted lines": b"insert_job: A\n" + b'description: "a\n' * 20_000,
    "a condition of many lines": b"insert_job: A\ncondition: s(A)" + b" &\n s(A)" * 30_000,
    "a list of many lines": b"insert_job: A\nstart_times: 1" + b",\n 1" * 60_000,
    "a command of many lines": b"insert_job: A\ncommand: a" + b" \\\n b" * 60_000,
    "digits that are no list": b"insert_job: A\nstart_mins: 1\n" + b"1" * 200_000 + b"x",
    "deep parentheses": b"insert_job: A\ncondition: " + b"(" * 100_000 + b"s(A)" + b")" * 100_000,
    "deep right sides": b"insert_job: A\ncondition: " + b"s(A)&(" * 40_000 + b"s(A)" + b")" * 40_000,
    "parentheses that are not closed": b"insert_job: A\ncondition: " + b"(" * 200_000,
    "boxes in boxes": b"".join(b"insert_job: B%d job_type: b\nbox_name: B%d\n" % (n, n - 1) for n in range(10_000)),
    "a chain of jobs": b"".join(b"insert_job: J%d\ncondition: s(J%d)\n" % (n, n - 1) for n in range(10_000)),
    "one job renamed": b"insert_job: J0\n" + RENAMES,
    "one job updated": b"insert_job: J\n" + b"update_job: J\nbox_name: B\n" * 10_000,
    "set-global commands": b"sendevent SET_GLOBAL " * 15_000,
    "passwords": b"insert_job: A\ncommand: " + b"-p x --password= isql -P " * 12_000,
    "slashes": b"insert_job: A\ncommand: " + b"://a:" * 60_000,
    "NUL": b"\x00" * 300_000 + b"a",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_scanned_to_its_end(content: bytes) -> None:
    """Were a part of the scan quadratic, some would take many minutes; ``bench/jil_scan.py`` measures the growth."""
    found = scan([Source("a.jil", content), Source("b.jil", b"insert_job: LAST job_type: c\n")])

    assert found.processes[-1].name == "LAST"
    assert found.coverage.lines == content.count(b"\n") + (not content.endswith(b"\n")) + 1


def test_files_joined_with_their_byte_order_marks_are_read_like_the_files() -> None:
    parts = ["insert_job: A job_type: c\ncommand: x\n", "insert_job: B job_type: c\ncommand: y\ncondition: s(A)\n"]
    joined = scan([Source("joined.jil", b"".join(part.encode("utf-8-sig") for part in parts))])

    assert [(job.name, job.command) for job in joined.processes] == [("A", "x"), ("B", "y")]
    assert edges(joined) == {("A", "B", "success", "condition")}
