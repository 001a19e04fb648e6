"""Which changes of a schema pass, by the mode of the policy, and the result of each change.

strict      a change holds the batch
compatible  a new nullable column and a wider type pass with a warning; anything else holds the batch
breaking    every change passes with a warning, unless the rows can then not be read

Another spelling or order of the columns passes in each mode, since columns are bound by name. ``accepted`` in the
policy lists signatures of changes that a person let through. Rows are unreadable if the table has the column in a type
that takes no such value, if no rule types what was delivered, or if a nested column differs: its fields are bound by
position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.gates.expression.visible_name import visible
from data_platform.model.nested_type import is_nested
from data_platform.model.policy_bundle import SchemaMode
from data_platform.model.schema import is_widening
from data_platform.model.schema_change import ChangeKind, Effect
from data_platform.model.verdict import Outcome, RuleResult, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.policy_bundle import SchemaPolicy
    from data_platform.model.schema import Schema
    from data_platform.model.schema_change import SchemaChange


def allowed(change: SchemaChange, policy: SchemaPolicy) -> bool:
    """Whether the policy lets this change pass; ``widening`` decides about a wider type, if the policy has it."""
    if change.effect is Effect.NONE or policy.mode is SchemaMode.BREAKING or change.signature in policy.accepted:
        return True
    if change.widening:
        return policy.allows_widening
    return change.effect is Effect.COMPATIBLE and policy.mode is SchemaMode.COMPATIBLE


def why_unreadable(change: SchemaChange, delivered: Schema, stored: Schema | None) -> str:
    """Why the rows of a delivery cannot be read after this change; empty if they can.

    ``stored`` are the columns of the table into which they go, None if there is no table yet.
    """
    if change.is_nested:
        return "fields of a nested column are bound by position: declare the new type under another name"
    if change.kind not in (ChangeKind.RETYPED, ChangeKind.WIDENED):
        return ""
    column = delivered.get(change.column)
    if column is None:
        return ""
    if change.kind is ChangeKind.RETYPED and not _is_typed(change.before, column.type):
        return f"no rule makes {change.before.upper()} of {column.type.upper()}"
    table = stored.get(change.column) if stored else None
    if table is None or column.type == table.type:
        return ""
    fits = is_widening(column.type, table.type) or is_widening(table.type, column.type)
    return "" if fits else f"the table has {table.type.upper()}, and takes no {column.type.upper()}"


def _is_typed(declared: str, delivered: str) -> bool:
    """Whether silver makes the declared type of the delivered one: text is typed, and a single value becomes text."""
    return delivered == "string" or (declared == "string" and not is_nested(delivered) and delivered != "binary")


def result_of(change: SchemaChange, policy: SchemaPolicy, *, where: str = "", why_not: str = "") -> RuleResult:
    """``where`` begins the reason; ``why_not`` holds the batch whatever the policy says."""
    reason = f"{where}{visible(str(change))}{': ' if why_not else ''}{why_not}"
    found = RuleResult.failed(change.signature, reason, rule=change.field)
    if why_not or not allowed(change, policy):
        return found
    if change.effect is Effect.NONE and change.kind is not ChangeKind.RENAMED:
        return replace(found, outcome=Outcome.PASSED)
    return replace(found, severity=Severity.WARN)


def reason_of(results: Iterable[RuleResult]) -> str:
    """The reasons of the results that hold the batch."""
    return "; ".join(result.reason for result in results if result.holds and result.reason)
