"""Digests of the rows that were delivered for each partition, and whether a delivery repeats another one.

A dataset that rarely changes, such as a list of currencies, repeats its rows each day, and one of prices on each
weekend. So a repetition is usual if the deliveries before it show the habit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.partition_key import PartitionKey

REPEATED_DELIVERY = "REPEATED_DELIVERY"
"""The signature of a delivery that has the rows of another partition."""
CONTENT_DIGEST = "content_digest"
"""The key of the digest in the metadata of G1's verdict."""
NEWEST_BEFORE = 60
"""Deliveries before a partition that it is compared with: two months of days, which show the habits of each week."""
NEXT_AFTER = 7
"""Deliveries after it: if a late day is delivered, its sender may send the rows of the current day."""
_NEVER_CHANGED = 3
"""As many equal deliveries, and no other one, show that a dataset rarely changes."""
_HABIT = 0.5
"""A dataset at least half of whose deliveries repeated an earlier one rarely changes."""
_EARLIER_TIMES = 3
"""If its rows stayed the same for as long as now that many times before, this is usual, as on weekends."""


@dataclass(frozen=True)
class DeliveredContent:
    """``digest`` is equal for the same rows in any order, files and compression."""

    partition: PartitionKey
    digest: str


@dataclass(frozen=True)
class ContentHistory:
    """The accepted deliveries of the partitions before one, and of some after it, in their order."""

    before: Sequence[DeliveredContent] = ()
    after: Sequence[DeliveredContent] = ()


@dataclass(frozen=True)
class Repetition:
    """``partition`` is the nearest one with the same rows."""

    partition: PartitionKey
    is_usual: bool


def find_repetition(digest: str, history: ContentHistory) -> Repetition | None:
    """The nearest partition whose delivery has the rows of ``digest``; earlier ones first."""
    for content in (*reversed(history.before), *history.after):
        if content.digest == digest:
            return Repetition(content.partition, _is_usual(digest, [one.digest for one in history.before]))
    return None


def _is_usual(digest: str, before: Sequence[str]) -> bool:
    unchanged = len(list(takewhile(lambda one: one == digest, reversed(before))))
    earlier = before[: len(before) - unchanged]
    if not earlier:
        return unchanged >= _NEVER_CHANGED
    repeated = sum(one in earlier[:place] for place, one in enumerate(earlier))
    if repeated >= _HABIT * len(earlier) and len(earlier) >= _NEVER_CHANGED:
        return True
    spans = [len(list(same)) for _, same in groupby(earlier)]
    return unchanged > 0 and sum(span > unchanged for span in spans) >= _EARLIER_TIMES
