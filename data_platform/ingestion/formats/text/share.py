"""Distributes the text files of a delivery over tasks: a large file over several, many small files to one.

A large file is cut only where a record starts. A share yields exactly the records that a reader of the whole file
yields there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.model.packing import Packing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.text_format import TextFormat

SHARE_BYTES = 16 << 20
"""Large enough that the start of a task is negligible, small enough that a day of about 100 MB keeps all cores busy."""

_OPENING = 1 << 17
"""The cost of opening a file, in bytes that could be read in that time."""


@dataclass(frozen=True)
class Share:
    """Bytes from ``start``, where line ``line`` starts, up to ``end``; None means the end of the file."""

    file: int
    start: int = 0
    line: int = 1
    end: int | None = None

    @property
    def length(self) -> int | None:
        return None if self.end is None else self.end - self.start


WHOLE = Share(0)


def tasks_of(text_format: TextFormat, files: Sequence[DeliveryFile], cores: int) -> list[list[Share]]:
    """The shares of each task, in the order of the files. Packed and small files are not cut."""
    shares = [share for number, file in enumerate(files) for share in _shares(text_format, number, file)]
    costs = [_cost(share, files[share.file]) for share in shares]
    most = max(1, min(SHARE_BYTES, -(-sum(costs) // (2 * cores))))
    tasks: list[list[Share]] = []
    room = 0
    for share, cost in zip(shares, costs, strict=True):
        if not tasks or cost > room:
            tasks.append([])
            room = most
        tasks[-1].append(share)
        room -= cost
    return tasks


def _cost(share: Share, file: DeliveryFile) -> int:
    return _OPENING + (file.bytes if share.end is None else share.end) - share.start


def _shares(text_format: TextFormat, number: int, file: DeliveryFile) -> list[Share]:
    if file.packing is not Packing.NONE or file.bytes < 2 * SHARE_BYTES:
        return [Share(number)]
    cuts = [(0, 1)]
    try:
        with file.open() as source:
            for place, line in text_format.record_starts(source, file.name):
                if place - cuts[-1][0] >= SHARE_BYTES:
                    cuts.append((place, line))
    except SourceError:
        pass  # the unreadable bytes are in the last share, whose reader reports them
    ends = [*(place for place, _ in cuts[1:]), None]
    return [Share(number, start, line, end) for (start, line), end in zip(cuts, ends, strict=True)]
