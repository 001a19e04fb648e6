"""The table of rules: one for each kind of cause, in its order, as documented."""

from pathlib import Path

import pytest

from data_platform.model.lateness import LateCause
from data_platform.model.root_cause import CauseKind
from data_platform.model.signal import Finding, SignalKind
from data_platform.signals.root_cause.rule import REMEDIES, RULES
from data_platform.signals.root_cause.symptom import Effect, Symptom, effect_of_finding, effect_of_signature
from data_platform_tests.signals.root_cause.story import RATES, finding

DOCUMENT = (Path(__file__).parents[3] / "docs" / "root-cause.md").read_text(encoding="utf-8")


def test_each_kind_of_cause_has_one_rule_in_its_order() -> None:
    assert [rule.kind for rule in RULES] == list(CauseKind)
    assert set(REMEDIES) == set(CauseKind)


def test_each_rule_is_documented_with_its_symptoms_reason_and_remedy() -> None:
    for rule in RULES:
        symptoms = ", ".join(sorted(symptom.value for symptom in rule.explains))
        assert f"| `{rule.kind}` | {symptoms} | {rule.reason} | {rule.remedy} |" in DOCUMENT


@pytest.mark.parametrize(
    ("signature", "effect"),
    [
        pytest.param("INVARIANT:total,Tax:sums", Effect(Symptom.ROWS, ("tax", "total")), id="two columns"),
        pytest.param("SCHEMA_BREAK:address.zip:INT→STRING", Effect(Symptom.SCHEMA, ("address",)), id="a nested field"),
        pytest.param("SCHEMA_DRIFT:*:REORDERED", Effect(Symptom.SCHEMA), id="the table as a whole"),
        pytest.param("MANIFEST_SIZE:a.csv", Effect(Symptom.INCOMPLETE), id="the start of a kind"),
        pytest.param("ROW_COUNT:3<10", Effect(Symptom.COUNT), id="a number is no column"),
        pytest.param("PII_UNDECLARED:EMAIL:note", Effect(Symptom.PERSONAL, ("email", "note")), id="kind and column"),
        pytest.param("MISSING_FIELD:id", Effect(Symptom.ROWS, ("id",)), id="a rule about rows"),
    ],
)
def test_a_signature_shows_a_symptom_of_columns(signature: str, effect: Effect) -> None:
    assert effect_of_signature(signature) == Effect(effect.symptom, effect.columns, signature)


def of(kind: SignalKind, signature: str) -> Finding:
    return finding(RATES, signature, kind=kind)


@pytest.mark.parametrize(
    ("found", "symptom"),
    [
        pytest.param(of(SignalKind.FRESHNESS, LateCause.UPSTREAM_LATE), Symptom.NOT_STARTED, id="upstream late"),
        pytest.param(of(SignalKind.FRESHNESS, LateCause.JOB_FAILED), Symptom.CRASHED, id="failed"),
        pytest.param(of(SignalKind.FRESHNESS, LateCause.HELD_BY_GATE), Symptom.HELD, id="held"),
        pytest.param(of(SignalKind.JOB, "AUTOSYS/LOAD"), Symptom.CRASHED, id="a job"),
        pytest.param(of(SignalKind.AT_RISK, "SLOW_START"), Symptom.NOT_STARTED, id="at risk"),
        pytest.param(of(SignalKind.VOLUME, "-45 %"), Symptom.COUNT, id="volume"),
    ],
)
def test_each_finding_shows_a_symptom(found: Finding, symptom: Symptom) -> None:
    assert effect_of_finding(found).symptom is symptom
