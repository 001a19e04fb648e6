"""The line of ``status`` about partitions with tokens of an older version of the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.installation import Platform


def print_outdated(platform: Platform) -> None:
    """Prints nothing if there was no rotation, or every partition was run again since."""
    if len(platform.settings.pii_keys.versions()) < 2:
        return
    from data_platform.stage import key_rotation

    waiting = key_rotation.outdated(platform)
    if days := sum(len(item.partitions) for item in waiting):
        line = (
            f"{number_of(days, 'partition')} of {number_of(len({item.dataset for item in waiting}), 'dataset')} with "
            "tokens of an older key: data-platform pii rotate --plan"
        )
        screen.out().print(line, markup=False, soft_wrap=True, style="yellow")
