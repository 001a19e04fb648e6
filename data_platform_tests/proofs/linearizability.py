"""Checks that the recorded operations on a pointer are those of one register with compare-and-set: linearizability.

Each version is written at most once, so a successful write names the one before it, and the order of writes is known.
What is left is to place each operation at one moment between its invocation and its response; the earliest possible
moments are as good as any. The check takes the time of sorting. ``porcupine`` checks the same by search.

A client reads a version before it expects it, which the check of refused writes relies on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

NEVER = 2**62
"""The response time of an operation whose process was killed before it knew the result."""


class Kind(StrEnum):
    READ = "read"
    WRITTEN = "written"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    """A write whose process was killed, or whose connection broke: it may have happened, now or later."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Times are nanoseconds of one clock. The result of a read is its ``version``; 0 is no version."""

    client: str
    kind: Kind
    invoked: int
    returned: int = NEVER
    version: int = 0
    expected: int = 0


class NotLinearizableError(AssertionError):
    """No order of the operations explains their results."""


def check(operations: Iterable[Operation]) -> int:
    """Returns the number of versions that the pointer had.

    Raises:
        NotLinearizableError: The message names the first operations that contradict each other.
    """
    by_kind = defaultdict[Kind, list[Operation]](list)
    for operation in operations:
        by_kind[operation.kind].append(operation)
    reads, refused = by_kind[Kind.READ], by_kind[Kind.REFUSED]
    chain = _chain(by_kind[Kind.WRITTEN], by_kind[Kind.UNKNOWN], reads)
    moments = _moments(chain, reads)
    next_moment = {write.version: moment for write, moment in zip([_START, *chain], [*moments[1:], NEVER], strict=True)}
    for write in refused:
        if next_moment.get(write.expected, 0) > write.returned:
            raise NotLinearizableError(f"v{write.expected} was there when {write} was refused")
    return len(chain)


_START = Operation(client="", kind=Kind.WRITTEN, invoked=0, returned=0)


def _chain(written: Sequence[Operation], unknown: Sequence[Operation], reads: Sequence[Operation]) -> list[Operation]:
    """The writes that happened, in their order: each expects the version of the one before it."""
    observed = {operation.version for operation in reads} | {operation.expected for operation in written}
    pending = {operation.version: operation for operation in unknown}
    happened = list(written)
    while seen := [pending.pop(version) for version in sorted(observed & pending.keys())]:
        happened += seen
        observed = {operation.expected for operation in seen}
    followers: dict[int, Operation] = {}
    for write in happened:
        if write.expected in followers:
            raise NotLinearizableError(f"two writes replaced one version: {followers[write.expected]} and {write}")
        followers[write.expected] = write
    chain, last = list[Operation](), 0
    while last in followers:
        chain.append(followers.pop(last))
        last = chain[-1].version
    if followers:
        raise NotLinearizableError(f"the version that it expected was never there: {next(iter(followers.values()))}")
    return chain


def _moments(chain: Sequence[Operation], reads: Sequence[Operation]) -> list[int]:
    """The earliest moment of each write, that of the first state included."""
    of_version = defaultdict[int, list[Operation]](list)
    for read in reads:
        of_version[read.version].append(read)
    if lost := of_version.keys() - {0, *(write.version for write in chain)}:
        raise NotLinearizableError(f"nobody wrote v{min(lost)}, which was read: {of_version[min(lost)][0]}")
    moments, before = [0], _START
    for write in chain:
        moment = max(moments[-1], write.invoked, *(read.invoked for read in of_version[before.version]), 0)
        first = min((write, *of_version[write.version]), key=lambda one: one.returned)
        if moment > first.returned:
            raise NotLinearizableError(f"{first} ended before {write} can have happened, which came after {before}")
        moments.append(moment)
        before = write
    return moments


def write_history(operations: Iterable[Operation], file: Path) -> None:
    """One JSON document a line, which ``porcupine`` reads."""
    file.write_text("".join(json.dumps(asdict(operation)) + "\n" for operation in operations))
