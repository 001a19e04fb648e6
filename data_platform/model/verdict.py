"""A gate's verdict on a batch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.model.dataset import Stage
from data_platform.model.number_text import number_of
from data_platform.model.personal import redacted, redacted_json

if TYPE_CHECKING:
    from collections.abc import Iterable


Stages: TypeAlias = tuple[Stage, ...]


class Gate(StrEnum):
    """The registry of gates, in the order in which people read them: a new gate is one line here and its module.

    The value is the name of the asset check. ``module``, in ``data_platform.gates``, has the function ``planned`` that
    plans the gate. ``stages`` are the stages of a landed dataset that it judges, ``derived_stages`` those of a dataset
    that a process makes; they are the same unless the line differs.
    """

    _value_: str
    module: str
    description: str
    stages: Stages
    derived_stages: Stages

    def __new__(cls, name: str, module: str, description: str, stages: Stages, derived: Stages | None = None) -> Gate:
        gate = str.__new__(cls, name)
        gate._value_, gate.module, gate.description = name, module, description
        gate.stages, gate.derived_stages = stages, stages if derived is None else derived
        return gate

    @classmethod
    def named(cls, name: str) -> Gate:
        """Raises: KeyError, if no gate is registered under ``name``."""
        return cls.__members__[name]

    G1_RESOLUTION = (
        "G1_RESOLUTION",
        "resolution",
        "The delivery is complete: its files, sizes, checksums and record count match its manifest.",
        (Stage.BRONZE,),
        (),
    )
    G2_IDENTITY = "G2_IDENTITY", "identity", "The delivery comes from the declared producer.", (Stage.BRONZE,), ()
    G3_SCHEMA = (
        "G3_SCHEMA",
        "schema",
        "The columns match the agreed schema.",
        (Stage.BRONZE, Stage.GOLD),
        (Stage.SILVER, Stage.GOLD),  # there is no bronze, so silver judges the columns that the process makes
    )
    G4_CONTRACT = "G4_CONTRACT", "contract", "The rows keep what their contract promises.", (Stage.SILVER, Stage.GOLD)
    G5_PII = "G5_PII", "pii", "Personal values are detected and remediated; none remains.", (Stage.SILVER, Stage.GOLD)
    DQ = "DQ", "dq", "There are enough rows, and the metrics of the fields are within their bounds.", (Stage.SILVER,)
    CERTIFICATION = "CERTIFICATION", "", "The certified view has advanced to this version.", (Stage.CERTIFIED,)


class Outcome(StrEnum):
    """Only the first is a pass. WAIVED is failed, and an approved waiver covers every rule that would have held it."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"
    WAIVED = "waived"

    @property
    def qualifies(self) -> bool:
        """Whether a version with this outcome may be certified."""
        return self in (Outcome.PASSED, Outcome.WAIVED)


QUALIFYING = tuple(outcome.value for outcome in Outcome if outcome.qualifies)


class Severity(StrEnum):
    """The effect of a broken rule: a warning, quarantine of the row, or a hold of the whole batch."""

    WARN = "WARN"
    QUARANTINE = "QUARANTINE"
    BLOCK = "BLOCK"


@dataclass(frozen=True, kw_only=True)
class RuleResult:
    """The result of one configured rule; every rule has exactly one.

    ``signature`` is ``KIND:field:detail``; ``rows`` is how many rows broke it (None: not computable,
    as on an empty batch); ``reason`` names the cause of an error or failure, never a value.
    """

    rule: str
    signature: str
    outcome: Outcome
    severity: Severity = Severity.QUARANTINE
    rows: int | None = 0
    reason: str = ""

    @classmethod
    def failed(
        cls,
        signature: str,
        reason: str = "",
        *,
        rule: str = "",
        severity: Severity = Severity.BLOCK,
        rows: int | None = None,
    ) -> RuleResult:
        """A broken rule; it is called by its signature, unless ``rule`` names it."""
        outcome = Outcome.FAILED
        return cls(
            rule=rule or signature, signature=signature, outcome=outcome, severity=severity, rows=rows, reason=reason
        )

    @classmethod
    def errored(cls, signature: str, reason: str, *, rule: str = "") -> RuleResult:
        """A rule that could not be judged, which holds the batch."""
        return replace(cls.failed(signature, reason, rule=rule), outcome=Outcome.ERRORED)

    @classmethod
    def counted(cls, signature: str, rows: int, severity: Severity) -> RuleResult:
        """A rule that ``rows`` break; it is kept if none does."""
        outcome = Outcome.FAILED if rows else Outcome.PASSED
        return cls(rule=signature, signature=signature, outcome=outcome, severity=severity, rows=rows)

    @property
    def holds(self) -> bool:
        """Whether the rule keeps its gate from passing: it did not pass, and it is more than a warning."""
        return self.outcome is not Outcome.PASSED and self.severity is not Severity.WARN

    @property
    def line(self) -> str:
        """``signature: 3 rows: reason``, without missing parts; the reason does not repeat the signature's field."""
        rows = number_of(self.rows, "row") if self.rows else ""
        reason = self.reason.removeprefix(f"{self.signature.partition(':')[2]}: ")
        return ": ".join(part for part in (self.signature, rows, reason) if part)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A gate's verdict. ``compliance`` is the share of rows that keep every rule, 0..1, or None without rows."""

    gate: Gate
    outcome: Outcome
    results: tuple[RuleResult, ...] = ()
    compliance: float | None = None
    reason: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED

    @property
    def judged(self) -> bool:
        """False for a gate that did not run, because an earlier one held the batch."""
        return self.outcome is not Outcome.SKIPPED or bool(self.results)

    def redacted(self) -> Verdict:
        """The same without personal values, which the name of a file or a column may be."""
        results = tuple(
            replace(r, rule=redacted(r.rule), signature=redacted(r.signature), reason=redacted(r.reason))
            for r in self.results
        )
        return replace(self, results=results, reason=redacted(self.reason), metadata=redacted_json(self.metadata))

    def explanation(self, limit: int = 3) -> tuple[str, ...]:
        """Why it did not pass: a line for each broken rule, the most rows first, with its rows and the reason."""
        broken = [result for result in self.results if result.outcome is not Outcome.PASSED]
        if self.outcome is not Outcome.PASSED:  # for a failed gate, rules that hold the batch come first
            broken.sort(key=lambda r: (r.severity is not Severity.BLOCK, -(r.rows or 0), r.signature))
        lines = [result.line for result in broken[:limit] if result.line != result.signature]
        if lines and len(broken) > limit:
            lines.append(f"and {len(broken) - limit} more")
        listed = "; ".join(f"{result.signature} {result.reason}" for result in broken)
        is_listed = all(part in listed for part in self.reason.split("; "))
        return ((self.reason,) if self.reason and not is_listed else ()) + tuple(lines)

    @property
    def signatures(self) -> tuple[str, ...]:
        """Failure signatures, the most rows first."""
        broken = [r for r in self.results if r.outcome is not Outcome.PASSED]
        return tuple(r.signature for r in sorted(broken, key=lambda r: (-(r.rows or 0), r.signature)))


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """ERRORED, FAILED, SKIPPED, WAIVED, PASSED, the worst first; without outcomes SKIPPED, as no gate is no pass."""
    seen = set(outcomes)
    order = (Outcome.ERRORED, Outcome.FAILED, Outcome.SKIPPED, Outcome.WAIVED, Outcome.PASSED)
    return next((outcome for outcome in order if outcome in seen), Outcome.SKIPPED)
