"""G1_RESOLUTION: is this the whole delivery of this dataset, as its sender says?

It is judged before a row is read: what is missing, cut off or changed on its way is known from
names, sizes and checksums. How many records there were is known after reading; ``judge_counts`` asks then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.batch import BronzeBatch
from data_platform.gates.expression import control_total
from data_platform.gates.expression.column import quoted
from data_platform.gates.plan import GatePlan
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from decimal import Decimal

    from pyspark.sql import Column

    from data_platform.gates.batch import Batch
    from data_platform.gates.plan import Measured


def planned(batch: Batch) -> GatePlan:
    assert isinstance(batch, BronzeBatch), "deliveries are bronze"  # noqa: S101
    return ResolutionPlan(batch)


class ResolutionPlan(GatePlan):
    """The delivery's files at first; the counts and sums that its sender promised once its rows are written."""

    gate = Gate.G1_RESOLUTION

    def __init__(self, batch: BronzeBatch) -> None:
        self._batch = batch
        self.early: Verdict = judge(
            batch.policy.urn,
            files=batch.files,
            delivery_id=batch.delivery_id,
            problems=batch.problems,
            warnings=batch.warnings,
        )

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        from pyspark.sql import functions as F

        del kept
        unread = quoted("_malformed").endswith(self._batch.unread)
        where = F.format_string("%s:%d: %s", "_file", "_line", "_malformed")
        found: dict[Hashable, Column] = {"unread": F.count_if(unread), "unread_reason": F.min(F.when(unread, where))}
        for file in self._batch.file_counts:
            found["records", file] = F.count_if(quoted("_file") == F.lit(file))
        for name in self._batch.totals:
            if self._batch.columns.get(name) is not None:
                found["total", name] = control_total.total(name)
        return found

    def judge(self, measured: Measured) -> Verdict:
        found, batch = measured.measures, self._batch
        return judge_counts(
            self.early,
            records=measured.read,
            promised=batch.record_count,
            totals={name: (found.get(("total", name)), promised) for name, promised in batch.totals.items()},
            unread=found["unread"],
            unread_reason=found["unread_reason"] or "",
            by_file={file: (found["records", file], promised) for file, promised in batch.file_counts.items()},
        )


def judge(
    urn: str,
    *,
    files: Sequence[str],
    delivery_id: str,
    problems: Mapping[str, str],
    warnings: Mapping[str, str] | None = None,
) -> Verdict:
    """``problems`` lead from failure signatures of the delivery to their reasons; none, and a file, is a pass.

    ``warnings`` do the same of what holds nothing.
    """
    failures = [_failure(signature, reason) for signature, reason in problems.items()]
    if not files and not failures:
        failures = [_failure(f"NO_FILES:{urn}", "no file of the delivery has a byte in it")]
    passed = () if failures else (RuleResult(rule="delivery", signature="DELIVERY", outcome=Outcome.PASSED),)
    warned = [replace(_failure(*item), severity=Severity.WARN) for item in (warnings or {}).items()]
    return Verdict(
        gate=Gate.G1_RESOLUTION,
        outcome=Outcome.FAILED if failures else Outcome.PASSED,
        results=(*failures, *passed, *warned),
        reason="; ".join(result.reason for result in (*failures, *warned) if result.reason),
        metadata={"dataset_urn": urn, "delivery_id": delivery_id, "files": list(files)},
    )


def judge_counts(
    before: Verdict,
    *,
    records: int,
    promised: int | None,
    totals: Mapping[str, tuple[Decimal | None, Decimal]],
    unread: int = 0,
    unread_reason: str = "",
    by_file: Mapping[str, tuple[int, int]] | None = None,
) -> Verdict:
    """``before``, with what reading found: the record count, and control totals as ``column: (found, promised)``.

    ``unread`` files could not be read to their end: how many records there were in the rest nobody knows. ``by_file``
    has the record counts of files whose trailer says how many they are.
    """
    failures = [_failure("REST_UNREAD", unread_reason)] if unread else []
    for file, (found_in, said_of) in (by_file or {}).items():
        if found_in != said_of:
            failures.append(_failure(f"RECORD_COUNT:{file}:{found_in}≠{said_of}", f"{file}: not as its trailer says"))
    metadata: dict[str, Any] = {**before.metadata, "records": records}
    if promised is not None:
        metadata["records_promised"] = promised
        if records != promised:
            failures.append(_failure(f"RECORD_COUNT:{records}≠{promised}"))
    for column, (found, said) in totals.items():
        metadata[f"total_{column}"] = str(said)
        if found is None or found != said:
            failures.append(_failure(f"CONTROL_TOTAL:{column}", f"{column}: {_why_not(found, said)}"))
    if not failures:
        return Verdict(**{**_fields(before), "metadata": metadata})
    return Verdict(
        gate=before.gate,
        outcome=Outcome.FAILED,
        results=(*before.results, *failures),
        reason="; ".join([*_reasons(failures), before.reason]).strip("; "),
        metadata=metadata,
    )


def _why_not(found: Decimal | None, said: Decimal) -> str:
    if not said.is_finite():
        return "what is promised is no number; expected digits with a point, such as 1234.50"
    return "it has another sum than is promised" if found is not None else "it has no sum: no column, or no numbers"


def _reasons(failures: Sequence[RuleResult]) -> list[str]:
    said = [failure.reason for failure in failures if failure.reason]
    counted = any(not failure.signature.startswith("REST_UNREAD") for failure in failures)
    return [*said, "the rows are not those that the sender counted; ask for the delivery again"] if counted else said


def _failure(signature: str, reason: str = "") -> RuleResult:
    return RuleResult(
        rule=signature.split(":", 1)[0],
        signature=signature,
        outcome=Outcome.FAILED,
        severity=Severity.BLOCK,
        rows=None,
        reason=reason,
    )


def _fields(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in ("gate", "outcome", "results", "compliance", "reason")}
