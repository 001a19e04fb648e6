"""G4_CONTRACT: do the rows keep what their contract promises?

On silver the *lite* contract parts rows one by one; on gold the *full* contract judges the whole
candidate. ``plan`` answers with column expressions that ride along with the stage's one write. Two
promises cannot: uniqueness and references compare rows with other rows, and cost a job each.

The kinds of signature: MISSING_FIELD, UNKNOWN_ENUM, FORMAT, INVARIANT, and at gold NOT_UNIQUE and
UNKNOWN_REFERENCE. What is done with a rejected row is not decided here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.rule import Rule, columns_of
from data_platform.gates.expression.rule import plan as plan_rules
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.expression.relation import Related
    from data_platform.model.contract import Contract, Invariant, Reference, Unique
    from data_platform.model.policy import FieldConstraint, SchemaPolicy

CODE = r"\A(?!.*[0-9]{3})[A-Z][A-Z0-9_]{0,30}\z"
"""An unknown enum value that a signature may carry where the policy says that a column holds codes, and nothing else"""


@dataclass(frozen=True)
class ContractPlan:
    """Signatures to never-NULL boolean columns, true where a row breaks the rule.

    ``rejects`` set a row aside, ``blocks`` hold the batch, ``warns`` only tell. ``details`` are what a row's signature
    ends in: never a delivered value that the policy does not allow. ``errors`` leads from the signature of a rule that
    cannot be judged to the reason.
    """

    rejects: dict[str, Column] = field(default_factory=dict)
    blocks: dict[str, Column] = field(default_factory=dict)
    warns: dict[str, Column] = field(default_factory=dict)
    details: dict[str, Column] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def with_rejects(self, more: Mapping[str, Column]) -> ContractPlan:
        return replace(self, rejects={**more, **self.rejects})

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
    """The promises of ``contract`` and of the declared columns, asked of typed rows shaped like ``rows``.

    ``stand_in`` gives an unknown enum value the token that its signature ends in; without one it ends in nothing.
    Columns ``personal`` are searched for personal values, and no signature carries what they hold.

    Raises:
        PolicyError: A rule is none whatever rows it meets.
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


def judge(
    planned: ContractPlan,
    *,
    read: int,
    kept: int,
    broken: Mapping[str, int],
    min_compliance: float,
) -> Verdict:
    """``broken`` leads from signature to rows, with the details of a signature as signatures of their own.

    The gate passes if the share of rows kept is at least ``min_compliance``, no blocking rule is broken,
    and every rule could be asked; else nobody knows the share. Rows that were set aside are told all the same.
    """
    compliance = kept / read if read else None
    enough = compliance is None or compliance >= min_compliance
    results = [_error(signature, reason) for signature, reason in planned.errors.items()]
    for signature, severity in planned.severities.items():
        if signature not in planned.errors:
            results += _results(signature, severity, broken)
    blocked = any(r.outcome is Outcome.FAILED and r.severity is Severity.BLOCK for r in results)
    outcome = Outcome.ERRORED if planned.errors else Outcome.FAILED if blocked or not enough else Outcome.PASSED
    return Verdict(
        gate=Gate.G4_CONTRACT,
        outcome=outcome,
        results=tuple(results),
        compliance=None if planned.errors else compliance,
        reason="" if enough or compliance is None else _too_few(compliance, min_compliance),
        metadata={"rows_read": read, "rows_kept": kept, "min_compliance": min_compliance},
    )


def with_relations(before: Verdict, found: Mapping[str, Related | str]) -> Verdict:
    """``before``, with uniqueness and references: signature to rows that break it, or to why it could not be asked.

    Its compliance counts them in. It is None where it is not known: a relation could not be asked, or several rules are
    broken, perhaps by the same rows.
    """
    results = list(before.results)
    outcome = before.outcome
    for signature, answer in found.items():
        if isinstance(answer, str):
            results.append(_error(signature, answer))
            outcome = Outcome.ERRORED
            continue
        results.append(replace(_result(signature, Severity.BLOCK, answer.rows), reason=answer.reason))
        if answer.rows and outcome is Outcome.PASSED:
            outcome = Outcome.FAILED
    kept = _kept(before, [answer if isinstance(answer, str) else answer.rows for answer in found.values()])
    return replace(
        before,
        outcome=outcome,
        results=tuple(results),
        compliance=None if kept is None or before.compliance is None else kept / before.metadata["rows_read"],
        metadata={**before.metadata, "rows_kept": kept},
    )


def _kept(before: Verdict, found: Collection[int | str]) -> int | None:
    """Rows that keep every rule and relation."""
    read, kept = before.metadata["rows_read"], before.metadata["rows_kept"]
    broken = [answer for answer in found if answer]
    if not broken:
        return int(kept)
    one = broken[0]
    return read - one if len(broken) == 1 and kept == read and isinstance(one, int) else None


def invariant_signature(invariant: Invariant) -> str:
    return f"INVARIANT:{','.join(columns_of(invariant.rule))}:{invariant.name}"


def unique_signature(unique: Unique) -> str:
    return f"NOT_UNIQUE:{','.join(unique.fields)}"


def reference_signature(reference: Reference) -> str:
    return f"UNKNOWN_REFERENCE:{','.join(reference.fields)}:{reference.dataset}"


def _results(signature: str, severity: Severity, broken: Mapping[str, int]) -> list[RuleResult]:
    found = {s: n for s, n in broken.items() if n and (s == signature or s.startswith(signature + ":"))}
    if not found:
        return [_result(signature, severity, 0)]
    return [_result(s, severity, n) for s, n in found.items()]


def _result(signature: str, severity: Severity, rows: int) -> RuleResult:
    outcome = Outcome.FAILED if rows else Outcome.PASSED
    return RuleResult(rule=signature, signature=signature, outcome=outcome, severity=severity, rows=rows)


def _error(signature: str, reason: str) -> RuleResult:
    return RuleResult(
        rule=signature, signature=signature, outcome=Outcome.ERRORED, severity=Severity.BLOCK, rows=None, reason=reason
    )


def _too_few(compliance: float, wanted: float) -> str:
    return f"{compliance:.1%} of the rows keep every rule, and the contract wants {wanted:.1%}"
