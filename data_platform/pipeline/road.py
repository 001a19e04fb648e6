"""Runs stages by name, for whoever starts them: Dagster, the command line, tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.pipeline import bronze, gold, silver
from data_platform.pipeline.certify import certify
from data_platform.pipeline.deliver import deliver
from data_platform.pipeline.telling import end_runs, failures_told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from data_platform.model.run import StageReport
    from data_platform.pipeline.candidate import Candidate
    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset

_PREPARE = {Stage.BRONZE: bronze.prepare, Stage.SILVER: silver.prepare, Stage.GOLD: gold.prepare}


def prepare(platform: Platform, dataset: Dataset, stage: Stage, partition: date | None, run_id: str) -> Candidate:
    """What ``stage`` would write, by the policy as it is on disk now. Certification writes nothing, and is not here."""
    dataset = platform.current(dataset)
    if stage not in dataset.stages or stage not in _PREPARE:
        raise UsageError(f"{dataset.urn} has no stage {stage}; it has {', '.join(dataset.stages) or 'none: external'}")
    return _PREPARE[stage](platform, dataset, partition, run_id)


def run_stage(platform: Platform, dataset: Dataset, stage: Stage, partition: date | None, run_id: str) -> StageReport:
    """One stage from beginning to end."""
    with failures_told(platform, dataset, stage, partition, run_id):
        if stage is Stage.CERTIFIED:
            return certify(platform, dataset, partition, run_id)
        return deliver(platform, prepare(platform, dataset, stage, partition, run_id))


def run(platform: Platform, dataset: Dataset, partition: date | None, run_id: str) -> Iterator[StageReport]:
    """Every stage in order, each report as it comes; a stage that was held is the last."""
    try:
        for stage in dataset.stages:
            report = run_stage(platform, dataset, stage, partition, run_id)
            yield report
            if not report.passed:
                return
    finally:
        end_runs(platform)
