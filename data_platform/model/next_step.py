"""What to do about a held day: advice for each rule that held it, and the commands for its rows and the next run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.remediation import advice, is_releasable
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from data_platform.model.explanation import ExplainedStage
    from data_platform.model.partition_key import PartitionKey

RULES_SHOWN = 10
_ERRORED = "the rule could not be judged; correct it, and check it with data-platform validate"


def next_steps(urn: str, partition: PartitionKey | None, held: ExplainedStage) -> tuple[str, ...]:
    """A step for each rule that did not pass, except those that only warn, and last the command for the next run."""
    broken = [verdict for verdict in held.verdicts if verdict.judged and verdict.outcome is not Outcome.PASSED]
    results = [result for verdict in broken for result in verdict.results if result.holds]
    steps = [
        f"{result.signature}: {_ERRORED if result.outcome is Outcome.ERRORED else advice(result.signature)}"
        for result in results[:RULES_SHOWN]
    ]
    if any(verdict.gate is Gate.G3_SCHEMA for verdict in broken):
        steps.append(f"to accept changed columns: data-platform policy accept-drift {urn}")
    if held.quarantine_table:
        table = held.quarantine_table.removeprefix("quarantine.")
        steps.append(f"to look at the rows: data-platform quarantine show {table}")
        if any(is_releasable(result.signature, "batch") for result in results):
            steps.append(f"to let rows through, if another person approves: data-platform quarantine release {table}")
    day = f" --partition {partition}" if partition else ""
    return (*dict.fromkeys(steps), f"to judge the day again: data-platform run --select {urn}{day}")
