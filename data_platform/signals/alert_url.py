"""The URLs of channels, which contain passwords: they are never printed, logged or stored.

The environment has them as ``DATA_PLATFORM_ALERT_URL_<CHANNEL>``; the file ``DATA_PLATFORM_ALERTS_FILE`` has one
``channel=url`` a line. The environment wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.settings import Settings


def url_variable(channel: str) -> str:
    """The environment variable with the URL of a channel."""
    return f"DATA_PLATFORM_ALERT_URL_{channel.upper()}"


def alert_urls(settings: Settings) -> dict[str, str]:
    """The URL of each channel that has one.

    Raises:
        UsageError: The file cannot be read, or a line of it is not ``channel=url``.
    """
    return {**(_read(settings.alerts_file) if settings.alerts_file else {}), **settings.alert_urls}


def _read(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{file} (DATA_PLATFORM_ALERTS_FILE) cannot be read: {why}") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, url = (part.strip() for part in line.partition("="))
        if not equals or not name or not url:
            # not the line itself, which may be a URL
            raise UsageError(f"{file}:{number} is not channel=url, such as shop_mail=mailtos://user:password@host")
        found[name.lower()] = url
    return found
