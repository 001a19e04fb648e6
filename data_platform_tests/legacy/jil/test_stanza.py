"""Statements and attributes are found as people and exports write them, and no line is lost (case C38)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.legacy.jil.stanza import Stanzas, read_stanzas
from data_platform.legacy.jil.text import Source
from data_platform.model.legacy_coverage import Concern, Finding


def read(text: str) -> tuple[Stanzas, list[Finding]]:
    findings: list[Finding] = []
    return read_stanzas(Source("a.jil", text.encode()), findings), findings


def said(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """Statement, subject and attributes."""
    stanzas, _ = read(text)
    return [(s.kind, s.subject, {a.key: a.value for a in s.attributes}) for s in stanzas.statements]


def attributes(*lines: str) -> dict[str, str]:
    """Of one job."""
    [(_, _, found)] = said("\n".join(["insert_job: A", *lines]))
    return found


def concerns(text: str) -> list[tuple[int, Concern]]:
    return [(finding.line, finding.concern) for finding in read(text)[1]]


def one(**attributes: str) -> list[tuple[str, str, dict[str, str]]]:
    """One insert of job A."""
    return [("insert_job", "A", attributes)]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        pytest.param("insert_job: A   job_type: c", one(job_type="c"), id="as autorep prints it"),
        pytest.param("insert_job:A job_type:c", one(job_type="c"), id="without blanks"),
        pytest.param("INSERT_JOB : A\nMachine: m", one(machine="m"), id="upper case"),
        pytest.param("   insert_job: A   ", one(), id="padded"),
        pytest.param("/* A */ insert_job: A", one(), id="behind a comment"),
        pytest.param("/* 1\n2 */ /* 3\n*/ insert_job: A", one(), id="behind long comments"),
        pytest.param("insert_job: A /* c */ job_type: c /* d */", one(job_type="c"), id="between"),
        pytest.param("insert_job: n\\:b odd: 1", [("insert_job", "n\\:b", {"odd": "1"})], id="a colon in a name"),
        pytest.param(
            "insert_job: A job_type: c box_name: B machine: m1, m2 command: /x.sh -a condition: s(B) & s(C)",
            one(job_type="c", box_name="B", machine="m1, m2", command="/x.sh -a", condition="s(B) & s(C)"),
            id="a stanza on one line",
        ),
        pytest.param(
            'update_job: A start_times: "04:30" /* later */ update_job: B machine: m',
            [("update_job", "A", {"start_times": '"04:30"'}), ("update_job", "B", {"machine": "m"})],
            id="two statements on one line",
        ),
        pytest.param(
            'insert_job: A description: "a box_name: b" machine: m',
            [("insert_job", "A", {"description": '"a box_name: b"', "machine": "m"})],
            id="a quoted text holds no attribute",
        ),
        pytest.param("insert_job: A odd: 1 machine: m", one(odd="1", machine="m"), id="unknown"),
        pytest.param("insert_job: A\n\n\nmachine: m", one(machine="m"), id="blank lines"),
        pytest.param("insert_job: A\n# insert_job: B\nmachine: m", one(machine="m"), id="hash"),
        pytest.param(
            "calendar: HOL\n01/01/2025 00:00\n12/25/2025\n",
            [("calendar", "HOL", {"dates": "12/25/2025"})],
            id="an exported calendar",
        ),
    ],
)  # fmt: skip
def test_statements_are_found_however_they_are_laid_out(text: str, statements: list[object]) -> None:
    assert said(text) == statements


@pytest.mark.parametrize(
    ("lines", "key", "value"),
    [
        pytest.param(["command: a \\", "   b \\", "c"], "command", "a b c", id="backslashes"),
        pytest.param(["command: ab\\", "cd"], "command", "abcd", id="a backslash within a word"),
        pytest.param(["command: C:\\dir\\", "machine: m"], "command", "C:\\dir\\", id="the end of a Windows path"),
        pytest.param(["command: a \\\\", "machine: m"], "command", "a \\\\", id="two backslashes"),
        pytest.param(["command: a \\"], "command", "a \\", id="a backslash at the end of the file"),
        pytest.param(["command: a \\", "", "b"], "command", "a \\", id="a backslash before nothing"),
        pytest.param(["command: ls /data/* /work/*"], "command", "ls /data/* /work/*", id="globs are no comments"),
        pytest.param(["command: ls /x/*   /* all */"], "command", "ls /x/*", id="a comment behind a glob"),
        pytest.param(["command: a /* b */ c"], "command", "a /* b */ c", id="what ends no line is no comment"),
        pytest.param(["command: a /* b */ /* c */"], "command", "a", id="two comments"),
        pytest.param(['command: echo " /* b */"'], "command", 'echo " /* b */"', id="quoted"),
        pytest.param(["command: a   /* b", "c */"], "command", "a", id="a comment that runs on"),
        pytest.param(["command: a # b"], "command", "a # b", id="a hash within a line is text"),
        pytest.param(["command: x owner: y"], "command", "x owner: y", id="a command is the rest of its line"),
        pytest.param(["machine: m  owner: y"], "machine", "m", id="two attributes on a line"),
        pytest.param(["command: curl http://h:80/x"], "command", "curl http://h:80/x", id="a URL"),
        pytest.param(["condition: s(B) &", "  s(C)"], "condition", "s(B) & s(C)", id="an operator at the end"),
        pytest.param(["condition: s(B)", "  and s(C)"], "condition", "s(B) and s(C)", id="an operator at the start"),
        pytest.param(["condition:", "  s(B)", "  & s(C)"], "condition", "s(B) & s(C)", id="nothing on its own line"),
        pytest.param(["condition:", "owner: x"], "condition", "", id="nothing, and another attribute"),
        pytest.param(["condition: (s(B)", "  )"], "condition", "(s(B) )", id="an open parenthesis"),
        pytest.param(["condition: s(B)", "s(C) is done"], "condition", "s(B)", id="text behind a whole condition"),
        pytest.param(["condition: s(B) &", "", "s(C)"], "condition", "s(B) &", id="a blank line ends it"),
        pytest.param(["condition: s(B) &", "/* c */", "s(C)"], "condition", "s(B) & s(C)", id="a comment does not"),
        pytest.param(['start_times: "04:00",', '  "05:00"'], "start_times", '"04:00", "05:00"', id="a list"),
        pytest.param(["start_mins: 1", ",2"], "start_mins", "1 ,2", id="a comma at the start"),
        pytest.param(["days_of_week: mo", "Tuesday too"], "days_of_week", "mo", id="text behind a list"),
        pytest.param(['description: "a', 'b"', "machine: m"], "description", '"a b"', id="an open quote that closes"),
        pytest.param(['description: "a', "machine: m"], "description", '"a', id="an open quote that does not"),
        pytest.param(['description: "loads the 12" feed'], "description", '"loads the 12" feed', id="an inch"),
    ],
)
def test_a_value_is_all_that_belongs_to_it_and_no_more(lines: list[str], key: str, value: str) -> None:
    assert attributes(*lines)[key] == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("insert_job: A\nJob Name   Last Start\n____ ____\n", [(2, Concern.TEXT)], id="a console's table"),
        pytest.param("hello\ninsert_job: A", [(1, Concern.TEXT)], id="text before"),
        pytest.param("machine: m\ninsert_job: A", [(1, Concern.TEXT)], id="an attribute of nothing"),
        pytest.param("insert_job: A b c", [(1, Concern.TEXT)], id="text behind a name"),
        pytest.param("/* open\ninsert_job: A", [(1, Concern.COMMENT)], id="a comment that is never closed"),
        pytest.param("/* a\ninsert_job: B\n*/\ninsert_job: A", [(1, Concern.COMMENT)], id="a job in a comment"),
        pytest.param("insert_job: A\ncommand: x owner: y", [(2, Concern.AMBIGUITY)], id="an attribute in a command"),
        pytest.param("insert_job: A\ncommand: C:\\d\\\nmachine: m", [(2, Concern.AMBIGUITY)], id="a backslash"),
        pytest.param('insert_job: A\nsendevent -E SET_GLOBAL -G "X=1"', [(2, Concern.AMBIGUITY)], id="a global"),
    ],
)
def test_what_is_no_jil_or_could_be_meant_otherwise_is_named(text: str, found: list[object]) -> None:
    assert concerns(text) == found
    assert any(subject == "A" for _, subject, _ in said(text))


def test_a_global_that_a_command_sets_takes_no_attribute_from_the_job_round_it() -> None:
    found = said('insert_job: A\nsendevent -E SET_GLOBAL -G "X=1"\nmachine: m')

    assert found == [("insert_global", "X", {"value": "1"}), ("insert_job", "A", {"machine": "m"})]


PIECES = [
    "insert_job: A", "insert_job: B job_type: c machine: m", "command: x", "condition: s(A) &", "s(B)", "& s(C)", "",
    "  ", "stray text", 'description: "a', 'b"', "start_times: 1,", "2", "command: \\", "calendar: C", "01/01/2025",
    "x: y", "sendevent -E SET_GLOBAL -G X=1", "update_zebra: Z",
]  # fmt: skip
COMMENTS = ["/*", "*/", "/* c */", "# c", "machine: m /* a", "b */"]
ANY = st.text('ab:\\"(),& \t', max_size=12)


def marked(lines: list[str]) -> list[str]:
    return [f"{line} m{number:03}" if line.strip() else line for number, line in enumerate(lines, start=1)]


@given(st.lists(st.one_of(st.sampled_from(PIECES), ANY), max_size=30))
def test_every_line_is_part_of_a_statement_or_of_a_run_that_is_named(lines: list[str]) -> None:
    """Each line ends with a mark of its own, so that it is seen where its text went."""
    stanzas, findings = read("\n".join(marked(lines)))

    kept = {int(number) for number in re.findall(r"m(\d{3})", repr(stanzas.statements))}
    named = {finding.line for finding in findings if finding.concern is Concern.TEXT}
    lost = {number for number, line in enumerate(lines, start=1) if line.strip()} - kept
    assert all(number in named or number - 1 in lost for number in lost)
    assert len(lost) <= stanzas.stray + sum("after the name" in finding.text for finding in findings)


@given(st.lists(st.one_of(st.sampled_from([*PIECES, *COMMENTS]), st.text('ab:/*#"( ', max_size=12)), max_size=30))
def test_only_comments_are_skipped_and_a_comment_ends_at_its_end_mark(lines: list[str]) -> None:
    text = [re.sub(r"(\*/) (m\d{3})$", r"\1\2", line) for line in marked(lines)]
    stanzas, findings = read("\n".join(text))

    kept = {int(number) for number in re.findall(r"m(\d{3})", repr(stanzas.statements))}
    named = {finding.line for finding in findings if finding.concern in (Concern.TEXT, Concern.COMMENT)}
    lost = {number for number, line in enumerate(lines, start=1) if line.strip()} - kept
    before_comment = {n for n in lost if not any(sign in line for line in text[:n] for sign in ("/*", "#"))}
    assert all(number in named or number - 1 in lost for number in before_comment)
    assert len(lost) <= stanzas.comments + stanzas.stray + len(named) + sum("/*" in line for line in text)
