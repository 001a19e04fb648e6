"""What a request to register may say: each field checked before anything is written, with its name in the error."""

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
"""Bytes in UTF-8; what has a column with an index has its limit on DB2."""
_MOST_TAGS = 50
_TAG_BYTES = 100
_LONGEST_WINDOW = 366 * 24 * 3600
_UNKEPT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def read_fields(request: RegistrationRequest) -> tuple[Name, dict[str, Any]]:
    """The dataset's name, and what is asked for; an empty text asks for nothing.

    Raises:
        InputError: A field is too long, or is not what it should be.
    """
    name = read_name({"namespace": request.namespace, "name": request.name}, "dataset")
    asked: dict[str, Any] = {}
    for field, most in _LONGEST.items():
        if value := _text(getattr(request, field), field, most):
            asked[field] = value
    if "format" in asked:
        asked["format"] = asked["format"].upper()
    if "@" not in asked.get("owner_email", "@"):
        raise InputError("owner_email", "not an address: expected one such as team@example.com")
    if request.tags is not None:
        asked["tags"] = _tags(request.tags)
    window = request.sla_window_seconds
    if window is not None:
        if not 1 <= window <= _LONGEST_WINDOW:
            raise InputError("sla_window_seconds", f"expected 1 to {_LONGEST_WINDOW}, a year")
        asked["sla_window_seconds"] = window
    return name, asked


def _text(value: str | None, field: str, most_bytes: int) -> str:
    text = (value or "").strip()
    if _UNKEPT.search(text):
        raise InputError(field, "holds control characters or half of a surrogate pair")
    if (size := len(text.encode())) > most_bytes:
        raise InputError(field, f"{size} bytes: at most {most_bytes}")
    return text


def _tags(given: tuple[str, ...]) -> list[str]:
    if len(given) > _MOST_TAGS:
        raise InputError("tags", f"{len(given)} tags: at most {_MOST_TAGS}")
    tags = (_text(tag, f"tags[{place}]", _TAG_BYTES) for place, tag in enumerate(given))
    return list(dict.fromkeys(tag for tag in tags if tag))
