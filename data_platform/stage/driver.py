"""Runs the stages of a dataset: Dagster, the command line, tests and benches all use this module."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from data_platform.errors import (
    EnvironmentProblem,
    PolicyError,
    SourceError,
    UnreadableVersionError,
    UsageError,
    VanishedInputError,
)
from data_platform.model.dataset import Stage
from data_platform.policies.approval import require_approved
from data_platform.stage import bronze, gold, silver
from data_platform.stage.candidate import Attempt
from data_platform.stage.certify import certify
from data_platform.stage.event_emitter import end_runs, failures_recorded
from data_platform.stage.landed_delivery import examine
from data_platform.stage.lease import leased
from data_platform.stage.reconcile import reconcile
from data_platform.stage.spark_failure import explained
from data_platform.stage.unjudged_stage import with_damaged_inputs, without_baseline, without_inputs
from data_platform.stage.writer import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.examined_file import ExaminedFiles
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset
    from data_platform.stage.candidate import Candidate

_PREPARE = {Stage.SILVER: silver.prepare, Stage.GOLD: gold.prepare}


def prepare(
    platform: Platform,
    dataset: Dataset,
    stage: Stage,
    partition: PartitionKey | None,
    run_id: str,
    examined: ExaminedFiles | None = None,
) -> Candidate:
    """What ``stage`` would write, by the policy as it is on disk now. Certification writes nothing, and is refused.

    Files of the delivery in ``examined`` that have not changed since are not read again.
    """
    dataset = platform.current(dataset)
    if stage is Stage.BRONZE and stage in dataset.stages:
        return bronze.prepare(platform, dataset, partition, run_id, examined)
    if stage not in dataset.stages or stage not in _PREPARE:
        raise UsageError(f"{dataset.urn} has no stage {stage}; it has {', '.join(dataset.stages) or 'none: external'}")
    return _PREPARE[stage](platform, dataset, partition, run_id)


def _written(
    platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None, run_id: str
) -> StageReport:
    """The report of a stage that writes; it is held if a baseline is missing or an input vanished.

    The lease is taken before anything is decided: a run that waits for another one then reads what that one has left,
    and never overwrites it with rows of an older delivery or policy. Only checksums of files that are still the same
    are from before it, so that a large delivery does not keep other days of its dataset waiting.
    """
    is_delivered = stage is Stage.BRONZE and stage in dataset.stages
    examined = examine(platform, dataset, partition) if is_delivered else None
    with leased(platform, dataset, run_id) as lease:
        attempt = Attempt(platform.current(dataset), stage, partition, run_id, platform.now())
        _reconcile(platform, attempt)
        held = without_baseline(platform, attempt) if stage in attempt.dataset.stages else None
        if held is not None:
            return write(platform, held, lease)
        try:
            candidate = prepare(platform, dataset, stage, partition, run_id, examined)
        except (VanishedInputError, UnreadableVersionError) as error:
            return write(platform, without_inputs(platform, attempt, error.inputs, error), lease)
        with closing(candidate):
            try:
                return write(platform, candidate, lease)
            except (SourceError, PolicyError, EnvironmentProblem) as error:
                held = _without_its_input(platform, attempt, candidate, error)
                if held is None:
                    raise
                _reconcile(platform, attempt)  # what the write has left, before it counts as judged
                return write(platform, held, lease)


def _without_its_input(
    platform: Platform, attempt: Attempt, candidate: Candidate, error: Exception
) -> Candidate | None:
    """A candidate that is held since an input is gone or cannot be read; None if ``error`` has another cause."""
    missing = candidate.missing_inputs()
    if not missing and (damaged := candidate.damaged_inputs()):
        return with_damaged_inputs(platform, candidate, damaged)
    if not missing and not isinstance(error, VanishedInputError):
        return None
    return without_inputs(platform, attempt, missing, error)


def _reconcile(platform: Platform, attempt: Attempt) -> None:
    with explained(attempt, None):
        reconcile(platform, attempt.dataset, attempt.run_id)


def run_stage(
    platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None, run_id: str
) -> StageReport:
    """Runs one stage from beginning to end, and returns its report; a stage that raises is recorded as failed.

    Raises:
        DataPlatformError: It could not be read, written or judged. A gate that holds it raises nothing.
        UsageError: The dataset was onboarded, and its policy is not approved.
    """
    require_approved(platform.current(dataset), platform.catalog.onboardings.approval(dataset.urn))
    with failures_recorded(platform, dataset, stage, partition, run_id):
        platform.catalog.evidence.require_key()  # without it no verdict could be recorded, so nothing is written
        if stage is Stage.CERTIFIED:
            return certify(platform, dataset, partition, run_id)
        return _written(platform, dataset, stage, partition, run_id)


def run(platform: Platform, dataset: Dataset, partition: PartitionKey | None, run_id: str) -> Iterator[StageReport]:
    """Runs every stage in order and yields each report; a held stage is the last."""
    try:
        for stage in dataset.stages:
            report = run_stage(platform, dataset, stage, partition, run_id)
            yield report
            if not report.proceeds:
                return
    finally:
        end_runs(platform)
