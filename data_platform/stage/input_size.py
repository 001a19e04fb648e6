"""Whether a run reads little, as far as the files tell before Spark is started.

Deliveries count, and the whole gold tables of the datasets that a run refers to or derives from. What cannot be
counted quickly is not little.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.lake.presence import is_remote
from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset

LITTLE_BYTES = 16 * 2**20
"""Spark's own start and its planning take longer than to read this."""

FEW_DAYS = 5
"""After more days in one process, Java's second compiler has paid for itself."""

MOST_FILES = 1000


def reads_little(platform: Platform, datasets: Sequence[Dataset], days: Sequence[PartitionKey | None]) -> bool:
    """Whether a run of ``datasets`` for ``days`` takes so short that Spark's start is most of it."""
    if len(days) > FEW_DAYS or any(dataset.policy.source and not dataset.policy.files for dataset in datasets):
        return False
    places = {place for dataset in datasets for day in days for place in _places(platform, dataset, day)}
    if any(is_remote(place) for place in places):
        return False
    left_bytes, left_files = LITTLE_BYTES, MOST_FILES
    for file in (file for place in sorted(places) for file in _files(Path(place.removeprefix("file://")))):
        left_bytes, left_files = left_bytes - _size(file), left_files - 1
        if left_bytes < 0 or left_files < 0:
            return False
    return True


def _places(platform: Platform, dataset: Dataset, day: PartitionKey | None) -> Iterator[str]:
    """The folders that a run of the dataset reads, besides its own tables."""
    source, process = dataset.policy.files, dataset.process
    if source is not None:
        yield str(platform.settings.landing / source.on(day if dataset.policy.partition else None).path)
    read = [reference.dataset for reference in dataset.bundle.contract.references]
    read += [item.dataset for item in process.inputs] if process is not None else []
    for urn in read:
        yield platform.path(platform.policies.dataset(urn), Stage.GOLD)


def _files(folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(place, name)


def _size(file: str) -> int:
    """0 if the file is gone: the run itself reports that."""
    try:
        return os.stat(file).st_size
    except OSError:
        return 0
