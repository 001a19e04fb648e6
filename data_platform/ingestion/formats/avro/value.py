"""Turns values of Avro into text, as JSON lines have it, and finds the columns whose values have no text."""

from __future__ import annotations

import json
import math
import struct
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

_DURATION = struct.Struct("<III")
_WITH_TEXT = ("decimal", "duration")


def text_of(value: Any) -> str | None:
    """Records, lists and maps become JSON; a time of day, a day and a moment the text that SQL has for them."""
    plain = _plain(value)
    if plain is None or isinstance(plain, str):
        return plain
    if isinstance(plain, bool):
        return "true" if plain else "false"
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """``value`` as dictionaries, lists, texts, booleans and None."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, bytes):
        months, days, milliseconds = _DURATION.unpack(value)
        return {"months": str(months), "days": str(days), "milliseconds": str(milliseconds)}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return value.isoformat(" ").replace("+00:00", "Z")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, int | float | UUID):
        return str(value)
    raise TypeError


def has_bytes(schema: Any) -> bool:
    """Whether a value of this schema may have bytes that are no number: they have no text."""
    if isinstance(schema, list):
        return any(map(has_bytes, schema))
    if not isinstance(schema, dict):
        return bool(schema == "bytes")
    if schema.get("logicalType") in _WITH_TEXT:
        return False
    kind = schema.get("type")
    if kind in ("bytes", "fixed"):
        return True
    inner = [field.get("type") for field in schema.get("fields", ())] if kind in ("record", "error") else []
    return any(map(has_bytes, [*inner, schema.get("items"), schema.get("values"), kind if kind != "record" else None]))
