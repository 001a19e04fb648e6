"""The problem of a wrong value describes what to write instead."""

from typing import TYPE_CHECKING

import pytest

from data_platform.model.policy import DatasetPolicy
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.model.process import Process
from data_platform.policies.document import parse_document
from data_platform.policies.shape import Model, validate
from data_platform_tests.policies.tree import dataset_yaml

if TYPE_CHECKING:
    from data_platform.policies.problem import Problem


PROCESS = """\
name: totals
owner_team: shop
output: ds://shop/totals
inputs: [{dataset: "ds://shop/orders"}]
steps: [{name: one, sql: SELECT 1}]
"""


def complaints(text: str, model: type[Model]) -> list[str]:
    problems: list[Problem] = []
    document = parse_document(text, "a.yaml", problems)
    assert document is not None
    validate(document, model, problems)
    return [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("dq: {min_rows: '5'}", "dq.min_rows: expected a whole number, found the text '5'", id="quotes"),
        pytest.param("dq: {min_rows: true}", "dq.min_rows: expected a whole number, found true", id="true is not 1"),
        pytest.param("dq: {min_rows: 1.5}", "dq.min_rows: expected a whole number, found a number", id="a half"),
        pytest.param("dq: {min_rows: -1}", "dq.min_rows: found -1, expected at least 0", id="too small"),
        pytest.param(
            "dq: {allow_empty: yes}", "dq.allow_empty: expected true or false, found the text 'yes'", id="yes"
        ),
        pytest.param(
            "contract: {unique: [[1]]}",
            "contract.unique[0].fields[0]: expected text, found a number; put it in quotes",
            id="a wrong entry makes no list short",
        ),
        pytest.param("dq:", "dq: expected a mapping, found nothing", id="a key without a value"),
        pytest.param("dq: {metrics: {}}", "dq.metrics: expected a list, found a mapping", id="not a list"),
        pytest.param("pii: []", "pii: expected a mapping, found a list", id="not a mapping"),
        pytest.param(
            "schema: {mode: Strict}",
            "schema.mode: 'Strict' is not allowed; allowed: strict, compatible, breaking; did you mean strict?",
            id="case counts",
        ),
        pytest.param(
            "schema: {mode: 1}",
            "schema.mode: expected one of strict, compatible, breaking, found a number",
            id="a number for a word",
        ),
        pytest.param(
            "schema: {constraints: [{field: a}]}", "schema.constraints[0].type: required, but missing", id="missing"
        ),
        pytest.param(
            "schema: {constraints: [{field: a, type: STRING, enum: [true]}]}",
            "schema.constraints[0].enum[0]: expected text, found true; put it in quotes",
            id="a boolean for text",
        ),
        pytest.param(
            "schema: {constraints: [{field: a, type: STRING, nulable: true}]}",
            "schema.constraints[0].nulable: not a known key; allowed: field, type, nullable, description, enum,"
            " unknown_codes, pattern; did you mean nullable?",
            id="an unknown key, deep",
        ),
        pytest.param(
            "contract: {invariants: [5]}",
            "contract.invariants[0]: expected a rule as text, or a mapping, found a number",
            id="a rule that is a number",
        ),
        pytest.param(
            "contract: {unique: [[]]}", "contract.unique[0].fields: expected at least 1 entry, found 0", id="no entry"
        ),
        pytest.param(
            "contract: {invariants: ['']}",
            "contract.invariants[0].rule: expected at least 1 character, found 0",
            id="no character",
        ),
    ],
)
def test_a_wrong_value_of_a_bundle_is_reported(text: str, complaint: str) -> None:
    assert complaints(text, PolicyBundle) == [f"a.yaml:1: {complaint}"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        pytest.param(
            "partition: {key: dt, start: 2013-13-01}",
            "partition.start: expected a date such as 2013-01-31, found the text '2013-13-01'",
            id="no such month",
        ),
        pytest.param(
            "owner_email: nobody",
            r"owner_email: 'nobody' does not have the form ^[^@\s]+@[^@\s]+\.[^@\s]+$",
            id="a pattern",
        ),
        pytest.param(
            "slo: {freshness: {expected_update_by: 02:00 EDT hourly}}",
            "slo.freshness.expected_update_by: 'hourly' is not a cadence; allowed: daily, weekdays, business days, "
            "on day 5 monthly, on last day monthly, on business day 3, on last business day",
            id="our own sentence",
        ),
        pytest.param(
            "source: {format: csv, path: a, delimiter: '||'}",
            "source.delimiter: expected at most 1 character, found 2",
            id="too long",
        ),
    ],
)
def test_a_wrong_value_of_a_dataset_is_reported(line: str, complaint: str) -> None:
    assert complaints(dataset_yaml("ds://shop/orders", line), DatasetPolicy) == [f"a.yaml:4: {complaint}"]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        pytest.param(
            "trigger: DATASET\nschedule: 02:00 ET daily",
            "a.yaml:7: schedule: trigger DATASET has no schedule: leave it out, or use HYBRID for both"
            " or PROCESS for it alone",
            id="inputs alone",
        ),
        pytest.param(
            "schedule: 02:00 ET daily",
            "a.yaml:6: schedule: trigger DATASET has no schedule: leave it out, or use HYBRID for both"
            " or PROCESS for it alone",
            id="inputs alone is the default",
        ),
        pytest.param(
            "trigger: HYBRID",
            "a.yaml:1: schedule: trigger HYBRID needs a schedule, such as '02:00 ET daily': add one, or use DATASET",
            id="both, and one is not there",
        ),
        pytest.param(
            "trigger: PROCESS\nschedule: 0 25 * * *",
            "a.yaml:7: schedule: '25' is no hour of a cron; allowed: 0 to 23",
            id="no such hour",
        ),
        pytest.param(
            "trigger: NIGHTLY\nschedule: 02:00 ET daily",
            "a.yaml:6: trigger: 'NIGHTLY' is not allowed; allowed: PROCESS, DATASET, HYBRID",
            id="a wrong trigger is the one problem",
        ),
    ],
)
def test_a_wrong_start_of_a_process_is_reported(lines: str, complaint: str) -> None:
    assert complaints(f"{PROCESS}{lines}\n", Process) == [complaint]


def test_an_anchor_that_contains_itself_is_a_problem() -> None:
    problems: list[Problem] = []

    assert parse_document("pii: &a {b: *a}", "a.yaml", problems) is None
    assert [str(problem) for problem in problems] == [
        "a.yaml:1: nested too deep, or an anchor contains itself; write the values out flat"
    ]


def test_short_forms_are_read() -> None:
    problems: list[Problem] = []
    document = parse_document("contract: {unique: [a, [b, c], {fields: [d]}], invariants: [a > 0]}", "a", problems)

    assert document is not None
    bundle = validate(document, PolicyBundle, problems)
    assert bundle is not None
    assert [unique.fields for unique in bundle.contract.unique] == [("a",), ("b", "c"), ("d",)]
    assert bundle.contract.invariants[0].name == "a > 0"
