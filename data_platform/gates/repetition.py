"""Part of G1_RESOLUTION: are these the rows of this day, or those of another day once more?

A sender that sends yesterday's file again breaks no other rule if no column has the day. The column of the partition
is not compared: a sender may write today's date into yesterday's rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.gates.expression import content_digest
from data_platform.model.delivered_content import CONTENT_DIGEST, REPEATED_DELIVERY, find_repetition
from data_platform.model.source import OnRepetition
from data_platform.model.verdict import Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pyspark.sql import Column

    from data_platform.gates.batch import BronzeBatch
    from data_platform.model.delivered_content import Repetition

_UNREAD = "_raw"
"""The text of a record that cannot be read, which has no values."""


def measures(batch: BronzeBatch) -> Mapping[Hashable, Column]:
    """The sums from which the digest of the rows is made; none for a dataset without partitions."""
    if batch.contents is None:
        return {}
    key = batch.policy.partition.key.lower() if batch.policy.partition else ""
    return content_digest.sums([c for c in batch.columns.columns if c.name.lower() != key], _UNREAD)


def judge(verdict: Verdict, batch: BronzeBatch, digest: str) -> Verdict:
    """``verdict`` with the digest of the rows, and failed or with a warning if they are those of another partition."""
    source = batch.policy.files
    if batch.contents is None or not digest:
        return verdict
    verdict = replace(verdict, metadata={**verdict.metadata, CONTENT_DIGEST: digest})
    if source is None:  # a table that did not change has the same rows each day
        return verdict
    repetition = find_repetition(digest, batch.contents(digest))
    if repetition is None:
        return verdict
    verdict = replace(verdict, metadata={**verdict.metadata, "same_rows_as": str(repetition.partition)})
    match source.repeated_delivery:
        case OnRepetition.HOLD:
            failed = Outcome.FAILED if verdict.passed else verdict.outcome
            return _with_repetition(replace(verdict, outcome=failed), repetition, Severity.BLOCK)
        case OnRepetition.WARN if not repetition.is_usual:
            return _with_repetition(verdict, repetition, Severity.WARN)
    return verdict


def _with_repetition(verdict: Verdict, repetition: Repetition, severity: Severity) -> Verdict:
    reason = (
        f"it has exactly the rows of the delivery of {repetition.partition}; ask the sender for the rows of this day, "
        "or set source.repeated_delivery: allow if the rows may stay the same"
    )
    result = RuleResult.failed(REPEATED_DELIVERY, reason, severity=severity)
    reasons = filter(None, (verdict.reason, reason))
    return replace(verdict, results=(*verdict.results, result), reason="; ".join(reasons))
