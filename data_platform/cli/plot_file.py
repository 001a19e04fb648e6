"""Writes a plot to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def write_plot(svg: str, file: Path) -> None:
    """Raises: UsageError, if the file cannot be written."""
    try:
        file.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the plot {file} cannot be written: {error.strerror}") from None
