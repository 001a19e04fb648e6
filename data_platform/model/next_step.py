"""What to do about a day that a gate held, by the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from data_platform.model.explanation import ExplainedStage
    from data_platform.model.partition_key import PartitionKey

_BY_GATE = {
    Gate.G1_RESOLUTION: "have the sender complete or correct the delivery",
    Gate.G2_IDENTITY: "ask whether the declared producer sent the delivery; correct source.producer if it is outdated",
    Gate.G3_SCHEMA: "if the new columns are right, edit the policy: data-platform policy accept-drift {urn}",
    Gate.G4_CONTRACT: "look at the rows that break the contract: data-platform quarantine show {urn}{day}",
    Gate.G5_PII: "look at the findings: data-platform quarantine show {urn}{day}; declare an action for the column",
    Gate.DQ: "compare the counts with those of other days: data-platform evidence list {urn} --gate DQ",
    Gate.CERTIFICATION: "the policy changed after the rows were judged: judge them again",
}


def next_steps(urn: str, partition: PartitionKey | None, held: ExplainedStage) -> tuple[str, ...]:
    """A sentence for each gate that did not pass, and at last the command that runs the day again."""
    day = f" --partition {partition}" if partition else ""
    broken = [verdict for verdict in held.verdicts if not verdict.passed and verdict.judged]
    steps = [_BY_GATE[verdict.gate].format(urn=urn, day=day) for verdict in broken if verdict.gate in _BY_GATE]
    if any(result.outcome is Outcome.ERRORED for verdict in broken for result in verdict.results):
        steps.append("a rule could not be judged: correct the rule, and check it with data-platform validate")
    if held.quarantine_table and held.stage in (Stage.SILVER, Stage.GOLD):
        table = held.quarantine_table.removeprefix("quarantine.")
        steps.append(f"rows that may pass after all can be released: data-platform quarantine release {table}")
    again = f"then run it again: data-platform run --select {urn}{day}"
    return (*dict.fromkeys(steps), again)
