"""What a waiver lets through so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.model.partition_key import PartitionKey


@dataclass(frozen=True)
class WaiverEffect:
    """``is_used``: the version that consumers see depends on it. ``days`` are the newest on which its gate was waived.

    ``is_broken``: the last runs of its first day have such a failure.
    """

    is_used: bool
    days: tuple[PartitionKey, ...]
    is_broken: bool
