"""Removes personal values from the free text of events: error messages, tails of stderr, descriptions, SQL.

Names, times, identifiers and owners stay unchanged, since they identify the event's subject. A text is free if its key
is in ``_FREE``, or if it contains white space.
"""

from __future__ import annotations

from typing import Any

from data_platform.model.personal import redacted, redacted_json

_KEPT = frozenset((
    "namespace", "name", "runId", "producer", "schemaURL", "eventTime", "eventType", "_producer", "_schemaURL",
    "nominalStartTime", "nominalEndTime", "owners", "ownership", "email", "uri", "type",
))  # fmt: skip
_FREE = frozenset((
    "description", "message", "stackTrace", "stderr", "stdout", "tail", "query", "comment", "reason", "text", "error",
))  # fmt: skip


def redacted_event(document: dict[str, Any]) -> dict[str, Any]:
    """Returns ``document`` as it may be stored. The same document always gives the same result."""
    return {key: _redacted(key, value) for key, value in document.items()}


def _redacted(key: str, value: Any) -> Any:
    if key in _KEPT:
        return value
    if isinstance(value, str):
        return redacted(value) if key in _FREE or any(sign.isspace() for sign in value) else value
    if isinstance(value, dict):
        return redacted_json(value) if key in _FREE else redacted_event(value)
    if isinstance(value, list):
        return [_redacted(key, item) for item in value]
    return value
