"""Prepares the last lines of a command's output for storage: few, short, and without secrets."""

from __future__ import annotations

from data_platform.legacy.tee import REMEMBERED_BYTES
from data_platform.model.secret import redact

LINES = 50
BYTES = 8_192
_KEY_END = "-----END "


def tail_of(printed: bytes, lines: int = LINES) -> str:
    """Returns whole lines, at most ``lines`` and ``BYTES``. Secrets are removed before the text is shortened.

    A line whose beginning is missing is dropped, since the missing part may mark the rest as a secret; so is the rest
    of a private key whose beginning is missing.
    """
    text = printed.decode(errors="replace")
    if len(printed) >= REMEMBERED_BYTES:
        text = text.partition("\n")[2]
    before, end, after = text.partition(_KEY_END)
    if end and "-----BEGIN " not in before:
        text = after.partition("\n")[2]
    kept: list[str] = []
    left = BYTES
    for line in reversed(redact(text).splitlines()[-lines:] if lines else []):
        left -= len(line.encode()) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
