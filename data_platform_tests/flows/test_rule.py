"""A rule that cannot be asked is no pass: it is named, the other rules still report, and the batch is held whole."""

from dataclasses import replace
from typing import Any

import pytest

from data_platform.errors import PolicyError
from data_platform.model.contract import Invariant
from data_platform.model.dataset import Stage
from data_platform.model.run import new_run_id
from data_platform.model.verdict import Gate, Outcome
from data_platform.stage import driver
from data_platform_tests.case import case_file, expected
from data_platform_tests.flows.estate import DAY, Estate, a_day, declare_orders, ids_at, orders, set_aside

RULES = [{"id": "q1", "rule": "id IS NOT NULL"}, {"id": "q2", "rule": "amount IS NOT NULL"},
         {"id": "q3", "rule": "amount > 0"}]  # fmt: skip


def email_columns(pattern: str) -> dict[str, Any]:
    return {
        "constraints": [
            {"field": "id", "type": "INT"},
            {"field": "amount", "type": "INT"},
            {"field": "email", "type": "STRING", "pattern": pattern},
        ]
    }


def test_a_rule_on_a_missing_column_and_a_repeated_id_are_reported_before_any_run(
    estate: Estate,
) -> None:  # C25
    rules = [*RULES, {"id": "q4", "rule": "amout < 100"}, {"id": "q1", "rule": "amount < 1000"}]
    declare_orders(estate, {"schema": email_columns("([a-z"), "contract_lite": {"invariants": rules}})

    with pytest.raises(PolicyError) as refused:
        estate.run("orders")

    assert len(refused.value.problems) == 3
    assert "pattern: ([a-z has a parenthesis or bracket that is not closed" in str(refused.value)
    assert "amout is not declared" in str(refused.value)
    assert "'q1' appears twice" in str(refused.value)


def test_rules_that_cannot_be_asked_hold_the_batch_and_the_others_still_report(estate: Estate) -> None:  # C25
    declare_orders(estate, {"schema": email_columns(""), "contract_lite": {"invariants": RULES}})
    estate.deliver(f"orders/{DAY}", {"rows.csv": "id,amount,email\n7,10,a@example.com\n"})
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    before = estate.certified_rows("orders")
    estate.deliver(f"orders/{DAY}", {"rows.csv": case_file("C25", "rows.csv").read_bytes()})
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    # Policies with such rules are not loaded; the gate must hold the batch all the same.
    lite = dataset.bundle.contract_lite
    missing = lite.model_copy(update={"invariants": (*lite.invariants, Invariant(id="q4", rule="amout < 100"))})
    *others, email = dataset.bundle.schema_.constraints
    unclosed = dataset.bundle.schema_.model_copy(
        update={"constraints": (*others, email.model_copy(update={"pattern": "([a-z"}))}
    )
    bundle = dataset.bundle.model_copy(update={"contract_lite": missing, "schema_": unclosed})
    broken = replace(dataset, bundle=bundle)
    platform.policies_read = None  # so that the dataset is not read again from its files

    held = list(driver.run(platform, broken, DAY, new_run_id(estate.now)))[-1]

    told = {r.signature.rsplit(":", 1)[-1]: (r.outcome, r.reason) for r in held.verdicts[0].results}
    want = expected("C25")["results"]
    assert (held.stage, held.outcome) == (Stage.SILVER, Outcome.ERRORED)
    assert [told[rule][0].value for rule in ("q1", "q2", "q3", "q4", "email")] == [
        {"pass": "passed", "fail": "failed"}.get(want[rule], "errored") for rule in ("q1", "q2", "q3", "q4", "q5")
    ]
    assert [f"error: {told[rule][1]}" for rule in ("q4", "email")] == [want["q4"], want["q5"]]
    assert (held.rows.read, held.rows.quarantined, len(set_aside(estate, held))) == (2, 2, 2)
    assert estate.certified_rows("orders") == before
    platform.close()


@pytest.mark.parametrize(("day", "part", "stage"), [(7, "contract_lite", Stage.SILVER), (8, "contract", Stage.GOLD)])
def test_a_rule_that_raises_is_named_and_the_batch_is_held_whole(
    certified: Estate, day: int, part: str, stage: Stage
) -> None:
    estate, today = certified, a_day(day)
    rules = [{"id": "inverse", "rule": "1 / amount > 0"}, {"id": "small", "rule": "amount < 100"}]
    pii = {"detection": [{"pattern": "EMAIL", "action": "mask"}]}
    lenient = {"contract_lite": {"min_compliance": 0}}
    declare_orders(estate, {**lenient, "pii": pii, part: {"invariants": rules, "min_compliance": 0}})
    orders(estate, "1,0.00,ann@example.com", "2,500.00,b", "3,5.00,c", day=today)
    before = estate.certified_rows("orders")

    held = estate.run("orders", today)[-1]

    verdict = next(verdict for verdict in held.verdicts if verdict.gate is Gate.G4_CONTRACT)
    told = {result.signature.rsplit(":", 1)[-1]: result for result in verdict.results}
    assert (held.stage, held.outcome, held.version) == (stage, Outcome.ERRORED, None)
    assert (told["inverse"].outcome, told["small"].outcome, told["small"].rows) == (Outcome.ERRORED, Outcome.FAILED, 1)
    assert "INVARIANT:amount:inverse raises DIVIDE_BY_ZERO" in verdict.reason
    kept = set_aside(estate, held)
    assert (held.rows.read, held.rows.quarantined, sorted(int(row["id"]) for row in kept)) == (3, 3, [1, 2, 3])
    assert "ann@" not in str(kept)
    assert estate.certified_rows("orders") == before
    assert ids_at(estate, stage, today) == []
    declare_orders(estate)
    assert estate.run("orders", today)[-1].outcome is Outcome.PASSED


def test_numbers_that_are_not_finite_are_quarantined_and_change_no_mean(estate: Estate) -> None:  # C24
    want = expected("C24")
    columns = [{"field": "id", "type": "INT", "nullable": False}, {"field": "x", "type": "DOUBLE"}]
    bundle = {
        "schema": {"constraints": columns},
        "contract_lite": {"required_fields": ["x"], "invariants": ["x > 0 AND x < 1000000"], "min_compliance": 0},
        "dq": {"metrics": [{"field": "x", "min_mean": want["mean_of_valid"], "max_mean": want["mean_of_valid"]}]},
    }
    estate.declare("ds://sales/amounts", bundle, source={"format": "csv", "path": "amounts", "producer": "shop"})
    estate.deliver("amounts", {"values.csv": case_file("C24", "values.csv").read_bytes()})

    silver = estate.run("amounts", None)[1]

    assert [row["id"] for row in estate.certified_rows("amounts")] == want["valid_ids"]
    assert {row["id"] for row in set_aside(estate, silver)} == set(want["quarantined"])
    assert silver.verdicts[2].metadata["fields"]["x"]["mean"] == want["mean_of_valid"]
