"""What other commands show of quarantine: open and stale entries of a dataset, and rows that people released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.gates.released import RELEASED, sentence
from data_platform.model.dataset import Stage
from data_platform.model.number_text import number_of
from data_platform.model.quarantine_card import STALE_AFTER

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.quarantine import QuarantineEntry


def quarantine_summary(own: Collection[QuarantineEntry], now: datetime) -> dict[str, Any]:
    """Open entries of a dataset, how many of them are stale, and since when the oldest is open."""
    return {
        "open": len(own),
        "stale": sum(now - entry.created_at > STALE_AFTER for entry in own),
        "oldest": min((entry.created_at for entry in own), default=None),
    }


def print_stale(stale: Mapping[str, int]) -> None:
    """Prints a line for each dataset with stale entries."""
    for urn, entries in stale.items():
        if entries:
            tables = number_of(entries, "quarantine table")
            line = f"{tables} of {urn} open for more than {STALE_AFTER.days} days: data-platform quarantine list {urn}"
            screen.out().print(line, markup=False, soft_wrap=True, style="yellow")


def released_rows(platform: Platform, urn: str) -> list[str]:
    """A sentence for each day of the certified version that contains what people released."""
    days = dict.fromkeys(decision.partition for decision in platform.catalog.quarantine.applied(urn))
    sentences = []
    for day in days:
        last = platform.catalog.runs.latest(urn, Stage.CERTIFIED, day, passed_only=True)
        if last is not None and (released := last.metadata.get(RELEASED)):
            sentences.append(f"{urn} {day or ''}".rstrip() + f": {sentence(released)}")
    return sentences
