"""Takes complete lines from a text in large pieces, for parsers that read many lines at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.formats.text.window import Window


def line_pieces(window: Window, large: int, line_ends: bytes = b"\n") -> Iterator[bytes]:
    """Yields complete lines, as many as fit into ``large`` bytes, and at least one; each of ``line_ends`` ends a line.

    Raises: SourceError, after it has yielded all complete lines before the error.
    """
    size = large
    while content := window.peek(size):
        end = max(content.rfind(byte) for byte in line_ends) + 1
        if not end and len(content) == size and not window.ends_within(size):
            size *= 2
            continue
        if not end and not window.ends_within(size):
            break  # the start of a line, read before an error
        size = large
        window.take(end or len(content))
        yield content[:end] if end else content
    window.raise_error()
