"""``guard``: a job's frame, judged before the job writes it; and what is reported of that."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.errors import ContractError
from data_platform.frame.contract import is_pandas, require_spark
from data_platform.job_guard.approval import UnknownApprovalError, approval_of
from data_platform.legacy.client import register_checks, service_of
from data_platform.model.enforcement import Enforcement
from data_platform.model.number_text import number_of
from data_platform.policies.approval import require_approved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.job_guard.judgement import Judgement
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset
    from data_platform.settings import Settings

LOG = logging.getLogger(__name__)


class FrameHeldError(ContractError):
    """The frame must not be written. ``guarded`` has its verdicts, and the rows that break rules on single rows."""

    def __init__(self, guarded: Guarded) -> None:
        self.guarded = guarded
        super().__init__(str(guarded))


class GateFailedWarning(UserWarning):
    """A gate failed, and the enforcement mode of the dataset lets the frame be written."""


@dataclass(frozen=True)
class Guarded:
    """``accepted`` are the rows to write, ``rejected`` those to keep elsewhere, with the reasons in ``_violations``.

    Both are frames of the kind that was given, with its columns. ``verdicts`` has one verdict of each gate; none if
    ``DATA_PLATFORM_GUARD`` is ``off``, and then all rows are accepted.
    """

    dataset: str
    enforcement: Enforcement
    rows: int
    rejected_rows: int
    verdicts: tuple[Verdict, ...]
    accepted: Any
    rejected: Any

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def held(self) -> bool:
        """Whether the mode of the dataset keeps the frame from being written."""
        return not self.passed and self.enforcement.blocks

    def __str__(self) -> str:
        head = f"{self.dataset}: {'held' if self.held else 'passed' if self.passed else 'failed, and not held'}"
        counts = f"{number_of(self.rows, 'row')}, {self.rejected_rows} rejected, {self.enforcement.mode}"
        lines = [f"{head} ({counts})"]
        for verdict in self.verdicts:
            if not verdict.passed:
                lines.append(f"  {verdict.gate} {verdict.outcome}")
                lines += [f"    {line}" for line in verdict.explanation(limit=10) or verdict.signatures[:10]]
        return "\n".join(lines)


def guard(
    settings: Settings,
    dataset: Dataset,
    frame: Any,
    *,
    partition: str | None,
    process: str | None,
    references: Mapping[str, Any],
) -> Guarded:
    """See ``data_platform.guard``."""
    spool = service_of().spool.folder
    try:
        require_approved(dataset, approval_of(settings, dataset, Path(spool)))
    except UnknownApprovalError:
        LOG.warning("%s: whether its policy is approved is not known, since the catalog did not answer", dataset.urn)
    judgement = _judge(dataset, frame, references)
    verdicts = tuple(verdict.redacted() for verdict in judgement.verdicts)
    guarded = Guarded(
        dataset=dataset.urn,
        enforcement=dataset.enforcement,
        rows=judgement.rows,
        rejected_rows=judgement.rejected_rows,
        verdicts=verdicts,
        accepted=judgement.accepted,
        rejected=judgement.rejected,
    )
    register_checks(
        dataset.urn,
        {verdict.gate.value: verdict.passed for verdict in verdicts},
        details={verdict.gate.value: list(verdict.signatures) for verdict in verdicts if verdict.signatures},
        severity="error" if dataset.enforcement.blocks else "warn",
        partition=partition,
        process=process,
    )
    if guarded.held:
        raise FrameHeldError(guarded)
    if not guarded.passed:
        warnings.warn(str(guarded), GateFailedWarning, stacklevel=3)
    return guarded


def unguarded(urn: str, frame: Any) -> Guarded:
    """All rows, not judged: somebody has switched the guard off."""
    if is_pandas(frame):
        rows, rejected = len(frame), frame.iloc[:0]
    else:
        rows, rejected = 0, require_spark(frame).limit(0)
    LOG.warning("%s: nothing was judged, since DATA_PLATFORM_GUARD is off", urn)
    return Guarded(urn, Enforcement(), rows, 0, (), frame, rejected)


def _judge(dataset: Dataset, frame: Any, references: Mapping[str, Any]) -> Judgement:
    if is_pandas(frame):
        from data_platform.job_guard.pandas_judge import judge_frame

        return judge_frame(dataset, frame)
    from data_platform.job_guard.spark_judge import judge

    return judge(dataset, require_spark(frame), references, now=datetime.now(UTC))
