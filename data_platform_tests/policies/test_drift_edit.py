"""An accepted drift becomes an edit of the policy files, under which the same delivery passes."""

import json
from dataclasses import replace

import pytest

from data_platform.gates import schema
from data_platform.model.baseline import Baseline
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.model.schema import Column, Schema
from data_platform.model.schema_change import ChangeKind, Effect, SchemaChange
from data_platform.model.schema_drift import drift
from data_platform.model.verdict import Outcome
from data_platform.policies.document import parse_document
from data_platform.policies.drift_edit import DriftEdit, PolicyTexts, edited
from data_platform.policies.shape import validate

BUNDLE = """\
# orders of the shop
schema:
  mode: strict  # agreed with the shop
  constraints:
    - {field: id, type: INT, nullable: false}  # key
    - {field: qty, type: INT}
    - {field: kind, type: STRING, enum: [A, B]}  # kinds of orders
    - {field: mail, type: STRING}
contract_lite:
  required_fields: [id, mail]
pii:
  detection:
    - {pattern: EMAIL, action: tokenize, fields: [mail]}  # by law
dq:
  metrics:
    - {field: mail, max_null_rate: 0.1}
"""
COLUMNS = {"id": "int", "qty": "int", "kind": "string", "mail": "string"}


def columns(**types: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in types.items())


def bundle_of(text: str) -> PolicyBundle:
    document = parse_document(text, "policy_bundle.yaml", [])
    assert document is not None
    bundle = validate(document, PolicyBundle, [])
    assert bundle is not None
    return bundle


def texts(baseline: dict[str, object] | None = None) -> PolicyTexts:
    text = None if baseline is None else json.dumps(baseline, indent=2)
    parsed = None if text is None else Baseline.model_validate_json(text)
    return PolicyTexts(bundle_text=BUNDLE, bundle=bundle_of(BUNDLE), baseline_text=text, baseline=parsed)


def new_value(column: str, value: str) -> SchemaChange:
    return SchemaChange(kind=ChangeKind.NEW_ENUM_VALUE, path=(column,), after=value, effect=Effect.COMPATIBLE)


def accepted(delivered: Schema) -> DriftEdit:
    return edited(texts(), drift(columns(**COLUMNS), delivered))


@pytest.mark.parametrize(
    ("delivered", "line"),
    [
        pytest.param(columns(**COLUMNS, note="string"), "    - {field: note, type: STRING}", id="a column more"),
        pytest.param(columns(**COLUMNS | {"qty": "bigint"}), "    - {field: qty, type: BIGINT}", id="a wider type"),
        pytest.param(
            columns(id="int", qty="int", kind="string"), "  required_fields: [id]", id="a column less"
        ),
        pytest.param(
            columns(id="int", qty="int", kind="string", e_mail="string"),
            "  required_fields: [id, e_mail]",
            id="a renamed column",
        ),
    ],
)  # fmt: skip
def test_what_was_held_passes_once_its_edit_is_the_policy(delivered: Schema, line: str) -> None:
    before, files = bundle_of(BUNDLE).schema_, {"a.parquet": delivered}
    nullable = Schema.of(replace(column, nullable=True) for column in before.declared.columns)
    assert schema.judge_delivery(nullable, files, before, unreadable={}).outcome is Outcome.FAILED

    edit = accepted(delivered)

    after = bundle_of(edit.bundle_text).schema_
    now_declared = Schema.of(replace(column, nullable=True) for column in after.declared.columns)
    assert schema.judge_delivery(now_declared, files, after, unreadable={}).outcome is Outcome.PASSED
    kept = Schema.of([*delivered.columns, *(c for c in nullable.columns if delivered.get(c.name) is None)])
    assert schema.judge_output(nullable, kept, after).outcome is Outcome.PASSED  # tables keep a removed column
    assert line in edit.bundle_text.splitlines()
    assert [
        edit.bundle_text.count(c) for c in ("# orders of the shop", "# agreed with the shop", "# kinds of orders")
    ] == [
        1,
        1,
        1,
    ]


def test_the_rules_of_a_renamed_column_go_with_it() -> None:
    edit = accepted(columns(id="int", qty="int", kind="string", e_mail="string"))

    bundle = bundle_of(edit.bundle_text)
    assert bundle.pii.detection[0].fields == ("e_mail",)
    assert bundle.dq.metrics[0].field == "e_mail"
    assert bundle.schema_.declared.names == ("id", "qty", "kind", "e_mail")


def test_a_rule_for_personal_data_that_has_no_column_left_does_not_search_all_of_them() -> None:
    edit = accepted(columns(id="int", qty="int", kind="string"))

    bundle = bundle_of(edit.bundle_text)
    assert (bundle.pii.detection, bundle.dq.metrics) == ((), ())


def test_a_new_value_joins_the_enum_and_a_token_does_not() -> None:
    edit = edited(texts(), [new_value("kind", "FLASH_SALE"), new_value("kind", "5c1f0a2b3c4d")])

    assert bundle_of(edit.bundle_text).schema_.constraints[2].enum == ("A", "B", "FLASH_SALE")
    assert list(edit.refused) == ["UNKNOWN_ENUM:kind:5c1f0a2b3c4d"]


@pytest.mark.parametrize(
    ("delivered", "why"),
    [
        pytest.param(columns(**COLUMNS | {"qty": "date"}), "keep the type", id="another type"),
        pytest.param(columns(qty="int", kind="string", mail="string"), "keep NOT NULL", id="a key that is gone"),
        pytest.param(columns(**COLUMNS, **{"column#5": "string"}), "is not shown", id="a name that is hidden"),
        pytest.param(columns(**COLUMNS, at="struct<...>"), "is not shown", id="a name within a column that is hidden"),
    ],
)
def test_what_the_tables_cannot_take_or_nobody_may_read_is_refused(delivered: Schema, why: str) -> None:
    edit = accepted(delivered)

    assert edit.bundle_text == BUNDLE
    assert [why in reason for reason in edit.refused.values()] == [True]


def test_a_file_without_a_header_removes_no_column() -> None:
    edit = accepted(columns(**{f"column#{n}": "string" for n in (1, 2, 3, 4)}))

    assert (edit.bundle_text, edit.accepted) == (BUNDLE, ())
    assert "may have no header" in edit.refused["SCHEMA_BREAK:mail:REMOVED"]


def test_a_type_may_change_before_the_first_row_is_stored() -> None:
    changes = drift(columns(qty="int"), columns(qty="date"))

    edit = edited(replace(texts(), has_rows=False), changes)

    assert bundle_of(edit.bundle_text).schema_.declared.get("qty") == Column(name="qty", type="date")


def test_the_baseline_is_edited_with_the_bundle() -> None:
    registered = {
        "schema": [{"name": "id", "type": "int"}, {"name": "qty", "type": "int"}, {"name": "mail", "type": "string"}],
        "schema_fingerprint": columns(id="int", qty="int", mail="string").fingerprint,
        "null_rates": {"id": 0.0, "mail": 0.5},
        "enum_domains": {"qty": ["A"]},
    }
    changes = drift(columns(id="int", qty="int", mail="string"), columns(id="int", qty="bigint", note="string"))

    edit = edited(texts(registered), [*changes, new_value("qty", "B_C")])

    assert edit.baseline_text is not None
    baseline = Baseline.model_validate_json(edit.baseline_text)  # which compares the fingerprint
    assert baseline.declared == columns(id="int", qty="bigint", note="string")
    assert baseline.null_rates == {"id": 0.0}
    assert baseline.enum_domains == {"qty": ("A", "B_C")}


def test_a_column_that_gold_has_lost_is_accepted_by_its_signature() -> None:
    [lost] = drift(columns(**COLUMNS, old="int"), columns(**COLUMNS))

    edit = edited(replace(texts(), at_gold=[lost.signature]), [lost])

    assert bundle_of(edit.bundle_text).schema_.accepted == ("SCHEMA_BREAK:old:REMOVED",)


def test_a_second_acceptance_changes_nothing() -> None:
    changes = drift(columns(**COLUMNS), columns(id="int", qty="bigint", kind="string", note="string"))
    first = edited(texts(), changes)

    again = edited(replace(texts(), bundle_text=first.bundle_text, bundle=bundle_of(first.bundle_text)), changes)

    assert again.bundle_text == first.bundle_text
