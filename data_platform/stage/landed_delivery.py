"""The delivery of a partition in the landing folder, as the policy of its dataset describes it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.ingestion.delivery import find_delivery
from data_platform.ingestion.examined_file import ExaminedFiles
from data_platform.ingestion.landing.selection import Neighbour
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from data_platform.ingestion.delivery import Delivery
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset


def examine(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> ExaminedFiles:
    """Reads the files of the delivery, which takes long for large ones, so that ``bronze.prepare`` need not.

    It decides nothing: what cannot be read now is reported by ``bronze.prepare``, when this run has the lease.
    """
    examined = ExaminedFiles()
    with suppress(DataPlatformError):
        current = platform.current(dataset)
        if current.policy.files is not None:
            landed_delivery(platform, current, partition, examined)
    return examined


def landed_delivery(
    platform: Platform, dataset: Dataset, partition: PartitionKey | None, examined: ExaminedFiles | None
) -> Delivery:
    """The delivery of ``partition``; files in ``examined`` that have not changed since are not read again."""
    source, others = dataset.policy.files, _neighbours(platform, dataset)
    assert source is not None, "only files land"  # noqa: S101
    return find_delivery(platform.settings.landing, source, partition, as_delivered(dataset), others, examined)


def _neighbours(platform: Platform, dataset: Dataset) -> list[Neighbour]:
    """Other datasets that have files in the landing zone."""
    sources = [(other.urn, other.policy.files) for other in platform.policies.datasets if other.urn != dataset.urn]
    return [Neighbour(urn, source) for urn, source in sources if source is not None]


def as_delivered(dataset: Dataset) -> Schema:
    """The declared columns as a delivery can have them: text where the format has no types, and all nullable."""
    return in_format(dataset, dataset.bundle.schema_.declared)


def in_format(dataset: Dataset, schema: Schema) -> Schema:
    """``schema`` as files of the source can have it: text where the format has no types, and all nullable."""
    source = dataset.policy.source
    is_typed = source is not None and source.traits.is_typed
    return Schema.of(Column(name=c.name, type=c.type if is_typed else "string") for c in schema.columns)
