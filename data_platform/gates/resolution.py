"""G1_RESOLUTION: is this the whole delivery of this dataset, as its sender says?

It is judged before a row is read: what is missing, cut off or changed on its way is known from
names, sizes and checksums. How many records there were is known after reading; ``judge_counts`` asks then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal


def judge(urn: str, *, files: Sequence[str], delivery_id: str, problems: Sequence[str], reason: str = "") -> Verdict:
    """``problems`` are failure signatures of the delivery; none, and at least one file, is a pass."""
    results = [_failure(signature) for signature in problems]
    if not files and not results:
        results = [_failure(f"NO_FILES:{urn}")]
    return Verdict(
        gate=Gate.G1_RESOLUTION,
        outcome=Outcome.FAILED if results else Outcome.PASSED,
        results=tuple(results) or (RuleResult(rule="delivery", signature="DELIVERY", outcome=Outcome.PASSED),),
        reason=reason,
        metadata={"dataset_urn": urn, "delivery_id": delivery_id, "files": list(files)},
    )


def judge_counts(
    before: Verdict,
    *,
    records: int,
    promised: int | None,
    totals: Mapping[str, tuple[Decimal | None, Decimal]],
    unread: int = 0,
) -> Verdict:
    """``before``, with what reading found: the record count, and control totals as ``column: (found, promised)``.

    ``unread`` files could not be read to their end: how many records there were in the rest nobody knows.
    """
    failures = [_failure("REST_UNREAD")] if unread else []
    metadata: dict[str, Any] = {**before.metadata, "records": records}
    if promised is not None:
        metadata["records_promised"] = promised
        if records != promised:
            failures.append(_failure(f"RECORD_COUNT:{records}≠{promised}"))
    for column, (found, said) in totals.items():
        metadata[f"total_{column}"] = str(said)
        if found is None or found != said:
            failures.append(_failure(f"CONTROL_TOTAL:{column}"))
    if not failures:
        return Verdict(**{**_fields(before), "metadata": metadata})
    return Verdict(
        gate=before.gate,
        outcome=Outcome.FAILED,
        results=(*before.results, *failures),
        reason="the rows are not those that the sender counted; ask for the delivery again",
        metadata=metadata,
    )


def _failure(signature: str) -> RuleResult:
    return RuleResult(
        rule=signature.split(":", 1)[0], signature=signature, outcome=Outcome.FAILED, severity=Severity.BLOCK, rows=None
    )


def _fields(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in ("gate", "outcome", "results", "compliance", "reason")}
