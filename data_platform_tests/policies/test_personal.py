"""Rules for personal values that could not be kept are reported when policies are read."""

from pathlib import Path

import pytest

from data_platform_tests.policies.test_promise import BUNDLE, orders
from data_platform_tests.policies.tree import landed, problems


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        pytest.param(
            ("pii:", "  kinds: [{name: MEMBER, regex: '(a+)+'}]"),
            "repeats without an upper bound",
            id="an expression that may be slow",
        ),
        pytest.param(
            ("pii:", "  kinds: [{name: EMAIL, regex: 'a'}]"), "EMAIL exists already", id="a name that is taken"
        ),
        pytest.param(
            ("pii:", "  detection: [{pattern: MEMBER, action: mask}]"),
            "'MEMBER' is not allowed; allowed: EMAIL",
            id="a kind that does not exist",
        ),
        pytest.param(
            ("contract: {required_fields: [note]}", "pii: {detection: [{pattern: EMAIL, action: drop}]}"),
            "drop makes the value NULL, and note must have one",
            id="a required value is dropped",
        ),
        pytest.param(
            ("pii: {detection: [{pattern: PERSON_NAME, action: mask}]}",),
            "no column's name says that it holds a PERSON_NAME: name the columns in fields",
            id="no column for names",
        ),
        pytest.param(
            ("pii: {undeclared: {allowed: {nobody: [EMAIL]}}}",),
            "nobody is not declared in schema.constraints",
            id="an allowed column that is not there",
        ),
        pytest.param(
            ("pii: {undeclared: {severity: QUARANTINE}}",),
            "write WARN, or BLOCK",
            id="a row cannot be quarantined for a sample",
        ),
    ],
)
def test_a_rule_that_cannot_be_kept_is_a_problem_of_its_line(
    tmp_path: Path, lines: tuple[str, ...], problem: str
) -> None:
    found = problems(tmp_path, orders(*lines))

    assert any(BUNDLE in line and problem in line for line in found), found


def test_kinds_of_its_own_actions_and_allowed_columns_are_read(tmp_path: Path) -> None:
    lines = (
        "pii:",
        "  kinds: [{name: MEMBER, regex: '7[0-9]{9}', check: luhn}]",
        "  detection:",
        "    - {pattern: MEMBER, action: drop, fields: [note]}",
        "    - {pattern: PERSON_NAME, action: mask, fields: [note]}",
        "  undeclared: {severity: BLOCK, share: 0.1, sample: 500, allowed: {note: [EMAIL]}}",
    )

    assert problems(tmp_path, orders(*lines)) == ()


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        pytest.param(
            "pattern: EMAIL, action: redact, fields: [note]", "EMAIL is found within texts anyway", id="email"
        ),
        pytest.param("pattern: PERSON_NAME, action: redact", "name the text columns in fields", id="no fields"),
        pytest.param("pattern: PERSON_NAME, action: mask, fields: [note]", "", id="a name in a note"),
    ],
)
def test_only_names_and_addresses_of_named_columns_are_searched_within_texts(
    tmp_path: Path, rule: str, problem: str
) -> None:
    lines = ("pii:", "  detection:", f"    - {{{rule}, in_text: true}}")

    found = problems(tmp_path, landed(*lines, columns="order_id BIGINT, note STRING"))

    assert [problem in text for text in found] == ([True] if problem else [])
