"""Recorded control totals: those that the sender promised silver, and those that silver kept for gold.

Bronze checks that the delivery has them, silver that it read the same rows (and records the sums of those it kept),
gold that it has exactly what silver kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.control_total import KEPT, parse
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate

if TYPE_CHECKING:
    from decimal import Decimal

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset

PROMISED = "control_totals"


def promised_to_silver(bronze: RunRow) -> dict[str, Decimal]:
    return parse(bronze.metadata.get(PROMISED, {}))


def kept_by_silver(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> dict[str, Decimal]:
    last = platform.catalog.runs.latest(dataset.urn, Stage.SILVER, partition)
    if last is None:
        return {}
    verdicts = platform.catalog.runs.verdicts(last.run_id, dataset.urn, Stage.SILVER)
    sums: dict[str, str] = next((v.metadata.get(KEPT, {}) for v in verdicts if v.gate is Gate.G4_CONTRACT), {})
    return parse(sums)
