"""Is there anything to make of a derived dataset's day: are its inputs certified, and was it made of them already?

This asks the catalog alone, and opens no Spark. What a run would read is decided in ``silver``, by the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.process import InputRows

if TYPE_CHECKING:
    from datetime import date

    from data_platform.catalog import Catalog
    from data_platform.model.process import Input
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset, Policies


class State(StrEnum):
    """Of what can be made: not from all of its inputs, from newer ones than so far, or it was made or held already."""

    WAITING = "waiting"
    DUE = "due"
    MADE = "made"
    HELD = "held"


@dataclass(frozen=True)
class Readiness:
    """``missing`` are URNs of inputs that are not certified for the day; ``run_id`` is who made or held it."""

    state: State
    missing: tuple[str, ...] = ()
    run_id: str = ""


def readiness(catalog: Catalog, policies: Policies, dataset: Dataset, partition: date | None) -> Readiness:
    """Of a derived ``dataset``. Held under another policy than today's counts as due: it may pass now."""
    assert dataset.process is not None, "only a derived dataset has inputs"  # noqa: S101
    day = partition.isoformat() if partition else None
    inputs = {item.dataset: _certified(catalog, policies, item, day) for item in dataset.process.inputs}
    missing = tuple(sorted(urn for urn, version in inputs.items() if version is None))
    if missing:
        return Readiness(State.WAITING, missing)
    silver = catalog.runs.latest(dataset.urn, Stage.SILVER, day)
    if silver is None or any(silver.input_versions.get(urn, -1) < (version or 0) for urn, version in inputs.items()):
        return Readiness(State.DUE)
    return _how_far(catalog, dataset, day, silver)


def _certified(catalog: Catalog, policies: Policies, item: Input, day: str | None) -> int | None:
    """The version at which what is read of the input was certified last: of the same day, or of everything."""
    pointer = catalog.certifications.get(item.dataset)
    if pointer is None or pointer.version is None:
        return None
    daily = policies.dataset(item.dataset).policy.partition is not None
    if day is None or not daily or item.rows is InputRows.ALL:
        return pointer.judged_version or pointer.version  # which stays while the pointer follows the same rows
    last = catalog.runs.latest(item.dataset, Stage.CERTIFIED, day, passed_only=True)
    return last.version if last else None


def _how_far(catalog: Catalog, dataset: Dataset, day: str | None, silver: RunRow) -> Readiness:
    """A stage counts if it was made of the one before as that is now; one that never ran leaves the day due."""
    last, before = silver, Stage.SILVER
    for stage in (Stage.GOLD, Stage.CERTIFIED):
        if not last.passed:
            return Readiness(
                State.HELD if last.policy_fingerprint == dataset.fingerprint else State.DUE, (), last.run_id
            )
        report = catalog.runs.latest(dataset.urn, stage, day)
        read = report.input_versions.get(f"{dataset.urn}@{before}", -1) if report else -1
        if report is None or last.version is None or read < last.version:
            return Readiness(State.DUE)
        last, before = report, stage
    return Readiness(State.MADE if last.passed else State.HELD, run_id=last.run_id)
