"""A new gate is a line of the registry and a module: stages, verdicts and Dagster's checks take it from there."""

import sys
from collections.abc import Hashable, Mapping
from types import ModuleType

import pytest
from pyspark.sql import Column
from pyspark.sql import functions as F

from data_platform.gates.batch import SilverBatch
from data_platform.gates.plan import GatePlan, Measured
from data_platform.model import stage_gate
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.orchestration.gate_check import check_specs
from data_platform_tests.flows.estate import DAY, Estate, declare_orders, orders

NAME = "G9_EVEN"


def registered(monkeypatch: pytest.MonkeyPatch) -> Gate:
    """What the line in ``Gate`` would make: an enumeration takes no member at run time."""
    gate = str.__new__(Gate, NAME)
    gate._name_ = gate._value_ = NAME
    gate.module, gate.description = "made_up", "Identifiers are even."
    gate.stages = gate.derived_stages = (Stage.SILVER,)
    monkeypatch.setitem(Gate._member_map_, NAME, gate)
    monkeypatch.setitem(Gate._value2member_map_, NAME, gate)
    for table in ("STAGE_GATES", "DERIVED_STAGE_GATES"):
        before = getattr(stage_gate, table)
        monkeypatch.setattr(stage_gate, table, {**before, Stage.SILVER: (*before[Stage.SILVER], gate)})
    return gate


def its_module(gate: Gate) -> ModuleType:
    class EvenPlan(GatePlan):
        def __init__(self, batch: SilverBatch) -> None:
            self.gate, self.asked = gate, batch.target.names

        def measures(self, kept: Column) -> Mapping[Hashable, Column]:
            return {"odd": F.count_if(kept & (F.col("id") % 2 == 1)), "rule": F.max(F.lit("of its own"))}

        def judge(self, measured: Measured) -> Verdict:
            odd = measured.measures["odd"]
            outcome = Outcome.FAILED if odd else Outcome.PASSED
            result = RuleResult(rule="even", signature="ODD:id", outcome=outcome, severity=Severity.BLOCK, rows=odd)
            assert set(measured.measures) == {"odd", "rule"}
            return Verdict(gate=gate, outcome=outcome, results=(result,))

    module = ModuleType("data_platform.gates.made_up")
    module.planned = EvenPlan  # type: ignore[attr-defined]
    return module


def test_a_gate_that_was_made_up_judges_holds_and_is_shown(estate: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = registered(monkeypatch)
    monkeypatch.setitem(sys.modules, "data_platform.gates.made_up", its_module(gate))
    declare_orders(estate)

    orders(estate, "2,1.00,two", "4,1.00,four")
    passed = estate.run("orders")
    orders(estate, "2,1.00,two", "3,1.00,three")
    held = estate.run("orders")[-1]

    assert [report.stage for report in passed] == [Stage.BRONZE, Stage.SILVER, Stage.GOLD, Stage.CERTIFIED]
    assert [verdict.gate for verdict in passed[1].verdicts] == [Gate.G4_CONTRACT, Gate.G5_PII, Gate.DQ, gate]
    assert (held.stage, held.outcome) == (Stage.SILVER, Outcome.FAILED)
    assert [verdict.signatures for verdict in held.verdicts if not verdict.passed] == [("ODD:id",)]
    platform = estate.platform()
    kept = platform.catalog.runs.verdicts(held.run_id, held.dataset.urn, Stage.SILVER)
    specs = check_specs(platform.policies.dataset("orders"), Stage.SILVER)
    assert [verdict.outcome for verdict in kept if verdict.gate is gate] == [Outcome.FAILED]
    assert {spec.name: spec.description for spec in specs}[NAME] == "Identifiers are even."
    assert estate.certified_rows("orders")[0]["day"] == DAY.value
    platform.close()
