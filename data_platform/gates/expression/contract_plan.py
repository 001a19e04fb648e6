"""The promises of a contract as columns: which rows break which rule.

The kinds of signature: MISSING_FIELD, UNKNOWN_ENUM, FORMAT, INVARIANT.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.rule import plan as plan_rules
from data_platform.model import enum_domain
from data_platform.model.verdict import Severity
from data_platform.sql.rule_text import Rule, columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.model.contract import Contract, Invariant
    from data_platform.model.policy_bundle import FieldConstraint, SchemaPolicy

CODE = rf"\A{enum_domain.CODE.pattern}\z"
"""An unknown enum value that a signature may contain if the policy declares that a column holds codes, nothing else"""


@dataclass(frozen=True)
class ContractPlan:
    """Signatures to never-NULL boolean columns, true where a row breaks the rule.

    ``rejects`` quarantine a row, ``blocks`` hold the batch, ``warns`` only report. ``details`` are the last parts of a
    row's signature: never a delivered value that the policy does not allow. ``errors`` maps the signature of a rule
    that cannot be judged to the reason, ``reasons`` that of a broken rule to what was expected.
    """

    rejects: dict[str, Column] = field(default_factory=dict)
    blocks: dict[str, Column] = field(default_factory=dict)
    warns: dict[str, Column] = field(default_factory=dict)
    details: dict[str, Column] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def with_rejects(self, more: Mapping[str, Column], reasons: Mapping[str, str]) -> ContractPlan:
        return replace(self, rejects={**more, **self.rejects}, reasons=reasons)

    @property
    def all(self) -> dict[str, Column]:
        return {**self.rejects, **self.blocks, **self.warns}

    @property
    def severities(self) -> dict[str, Severity]:
        return {
            **dict.fromkeys(self.rejects, Severity.QUARANTINE),
            **dict.fromkeys(self.blocks, Severity.BLOCK),
            **dict.fromkeys(self.warns, Severity.WARN),
            **dict.fromkeys(self.errors, Severity.BLOCK),
        }


def plan(
    rows: DataFrame,
    contract: Contract,
    schema: SchemaPolicy,
    now: datetime | None = None,
    *,
    stand_in: Callable[[Column], Column] | None = None,
    personal: Collection[str] = (),
) -> ContractPlan:
    """The promises of ``contract`` and of the declared columns, applied to typed rows shaped like ``rows``.

    ``stand_in`` gives an unknown enum value the token at the end of its signature; without it there is none. Columns
    ``personal`` are searched for personal values, and no signature contains their values.

    Raises:
        PolicyError: A rule is invalid for any rows.
    """
    planned = ContractPlan()
    present = {name.lower() for name in rows.columns}
    not_null = [c.field for c in schema.constraints if not c.nullable]
    for name in dict.fromkeys([*contract.required_fields, *not_null]):
        if name.lower() in present:
            planned.rejects[f"MISSING_FIELD:{name}"] = quoted(name).isNull()
        else:
            planned.errors[f"MISSING_FIELD:{name}"] = f'column "{name}" not found'
    for constraint in schema.constraints:
        if constraint.enum and constraint.field.lower() in present:
            _plan_enum(
                planned, constraint, stand_in, shown=constraint.unknown_codes and constraint.field not in personal
            )
    _plan_rules(planned, rows, contract, schema, now)
    return planned


def _plan_enum(
    planned: ContractPlan, constraint: FieldConstraint, stand_in: Callable[[Column], Column] | None, *, shown: bool
) -> None:
    from pyspark.sql import functions as F

    signature = f"UNKNOWN_ENUM:{constraint.field}"
    value = quoted(constraint.field).cast("string")
    planned.rejects[signature] = never_null(~value.isin(*constraint.enum))
    if stand_in is not None:
        token = stand_in(value)
        planned.details[signature] = F.when(value.rlike(CODE), value).otherwise(token) if shown else token


def _plan_rules(
    planned: ContractPlan, rows: DataFrame, contract: Contract, schema: SchemaPolicy, now: datetime | None
) -> None:
    signatures = {c.field: f"FORMAT:{c.field}" for c in schema.constraints if c.pattern}
    rules = [Rule(id=f"FORMAT:{c.field}", column=c.field, pattern=c.pattern) for c in schema.constraints if c.pattern]
    by_severity = dict.fromkeys(signatures.values(), Severity.QUARANTINE)
    for invariant in contract.invariants:
        signature = invariant_signature(invariant)
        rules.append(Rule(id=signature, expression=invariant.rule))
        by_severity[signature] = invariant.severity
    answered = plan_rules(rows, rules, schema.declared, now)
    targets = {
        Severity.QUARANTINE: planned.rejects,
        Severity.BLOCK: planned.blocks,
        Severity.WARN: planned.warns,
    }
    for signature, broken in answered.broken.items():
        targets[by_severity[signature]][signature] = broken
    planned.errors.update(answered.errors)


def invariant_signature(invariant: Invariant) -> str:
    return f"INVARIANT:{','.join(columns_of(invariant.rule))}:{invariant.name}"
