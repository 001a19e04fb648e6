"""Versions of gold that passed, and are not certified: they were rolled back since, or their files are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import ConflictError, UnreadableVersionError
from data_platform.lake.presence import find_damage
from data_platform.stage.gold_history import discarded

if TYPE_CHECKING:
    from data_platform.lake.table import LakeTable
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset


def refuse_discarded(dataset: Dataset, table: LakeTable, judged: int, partition: PartitionKey | None) -> None:
    """Independent of the pointer: after a restore it is at the restored version, and the judged one is older."""
    if judged in discarded(table.history_since(judged - 1)):
        raise ConflictError(
            f"gold of {dataset.urn} {partition or ''} passed as v{judged} of {table.path}, and the table was restored "
            "to an older version since: run gold again"
        )


def refuse_damaged(dataset: Dataset, table: LakeTable, version: int) -> None:
    """A VACUUM without retention deletes files that are being written and not committed yet, and gold passes."""
    damage = find_damage(table.path, version)
    if damage is not None:
        raise UnreadableVersionError(
            f"v{version} of {table.path} (gold of {dataset.urn}) passed and cannot be read: {damage}. Consumers keep "
            "what they see; run each day whose files are gone again, and find out who deletes files below the lake"
        )
