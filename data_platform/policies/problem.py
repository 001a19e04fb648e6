"""Problems of policy files with their place, and suggestions for misspelt names."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.policies.document import Location

_CLOSE = 0.7
"""Minimal share of letters in common. By difflib's own 0.6 ``order_id`` would be a misspelt ``customer_id``."""


@dataclass(frozen=True, order=True)
class Problem:
    """``file`` is relative to the parent of the policies folder. A ``line`` of 0 means the file as a whole."""

    file: str
    line: int
    key: str
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.key, self.text) if part)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A problem of a policy that was read: of a dataset (a URN) at ``location`` of its policy_bundle.yaml, or of a
    process (its name) in its ``step``, counted from 0, at ``line`` of the query.
    """

    owner: str
    text: str
    location: Location = ()
    step: int | None = None
    line: int = 0


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """``; did you mean x?``, or empty if no allowed name is close. Case does not count."""
    by_part = {_distinct_part(name): name for name in allowed}
    close = get_close_matches(_distinct_part(word), by_part, n=1, cutoff=_CLOSE)
    return f"; did you mean {by_part[close[0]]}?" if close else ""


def _distinct_part(word: str) -> str:
    return word.lower().removeprefix("ds://")  # all URNs share it, so any two would be similar
