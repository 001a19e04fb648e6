"""The table of rules: what each looks for, which symptoms it explains, why it is a rule, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from data_platform.model.root_cause import Candidate, CauseKind, RuledOut
from data_platform.signals.root_cause import change_rule, delivery_rule, run_rule
from data_platform.signals.root_cause.case import Case
from data_platform.signals.root_cause.place import Place

if TYPE_CHECKING:
    from data_platform.signals.root_cause.symptom import Symptom

Find: TypeAlias = Callable[[Case, Place], Iterator[Candidate | RuledOut]]


@dataclass(frozen=True)
class Rule:
    kind: CauseKind
    explains: frozenset[Symptom]
    find: Find
    reason: str
    remedy: str


RULES = (
    Rule(
        CauseKind.DEPLOYMENT,
        change_rule.BY_CODE,
        change_rule.find_deployments,
        "new code between the last good run and the first bad one is what changed",
        "roll the deployment back or fix it, then run the day again",
    ),
    Rule(
        CauseKind.SCHEMA_CHANGE,
        change_rule.BY_COLUMNS,
        change_rule.find_schema_changes,
        "a column that changed, and from which the failing one derives, is what the fault is made of",
        "accept the columns in policy_bundle.yaml, or ask the producer to undo the change; then run the day again",
    ),
    Rule(
        CauseKind.TRUNCATED_DELIVERY,
        delivery_rule.BY_FEWER,
        delivery_rule.find_truncated,
        "a delivery that differs from its declared totals, or has under 60 % of the usual rows, was cut off on the way",
        "ask the producer to deliver the day again, complete; it is run when it arrives",
    ),
    Rule(
        CauseKind.DUPLICATE_DELIVERY,
        delivery_rule.BY_MORE,
        delivery_rule.find_duplicate,
        "a delivery with the content of another day, or the same rows twice, is the sender's mistake",
        "ask the producer for the right delivery of the day; remove the repeated one from the landing folder",
    ),
    Rule(
        CauseKind.POLICY_EDIT,
        change_rule.BY_POLICY,
        change_rule.find_policy_edits,
        "rows that passed before and fail under other rules were failed by the rules",
        "revert or correct the edit of the policy, then run the day again",
    ),
    Rule(
        CauseKind.GATE_ERROR,
        delivery_rule.BY_GATE,
        delivery_rule.find_gate_error,
        "a gate that raised has judged nothing; the rows may be right",
        "run the day again; if the gate raises again, report the error to who maintains the platform",
    ),
    Rule(
        CauseKind.NEW_VALUE,
        delivery_rule.BY_VALUE,
        delivery_rule.find_new_value,
        "a value outside the column's domain breaks what was written for the old values",
        "add the value to the column's enum and run the day again, or have it corrected at the source",
    ),
    Rule(
        CauseKind.PERSONAL_DATA,
        delivery_rule.BY_PERSON,
        delivery_rule.find_personal,
        "personal values where none were declared come from the source of the column",
        "declare an action for the column in `pii` and run the day again; ask the producer why it has personal values",
    ),
    Rule(
        CauseKind.JOB_FAILED,
        run_rule.CRASHED,
        run_rule.find_failed_job,
        "a job that failed has written nothing",
        "read the error and the log of the run, fix it, and start the job again",
    ),
    Rule(
        CauseKind.JOB_RUNNING_SLOW,
        run_rule.SLOW,
        run_rule.find_slow_job,
        "a run that takes longer than every run before it is late by itself",
        "let it finish, or stop it and start it again with more resources; the partition may still come",
    ),
    Rule(
        CauseKind.PARTIAL_WRITE,
        run_rule.PARTIAL,
        run_rule.find_partial_write,
        "a run whose stages passed and that certified nothing stopped half-way",
        "run the day again; data-platform reconcile rolls back what was left open",
    ),
    Rule(
        CauseKind.WRONG_DAY,
        run_rule.NOT_STARTED,
        run_rule.find_wrong_day,
        "a run in place of the missing one that wrote the day beside it had a wrong clock or time zone",
        "correct the time zone of the schedule or the job, then run the missing day",
    ),
    Rule(
        CauseKind.NOT_DELIVERED,
        run_rule.NOT_THERE,
        run_rule.find_missing_delivery,
        "nothing can run on a delivery that has not come",
        "ask the producer for the delivery; the day is run when it arrives",
    ),
    Rule(
        CauseKind.JOB_NOT_TRIGGERED,
        run_rule.NOT_STARTED,
        run_rule.find_untriggered,
        "all inputs were there, and nothing has started",
        "start the job; then check its schedule, its sensor and whether the scheduler runs",
    ),
    Rule(
        CauseKind.BROKEN_ROWS,
        delivery_rule.BY_ROWS,
        delivery_rule.find_broken_rows,
        "rows that break a rule, while nothing else has changed, came so from the producer",
        "look at the rows with data-platform quarantine show; ask the producer for a corrected delivery",
    ),
)

REMEDIES = {rule.kind: rule.remedy for rule in RULES}
