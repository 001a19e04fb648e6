"""A slice of gold that failed in a mode that does not hold: it is in the table, and must not be certified.

This does not depend on today's mode. A slice that failed while its dataset was on WARN stays failed after a change to
HARD_FAIL, until a run of its day passes or ``data-platform restore`` rolls it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.run import ENFORCEMENT, FAILED_BEFORE
from data_platform.model.verdict import Outcome, RuleResult
from data_platform.stage.gold_history import find_failed, slices_of
from data_platform.stage.waiving import lapsed_waivers
from data_platform.stage.withdrawn_release import withdrawn_releases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.installation import Platform
    from data_platform.lake.table import LakeTable
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset
    from data_platform.stage.gold_history import Write
    from data_platform.stage.waiving import LapsedWaiver
    from data_platform.stage.withdrawn_release import WithdrawnRelease


@dataclass(frozen=True)
class FailedSlice:
    """``row`` is the run of gold that wrote the slice; it, or a stage before it, failed."""

    row: RunRow

    def results(self) -> Iterator[RuleResult]:
        yield RuleResult.failed(f"NOT_PASSED:{self._stages[0]}", self.reason(), rule="enforcement")

    def reason(self) -> str:
        """Why it cannot be certified, and what to do."""
        row, mode = self.row, self.row.metadata.get(ENFORCEMENT)
        what = f"{Stage.GOLD} of {row.dataset_urn} {row.partition or ''}".rstrip()
        return (
            f"{what} has rows of {'; '.join(self._failures)}, and was written since its enforcement is {mode}: fix the "
            f"cause and run {row.partition or 'it'} again, or roll it back with data-platform restore {row.dataset_urn}"
        )

    @property
    def _failures(self) -> list[str]:
        own = [f"gold in {self.row.run_id}: {', '.join(self.row.signatures) or self.row.reason}"]
        return [*self.row.metadata.get(FAILED_BEFORE, ()), *(own if self.row.outcome is Outcome.FAILED else ())]

    @property
    def _stages(self) -> list[str]:
        return [text.partition(" ")[0] for text in self._failures]


def new_slices(platform: Platform, dataset: Dataset, writes: Sequence[Write], judged: RunRow) -> tuple[RunRow, ...]:
    """The runs of gold whose slices consumers would see for the first time; ``judged`` is that of the requested day.

    The requested one counts without a commit too: a slice without rows makes none.
    """
    rows = slices_of(writes)
    last = platform.catalog.runs.latest(dataset.urn, Stage.CERTIFIED, judged.partition, passed_only=True)
    is_new = last is None or last.finished_at < judged.finished_at
    return (*rows, judged) if is_new and judged.run_id not in {row.run_id for row in rows} else rows


def obstacles(
    platform: Platform, table: LakeTable, writes: Sequence[Write], judged: RunRow, slices: Sequence[RunRow]
) -> Sequence[FailedSlice | LapsedWaiver | WithdrawnRelease]:
    """What keeps gold's latest version, with its new ``slices``, from being certified, whatever today's policy is."""
    rows = (*find_failed(table, writes), *(() if judged.qualifies else (judged,)))
    failed = {row.run_id: FailedSlice(row) for row in rows}
    return list(failed.values()) or [*lapsed_waivers(platform, slices), *withdrawn_releases(platform, slices)]
