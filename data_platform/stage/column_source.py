"""The sources of the columns of a stage's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.policies import Dataset

_BEFORE = {Stage.SILVER: Stage.BRONZE, Stage.GOLD: Stage.SILVER, Stage.CERTIFIED: Stage.GOLD}


def stage_before(dataset: Dataset, stage: Stage) -> Stage | None:
    """The stage that the rows come from; None if they come from a delivery or from other datasets."""
    before = _BEFORE.get(stage)
    return before if before in dataset.stages else None


def visible_columns(dataset: Dataset) -> Schema:
    """Declared columns, and the partition's column, which the platform adds if the delivery does not have it."""
    declared, added = dataset.bundle.schema_.declared, dataset.added_column
    return Schema.of((*declared.columns, Column(name=added, type=COLUMN_TYPE, nullable=False))) if added else declared


def input_columns(platform: Platform, dataset: Dataset) -> dict[str, Schema]:
    """The columns of each input of the dataset's process, by URN."""
    inputs = dataset.process.inputs if dataset.process else ()
    return {item.dataset: visible_columns(platform.policies.dataset(item.dataset)) for item in inputs}
