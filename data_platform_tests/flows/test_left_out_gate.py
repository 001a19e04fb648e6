"""A gate whose verdict does not reach the pipeline holds its stage, and nothing of that batch reaches consumers.

That this is so for each gate of each stage is tested without Spark in ``model/test_stage_gate.py``.
"""

from dataclasses import replace

import pytest
from sqlalchemy import create_engine, text

from data_platform.errors import UsageError
from data_platform.gates.plan import GatePlans
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome
from data_platform.stage import driver
from data_platform.stage.candidate import Candidate
from data_platform.stage.certify import certify
from data_platform.stage.lease import leased
from data_platform.stage.writer import write
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, a_day, declare_orders, orders


def without(candidate: Candidate, gate: Gate) -> Candidate:
    """``candidate``, with the plan of ``gate`` lost on its way."""
    return replace(candidate, gates=GatePlans(tuple(plan for plan in candidate.gates.plans if plan.gate is not gate)))


def test_a_gate_that_is_left_out_holds_its_stage(certified: Estate) -> None:
    day = a_day(26)
    orders(certified, "1,10.50,first", day=day)
    platform = certified.platform()
    dataset = platform.policies.dataset("orders")
    before = platform.catalog.certifications.get(ORDERS)
    for stage in (Stage.BRONZE, Stage.SILVER):
        assert driver.run_stage(platform, dataset, stage, day, "run_20250127_1").passed

    # Backwards, because a held stage lets no later one begin.
    for stage, gate in ((Stage.GOLD, Gate.G5_PII), (Stage.SILVER, Gate.DQ), (Stage.BRONZE, Gate.G2_IDENTITY)):
        version = platform.table(dataset, stage).version()
        with leased(platform, dataset, "run_20250128_1") as lease:
            candidate = driver.prepare(platform, dataset, stage, day, "run_20250128_1")
            found = write(platform, without(candidate, gate), lease)

        assert (found.outcome, found.version) == (Outcome.ERRORED, None)
        assert [v.signatures for v in found.verdicts if not v.passed] == [(f"NO_VERDICT:{gate}",)]
        assert found.rows.quarantined == found.rows.read == 1
        assert platform.table(dataset, stage).history_since(version)[0].note["kind"] == "restore"
    after = platform.catalog.certifications.get(ORDERS)
    assert before is not None
    assert after is not None
    assert after.judged_version == before.judged_version  # its rows; the table was restored to them since
    platform.close()


def test_a_gate_that_throws_holds_its_stage_with_evidence_and_shows_no_value(
    certified: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = a_day(27)
    orders(certified, "1,10.50,ann@example.com", day=day)
    before = certified.certified_rows("orders")

    def broken(*_: object) -> None:
        raise KeyError("ann@example.com")

    monkeypatch.setattr("data_platform.gates.contract.SilverContract.judge", broken)
    platform = certified.platform()

    held = certified.run("orders", day, platform)[-1]

    verdict = next(v for v in held.verdicts if v.gate is Gate.G4_CONTRACT)
    assert (held.stage, held.outcome, held.version) == (Stage.SILVER, Outcome.ERRORED, None)
    assert verdict.reason.startswith("G4_CONTRACT raised KeyError at test_left_out_gate.py:")
    assert "ann@" not in verdict.reason
    assert (held.rows.read, held.rows.quarantined) == (1, 1)
    stored = platform.catalog.evidence.find(ORDERS, run_id=held.run_id, gate="G4_CONTRACT")
    assert [(item.result, item.failure_signature) for item in stored] == [("FAIL", "GATE_RAISED:G4_CONTRACT")]
    assert certified.certified_rows("orders") == before
    platform.close()


def test_a_version_whose_record_lacks_a_gate_is_not_certified(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,1.00,a")
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    for stage in dataset.stages[:-1]:
        assert driver.run_stage(platform, dataset, stage, DAY, "run_20250107_1").passed
    engine = create_engine(platform.settings.catalog_url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM rule_result"))
        connection.execute(text("DELETE FROM verdict WHERE gate = 'G5_PII'"))
    engine.dispose()

    with pytest.raises(UsageError, match="gold of ds://sales/orders 2025-01-06 has no passed verdict of G5_PII"):
        certify(platform, dataset, DAY, "run_20250107_2")
    assert platform.catalog.certifications.get(ORDERS) is None
    platform.close()
