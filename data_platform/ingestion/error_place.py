"""Splits the message of a ``SourceError`` into its line and its reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.errors import SourceError


def line_and_reason(error: SourceError, file: str) -> tuple[int | None, str]:
    """The line, if the message names one, and the message without file, line and the word header."""
    match = re.match(r"(?::(\d+))?: (?:header: )?", rest := str(error).removeprefix(file))
    if match is None:
        return None, rest.removeprefix("/")  # the name of a zip entry
    return (int(match[1]) if match[1] else None), rest[match.end() :]
