"""A waiver: one failed rule of a dataset, accepted for named days, by somebody else than its author, until a date.

A waived rule is recorded as ``waived``, never as passed, with the waiver's number. Only a failure that matches exactly
is waived: the same gate, the same signature, a day of the waiver. Nothing else is: an errored gate or rule is not a
failure that somebody can judge, a broken conservation of rows is no verdict at all, and G5_PII is refused, since no raw
personal value may stay in silver or gold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from data_platform.errors import InputError
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from data_platform.model.partition_key import PartitionKey

WAIVABLE = tuple(gate for gate in Gate if gate not in (Gate.G5_PII, Gate.CERTIFICATION))
CONSERVATION = frozenset({"CONTROL_TOTAL", "RECORD_COUNT"})
"""Kinds of failures that no waiver covers: the sender counted something else, so rows were lost or doubled."""
LONGEST = timedelta(days=90)
"""A failure that is accepted for longer belongs into the policy."""

WAIVERS = "waivers"
"""The metadata key of a stage's run for the waivers on which it, or a stage before it, depends."""


class WaiverStatus(StrEnum):
    """A waiver that is not approved yet, or not any more, waives nothing. EXPIRED is never stored."""

    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REVOKED = "REVOKED"
    EXPIRED = "EXPIRED"


@dataclass(frozen=True, kw_only=True)
class WaiverRequest:
    """``first`` and ``last`` are the days, both included; None for a dataset without partitions."""

    dataset_urn: str
    gate: Gate
    signature: str
    first: PartitionKey | None
    last: PartitionKey | None
    reason: str
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """A request and what became of it. ``status`` is as of the moment at which it was read."""

    number: int
    dataset_urn: str
    gate: Gate
    signature: str
    first: PartitionKey | None
    last: PartitionKey | None
    reason: str
    author: str
    requested_at: datetime
    expires_at: datetime
    status: WaiverStatus
    approver: str | None = None
    approved_at: datetime | None = None
    revoked_by: str | None = None
    revoked_at: datetime | None = None
    comment: str | None = None

    @property
    def days(self) -> str:
        """``2025-01-06``, ``2025-01-06..2025-01-08``, or empty for a dataset without partitions."""
        return f"{self.first or ''}" if self.first == self.last else f"{self.first}..{self.last}"

    @property
    def use(self) -> dict[str, Any]:
        """What a run that depends on it records."""
        return {
            "number": self.number,
            "gate": self.gate.value,
            "signature": self.signature,
            "first": self.first,
            "last": self.last,
            "approver": self.approver,
            "expires_at": self.expires_at.isoformat(),
            "reason": self.reason,
        }

    def covers(self, gate: Gate, result: RuleResult, partition: PartitionKey | None) -> bool:
        """Whether it waives ``result``; ``status`` must be that of now."""
        if self.status is not WaiverStatus.APPROVED or gate is not self.gate or not is_waivable(gate, self.signature):
            return False
        if result.outcome is not Outcome.FAILED or result.signature != self.signature:
            return False
        return covers_day(self.use, partition)


def end_of(day: PartitionKey) -> datetime:
    """When a waiver expires whose last day in UTC is ``day``. Raises: InputError, no day follows it."""
    try:
        return datetime.combine(day.value, time(), UTC) + timedelta(days=1)
    except OverflowError:
        raise InputError(
            "expires_at", f"{day} is the last day of all: expected one within {LONGEST.days} days"
        ) from None


def is_waivable(gate: Gate, signature: str) -> bool:
    return gate in WAIVABLE and signature.partition(":")[0] not in CONSERVATION


def covers_day(use: Mapping[str, Any], partition: PartitionKey | None) -> bool:
    """Whether the waiver of a recorded use is one of ``partition``."""
    if partition is None or use["first"] is None:
        return partition is None and use["first"] is None
    return bool(use["first"] <= partition <= use["last"])


def distinct_uses(uses: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One use of each waiver, by its number."""
    return [use for _, use in sorted({use["number"]: use for use in uses}.items())]


def uses_of(verdict: Verdict, signature: str | None) -> list[dict[str, Any]]:
    """The waivers of a verdict that cover ``signature``."""
    return [use for use in verdict.metadata.get(WAIVERS, ()) if use["signature"] == signature]


def numbers_of(uses: Iterable[Mapping[str, Any]]) -> str | None:
    """``3,7``; None without uses."""
    return ",".join(str(number) for number in sorted({use["number"] for use in uses})) or None


def waive(
    verdicts: Iterable[Verdict], waivers: Collection[Waiver], partition: PartitionKey | None
) -> tuple[Verdict, ...]:
    """``verdicts``, those of which are WAIVED whose every holding rule one of ``waivers`` covers."""
    return tuple(_waived(verdict, waivers, partition) for verdict in verdicts)


def _waived(verdict: Verdict, waivers: Collection[Waiver], partition: PartitionKey | None) -> Verdict:
    holding = _holding(verdict)
    by_signature = {
        result.signature: next((w for w in waivers if w.covers(verdict.gate, result, partition)), None)
        for result in holding
    }
    if not holding or None in by_signature.values():
        return verdict
    results = tuple(
        _with_waiver(result, waiver) if result in holding and (waiver := by_signature.get(result.signature)) else result
        for result in verdict.results
    )
    uses = distinct_uses(waiver.use for waiver in by_signature.values() if waiver is not None)
    metadata = {**verdict.metadata, WAIVERS: uses}
    return replace(verdict, outcome=Outcome.WAIVED, results=results, metadata=metadata)


def _holding(verdict: Verdict) -> Sequence[RuleResult]:
    """The failed rules because of which the gate failed; empty if it did not fail, or a rule raised.

    A gate with a minimal compliance that is reached did not fail because of rules that quarantine rows.
    """
    if verdict.outcome is not Outcome.FAILED:
        return ()
    counting = [result for result in verdict.results if result.severity is not Severity.WARN]
    if any(result.outcome is Outcome.ERRORED for result in counting):
        return ()
    wanted = verdict.metadata.get("min_compliance")
    is_kept = wanted is not None and verdict.compliance is not None and verdict.compliance >= wanted
    failed = [result for result in counting if result.outcome is Outcome.FAILED]
    return [result for result in failed if result.severity is Severity.BLOCK or not is_kept]


def _with_waiver(result: RuleResult, waiver: Waiver) -> RuleResult:
    until = f"waived by waiver {waiver.number} of {waiver.approver} until {waiver.expires_at:%Y-%m-%d %H:%M} UTC"
    reason = f"{until}: {result.reason}" if result.reason else until
    return replace(result, outcome=Outcome.WAIVED, reason=reason)
