"""What a gate says of a batch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from data_platform.model.personal import redacted, redacted_json

if TYPE_CHECKING:
    from collections.abc import Iterable


class Gate(StrEnum):
    """The gates of seed 004 §13. The value is the name of the asset check."""

    G1_RESOLUTION = "G1_RESOLUTION"
    G2_IDENTITY = "G2_IDENTITY"
    G3_SCHEMA = "G3_SCHEMA"
    G4_CONTRACT = "G4_CONTRACT"
    G5_PII = "G5_PII"
    DQ = "DQ"
    CERTIFICATION = "CERTIFICATION"


class Outcome(StrEnum):
    """Four things, and only the first is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"


class Severity(StrEnum):
    """What a broken rule does: say so, set the row aside, or hold the whole batch."""

    WARN = "WARN"
    QUARANTINE = "QUARANTINE"
    BLOCK = "BLOCK"


@dataclass(frozen=True, kw_only=True)
class RuleResult:
    """One configured rule, one result, always.

    ``signature`` is ``KIND:field:detail``; ``rows`` is how many rows broke it (None: not computable,
    as on an empty batch); ``reason`` names the cause of an error or failure, never a value.
    """

    rule: str
    signature: str
    outcome: Outcome
    severity: Severity = Severity.QUARANTINE
    rows: int | None = 0
    reason: str = ""

    @property
    def line(self) -> str:
        """``signature: 3 rows: reason``, as far as they are known; a reason does not name again what is named."""
        rows = f"{self.rows} {'row' if self.rows == 1 else 'rows'}" if self.rows else ""
        reason = self.reason.removeprefix(f"{self.signature.partition(':')[2]}: ")
        return ": ".join(part for part in (self.signature, rows, reason) if part)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A gate's answer. ``compliance`` is the share of rows that keep every rule, 0..1, or None if no rows."""

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
        """False of a gate that was not asked, because another one had held the batch before."""
        return self.outcome is not Outcome.SKIPPED or bool(self.results)

    def redacted(self) -> Verdict:
        """The same without personal values, as a file may be called by one, or a column."""
        results = tuple(
            replace(r, rule=redacted(r.rule), signature=redacted(r.signature), reason=redacted(r.reason))
            for r in self.results
        )
        return replace(self, results=results, reason=redacted(self.reason), metadata=redacted_json(self.metadata))

    def explanation(self, limit: int = 3) -> tuple[str, ...]:
        """Why it did not pass: a line a broken rule, the most rows first, each with its rows and the reason."""
        broken = [result for result in self.results if result.outcome is not Outcome.PASSED]
        if self.outcome is not Outcome.PASSED:  # of a gate that failed, what holds the batch comes first
            broken.sort(key=lambda r: (r.severity is not Severity.BLOCK, -(r.rows or 0), r.signature))
        lines = [result.line for result in broken[:limit] if result.line != result.signature]
        if lines and len(broken) > limit:
            lines.append(f"and {len(broken) - limit} more")
        told = "; ".join(f"{result.signature} {result.reason}" for result in broken)
        is_told = all(part in told for part in self.reason.split("; "))
        return ((self.reason,) if self.reason and not is_told else ()) + tuple(lines)

    @property
    def signatures(self) -> tuple[str, ...]:
        """Failure signatures, the most rows first."""
        broken = [r for r in self.results if r.outcome is not Outcome.PASSED]
        return tuple(r.signature for r in sorted(broken, key=lambda r: (-(r.rows or 0), r.signature)))


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """ERRORED before FAILED before SKIPPED before PASSED; of nothing it is SKIPPED, so that no gate is no pass."""
    seen = set(outcomes)
    order = (Outcome.ERRORED, Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)
    return next((outcome for outcome in order if outcome in seen), Outcome.SKIPPED)
