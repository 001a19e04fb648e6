"""Which keys the tokens in a partition were made with, as its stages record it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey

KEY_ID = "token_key"
"""The metadata key of a stage's report for the id of the key with which it made tokens."""
TOKEN_KEYS = "token_keys"  # noqa: S105 - a name, not a secret
"""The metadata key for all keys of the tokens in its rows, also of those that its inputs had: their versions by id."""


@dataclass(frozen=True, kw_only=True)
class TokenUse:
    """Rows of silver, or of the certified version of gold, have tokens of a version of the key."""

    dataset_urn: str
    stage: Stage
    partition: PartitionKey | None
    version: int
    key_id: str


def ranges_of(
    partitions: Iterable[PartitionKey | None], most: int
) -> tuple[tuple[PartitionKey | None, PartitionKey | None], ...]:
    """The first and last of each range of adjacent partitions, ``most`` in one; (None, None) for a whole dataset."""
    found = set(partitions)
    ranges: list[tuple[PartitionKey | None, PartitionKey | None]] = [(None, None)] if None in found else []
    for partition in sorted(key for key in found if key is not None):
        first, last = ranges[-1] if ranges else (None, None)
        if first is not None and last is not None and last.next == partition and first.steps_to(partition) < most:
            ranges[-1] = (first, partition)
        else:
            ranges.append((partition, partition))
    return tuple(ranges)


def keys_in(metadata: Mapping[str, Any]) -> dict[str, int]:
    """The versions of the keys of a report by their ids. Older reports have the first version, without its number."""
    found = metadata.get(TOKEN_KEYS) or {metadata[name]: 1 for name in (KEY_ID,) if name in metadata}
    return {str(key_id): int(version) for key_id, version in found.items()}
