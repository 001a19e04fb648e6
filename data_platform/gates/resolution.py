"""G1_RESOLUTION: is this the whole delivery of this dataset, as its sender declares it?

It is judged before a row is read: names, sizes and checksums show what is missing, truncated or changed. The number of
records is known only after reading; then ``judge_counts`` judges it, and ``repetition`` whether another day has the
same rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates import repetition
from data_platform.gates.batch import BronzeBatch
from data_platform.gates.expression import content_digest, control_total
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
    """First the delivery's files; once its rows are written, the counts and sums that its sender promised."""

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
        measures: dict[Hashable, Column] = {"unread": F.count_if(unread), "unread_reason": F.min(F.when(unread, where))}
        for file in self._batch.file_counts:
            measures["records", file] = F.count_if(quoted("_file") == F.lit(file))
        for name, promised in self._batch.totals.items():
            if self._batch.columns.get(name) is not None:
                measures["total", name] = control_total.total(name, promised)
        return {**measures, **repetition.measures(self._batch)}

    def judge(self, measured: Measured) -> Verdict:
        values, batch = measured.measures, self._batch
        counted = judge_counts(
            self.early,
            records=measured.read,
            promised=batch.record_count,
            totals={name: (values.get(("total", name)), promised) for name, promised in batch.totals.items()},
            unread=values["unread"],
            unread_reason=values["unread_reason"] or "",
            by_file={file: (values["records", file], promised) for file, promised in batch.file_counts.items()},
        )
        return repetition.judge(counted, batch, content_digest.digest_of(measured.read, values))


def judge(
    urn: str,
    *,
    files: Sequence[str],
    delivery_id: str,
    problems: Mapping[str, str],
    warnings: Mapping[str, str] | None = None,
) -> Verdict:
    """``problems`` map failure signatures of the delivery to their reasons; it passes with a file and no problem.

    ``warnings`` do the same for problems that hold nothing.
    """
    failures = [_failure(signature, reason) for signature, reason in problems.items()]
    if not files and not failures:
        failures = [_failure(f"NO_FILES:{urn}", "no file of the delivery has any content")]
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
    """``before`` with the results of reading: the record count, and control totals as ``column: (found, promised)``.

    ``unread`` files could not be read to their end, so the number of their remaining records is unknown. ``by_file``
    has the record counts of files whose trailer has a count.
    """
    failures = [_failure("REST_UNREAD", unread_reason)] if unread else []
    for file, (counted, promised_count) in (by_file or {}).items():
        if counted != promised_count:
            failures.append(
                _failure(f"RECORD_COUNT:{file}:{counted}≠{promised_count}", f"{file}: not as its trailer says")
            )
    metadata: dict[str, Any] = {**before.metadata, "records": records}
    if promised is not None:
        metadata["records_promised"] = promised
        if records != promised:
            failures.append(_failure(f"RECORD_COUNT:{records}≠{promised}"))
    for column, (total, promised_total) in totals.items():
        metadata[f"total_{column}"] = str(promised_total)
        if total is None or total != promised_total:
            failures.append(_failure(f"CONTROL_TOTAL:{column}", f"{column}: {_why_not(total, promised_total)}"))
    if not failures:
        return Verdict(**{**_fields(before), "metadata": metadata})
    return Verdict(
        gate=before.gate,
        outcome=Outcome.FAILED,
        results=(*before.results, *failures),
        reason="; ".join([*_reasons(failures), before.reason]).strip("; "),
        metadata=metadata,
    )


def _why_not(total: Decimal | None, promised: Decimal) -> str:
    if not promised.is_finite():
        return "what is promised is no number; expected digits with a point, such as 1234.50"
    return "it has another sum than is promised" if total is not None else "it has no sum: no column, or no numbers"


def _reasons(failures: Sequence[RuleResult]) -> list[str]:
    reasons = [failure.reason for failure in failures if failure.reason]
    counted = any(not failure.signature.startswith("REST_UNREAD") for failure in failures)
    return (
        [*reasons, "the rows are not those that the sender counted; ask for the delivery again"] if counted else reasons
    )


def _failure(signature: str, reason: str = "") -> RuleResult:
    return RuleResult.failed(signature, reason, rule=signature.split(":", 1)[0])


def _fields(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in ("gate", "outcome", "results", "compliance", "reason")}
