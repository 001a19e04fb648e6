"""What ``status`` shows of partitions with tokens of an older version of the key."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.errors import DataPlatformError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.installation import Platform


def outdated_tokens(platform: Platform) -> Counter[str]:
    """How many partitions of each dataset have such tokens; a key that cannot be read is a warning here."""
    try:
        if len(platform.settings.pii_keys.versions()) < 2:  # there was no rotation
            return Counter()
        from data_platform.stage.key_rotation import outdated

        found: Counter[str] = Counter()
        for item in outdated(platform):
            found[item.dataset] += len(item.partitions)
        return found
    except DataPlatformError as error:
        screen.err().print(f"warning: {error}", markup=False, soft_wrap=True)
        return Counter()


def print_outdated(partitions: Mapping[str, int]) -> None:
    """Prints a line if there are any."""
    if days := sum(partitions.values()):
        datasets = number_of(sum(count > 0 for count in partitions.values()), "dataset")
        have = f"{datasets} {'has' if days == 1 else 'have'}"
        line = f"{number_of(days, 'partition')} of {have} tokens of an older key: data-platform pii rotate --plan"
        screen.out().print(line, markup=False, soft_wrap=True, style="yellow")
