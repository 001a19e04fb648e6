"""The access token of the user of a command: from a file, or from DATA_PLATFORM_TOKEN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.settings import Settings


def read_access_token(settings: Settings, file: Path | None) -> str | None:
    """None if there is none. Raises: UsageError, if the file cannot be read."""
    if file is None:
        return settings.access_token
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read: expected a file with an access token") from None
