"""Finds releases that a slice of gold depends on and that were withdrawn before consumers have seen it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.quarantine_decision import RELEASES
from data_platform.model.verdict import RuleResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.installation import Platform
    from data_platform.model.run import RunRow


@dataclass(frozen=True)
class WithdrawnRelease:
    """``row`` is the run of gold whose rows depend on a release of ``entry``, which was withdrawn."""

    row: RunRow
    entry: str

    def results(self) -> Iterator[RuleResult]:
        yield RuleResult.failed(f"RELEASE_WITHDRAWN:{self.entry}", self.reason(), rule="release")

    def reason(self) -> str:
        """Why it cannot be certified, and what to do."""
        what = f"gold of {self.row.dataset_urn} {self.row.partition or ''}".rstrip()
        return (
            f"{what} has rows that the release of quarantine.{self.entry} let through, which was withdrawn: run "
            f"{self.row.partition or 'it'} again, which judges them without it"
        )


def withdrawn_releases(platform: Platform, rows: Iterable[RunRow]) -> list[WithdrawnRelease]:
    """For each of ``rows``, the entries whose release let a part of it through and counts no more."""
    return [
        WithdrawnRelease(row, entry)
        for row in rows
        if (numbers := releases_of([row]))
        for entry in platform.catalog.quarantine.withdrawn(numbers)
    ]


def releases_of(rows: Iterable[RunRow]) -> set[int]:
    """The numbers of the releases that ``rows`` depend on."""
    return {number for row in rows for number in row.metadata.get(RELEASES, ())}
