"""Whether a derived dataset's day can be made: are its inputs certified, and was it already made of them?

This reads only the catalog, and opens no Spark. ``silver`` decides by the same rules what a run reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.process import InputRows

if TYPE_CHECKING:
    from data_platform.catalog import Catalog
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.process import Input
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset, Policies


class State(StrEnum):
    """Whether a day can be made: an input is missing, newer inputs exist, or it was already made or held."""

    WAITING = "waiting"
    DUE = "due"
    MADE = "made"
    HELD = "held"


@dataclass(frozen=True)
class Readiness:
    """``missing`` are URNs of inputs that are not certified for the day; ``run_id`` is the run that made or held it."""

    state: State
    missing: tuple[str, ...] = ()
    run_id: str = ""


def readiness(catalog: Catalog, policies: Policies, dataset: Dataset, partition: PartitionKey | None) -> Readiness:
    """The state of a derived ``dataset``. A day that was held under an older policy is due: it may pass now."""
    assert dataset.process is not None, "only a derived dataset has inputs"  # noqa: S101
    inputs = {item.dataset: _certified(catalog, policies, item, partition) for item in dataset.process.inputs}
    missing = tuple(sorted(urn for urn, version in inputs.items() if version is None))
    if missing:
        return Readiness(State.WAITING, missing)
    silver = catalog.runs.latest(dataset.urn, Stage.SILVER, partition)
    if silver is None or any(silver.input_versions.get(urn, -1) < (version or 0) for urn, version in inputs.items()):
        return Readiness(State.DUE)
    return _how_far(catalog, dataset, partition, silver)


def _certified(catalog: Catalog, policies: Policies, item: Input, partition: PartitionKey | None) -> int | None:
    """The version at which the needed part of the input was last certified: the same partition, or everything."""
    pointer = catalog.certifications.get(item.dataset)
    if pointer is None or pointer.version is None:
        return None
    partitioned = policies.dataset(item.dataset).policy.partition is not None
    if partition is None or not partitioned or item.rows is InputRows.ALL:
        return pointer.judged_version or pointer.version  # unchanged while the pointer follows the same rows
    last = catalog.runs.latest(item.dataset, Stage.CERTIFIED, partition, passed_only=True)
    return last.version if last else None


def _how_far(catalog: Catalog, dataset: Dataset, partition: PartitionKey | None, silver: RunRow) -> Readiness:
    """A stage counts if it was made of the current result of the one before; one that never ran makes the day due."""
    last, before = silver, Stage.SILVER
    for stage in (Stage.GOLD, Stage.CERTIFIED):
        if not last.proceeds:
            return Readiness(
                State.HELD if last.policy_fingerprint == dataset.fingerprint else State.DUE, (), last.run_id
            )
        report = catalog.runs.latest(dataset.urn, stage, partition)
        read = report.input_versions.get(f"{dataset.urn}@{before}", -1) if report else -1
        if report is None or last.version is None or read < last.version:
            return Readiness(State.DUE)
        last, before = report, stage
    return Readiness(State.MADE if last.qualifies else State.HELD, run_id=last.run_id)
