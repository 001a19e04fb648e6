"""Applies the approved waivers of a dataset to verdicts, and finds waivers that a slice depends on and that ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.model.verdict import Outcome, RuleResult
from data_platform.model.waiver import WAIVERS, WaiverStatus, waive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.installation import Platform
    from data_platform.model.run import RunRow
    from data_platform.model.verdict import Verdict
    from data_platform.model.waiver import Waiver
    from data_platform.stage.candidate import Attempt


@dataclass(frozen=True)
class LapsedWaiver:
    """``row`` is the run of gold that depends on ``waiver``, which counts no more."""

    row: RunRow
    waiver: Waiver

    def results(self) -> Iterator[RuleResult]:
        yield RuleResult.failed(f"WAIVER_{self.waiver.status}:{self.waiver.gate}", self.reason(), rule="waiver")

    def reason(self) -> str:
        """Why it cannot be certified, and what to do."""
        what = f"gold of {self.row.dataset_urn} {self.row.partition or ''}".rstrip()
        return (
            f"{what} depends on waiver {self.waiver.number}, which is {self.waiver.status} now: run "
            f"{self.row.partition or 'it'} again, or have a new waiver approved and then run it again"
        )


def waived(platform: Platform, attempt: Attempt, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """``verdicts``, which are redacted, with those WAIVED that an approved waiver covers now."""
    judged = tuple(verdicts)
    if all(verdict.outcome is not Outcome.FAILED for verdict in judged):
        return judged
    waivers = platform.catalog.waivers.find(attempt.dataset.urn, now=platform.now())
    return waive(judged, waivers, attempt.partition)


def uses_in(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """What a run records of the waivers that its verdicts depend on."""
    return [use for verdict in verdicts for use in verdict.metadata.get(WAIVERS, ())]


def lapsed_waivers(platform: Platform, rows: Iterable[RunRow]) -> list[LapsedWaiver]:
    """For each of ``rows``, the waivers that it or a stage before it depends on and that are not approved any more."""
    lapsed = []
    for row in rows:
        for use in row.metadata.get(WAIVERS, ()):
            waiver = platform.catalog.waivers.get(use["number"], now=platform.now())
            if waiver.status is not WaiverStatus.APPROVED:
                lapsed.append(LapsedWaiver(row, waiver))
    return lapsed
