"""How serious a finding of lint is. The command's options need it, so it is apart from the checks and loads nothing."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """The effect in CI: an error fails the check, unless ``--fail-on`` says otherwise."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def weight(self) -> int:
        return list(Level).index(self)
