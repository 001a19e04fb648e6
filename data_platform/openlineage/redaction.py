"""Removes secrets from all texts of events, and personal values from free ones: messages, stderr, descriptions, SQL.

Names, times, identifiers and owners keep personal values, since they identify the event's subject; a password in them
does not. A text is free if its key is in ``_FREE``, or if it contains white space.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from data_platform.model.personal import redacted, redacted_json
from data_platform.model.secret import MASK, is_secret_name, redact

_KEPT = frozenset((
    "namespace", "name", "runId", "producer", "schemaURL", "eventTime", "eventType", "_producer", "_schemaURL",
    "nominalStartTime", "nominalEndTime", "owners", "ownership", "email", "uri", "type",
))  # fmt: skip
_FREE = frozenset((
    "description", "message", "stackTrace", "stderr", "stdout", "tail", "query", "comment", "reason", "text", "error",
))  # fmt: skip


_MAY_HOLD_SECRET = re.compile(
    r"(?i:passw|passphrase|pwd|secret|token|api_?key|accountkey|identified\s+by|bearer|[?&]sig=)"
    r"|://[^\s/@]*:[^\s/]*@|eyJ|AKIA|PRIVATE KEY"
)
"""Most texts of an event hold none of these, and need no search for secrets."""


def redacted_event(document: dict[str, Any]) -> dict[str, Any]:
    """Returns ``document`` as it may be stored. The same document always gives the same result."""
    return _redacted_object(document, is_kept=False)


def redacted_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns what a job reports beside an event, without personal values and secrets in any key or text."""
    return _redacted_object(redacted_json(metadata), is_kept=True)


def _redacted_object(value: dict[str, Any], *, is_kept: bool) -> dict[str, Any]:
    named = any(isinstance(value.get(key), str) and _is_secret_key(value[key]) for key in ("name", "key"))
    return {
        key: MASK if named and key == "value" and isinstance(item, str) else _redacted(key, item, is_kept=is_kept)
        for key, item in value.items()
    }


def _redacted(key: str, value: Any, *, is_kept: bool) -> Any:
    is_kept = is_kept or key in _KEPT
    if isinstance(value, str):
        return _redacted_text(key, value, is_kept=is_kept)
    if isinstance(value, dict):
        return _redacted_object(redacted_json(value) if key in _FREE else value, is_kept=is_kept)
    if isinstance(value, list):
        return [_redacted(key, item, is_kept=is_kept) for item in value]
    return value


def _redacted_text(key: str, text: str, *, is_kept: bool) -> str:
    if text and _is_secret_key(key):
        return MASK
    if _MAY_HOLD_SECRET.search(text):
        text = redact(text)
    is_free = not is_kept and (key in _FREE or any(sign.isspace() for sign in text))
    return redacted(text) if is_free else text


@lru_cache(maxsize=4096)
def _is_secret_key(key: str) -> bool:
    """A failure signature is no secret."""
    return "signature" not in key.lower() and is_secret_name(key)
