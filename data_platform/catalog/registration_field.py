"""Checks each field of a registration request before anything is written; errors name the field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data_platform.errors import InputError
from data_platform.openlineage.text import read_name

if TYPE_CHECKING:
    from data_platform.model.lineage import Name
    from data_platform.model.registration import RegistrationRequest

_LONGEST = {
    "description": 10_000,
    "category": 200,
    "format": 50,
    "partitioning": 200,
    "owner_team": 200,
    "owner_email": 200,
}
"""The most bytes in UTF-8; an indexed column has a limit on DB2."""
POLICY = "policy_fingerprint"
"""The key of a request for the approval of a policy; only such a request may be about a declared dataset."""
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_MOST_TAGS = 50
_TAG_BYTES = 100
_LONGEST_WINDOW = 366 * 24 * 3600
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def read_fields(request: RegistrationRequest) -> tuple[Name, dict[str, Any]]:
    """Returns the dataset's name and the requested values; an empty text requests nothing.

    Raises:
        InputError: A field is too long or invalid.
    """
    name = read_name({"namespace": request.namespace, "name": request.name}, "dataset")
    requested: dict[str, Any] = {}
    for field, most in _LONGEST.items():
        if value := _text(getattr(request, field), field, most):
            requested[field] = value
    if "format" in requested:
        requested["format"] = requested["format"].upper()
    if "@" not in requested.get("owner_email", "@"):
        raise InputError("owner_email", "not an address: expected one such as team@example.com")
    if request.tags is not None:
        requested["tags"] = _tags(request.tags)
    if request.policy_fingerprint is not None:
        requested[POLICY] = _fingerprint(request.policy_fingerprint)
    if request.sla_window_seconds is not None:
        requested["sla_window_seconds"] = _window(request.sla_window_seconds)
    return name, requested


def _fingerprint(text: str) -> str:
    if not _FINGERPRINT.fullmatch(text):
        raise InputError(POLICY, "not a fingerprint: expected 16 hexadecimal digits")
    return text


def _window(seconds: int) -> int:
    if not 1 <= seconds <= _LONGEST_WINDOW:
        raise InputError("sla_window_seconds", f"expected 1 to {_LONGEST_WINDOW}, a year")
    return seconds


def _text(value: str | None, field: str, most_bytes: int) -> str:
    text = (value or "").strip()
    if _CONTROL.search(text):
        raise InputError(field, "holds control characters or half of a surrogate pair")
    if (size := len(text.encode())) > most_bytes:
        raise InputError(field, f"{size} bytes: at most {most_bytes}")
    return text


def _tags(values: tuple[str, ...]) -> list[str]:
    if len(values) > _MOST_TAGS:
        raise InputError("tags", f"{len(values)} tags: at most {_MOST_TAGS}")
    tags = (_text(tag, f"tags[{place}]", _TAG_BYTES) for place, tag in enumerate(values))
    return list(dict.fromkeys(tag for tag in tags if tag))
