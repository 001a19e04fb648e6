"""Turns one element into the values of a record: its attributes and the elements in it, by name.

Namespaces are dropped. An element with attributes, or with elements in it, becomes a JSON object, and elements of the
same name a JSON list, as JSON lines have them: the types of the contract decide in silver.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

from data_platform.ingestion.formats.text.named_record import NamedRecord
from data_platform.ingestion.formats.xml_stream import local_name

_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
TEXT = "value"
"""The name of the text of an element that also has attributes."""


class _OddElementError(ValueError):
    """The element cannot be a record; the message is the reason, without any value."""


def record_of(number: int, element: ET.Element) -> NamedRecord:
    try:
        members = _members(element)
        if not members:
            raise _OddElementError("an element without attributes, elements and text")
    except RecursionError:
        return NamedRecord(number, {}, "", "nested too deeply")
    except _OddElementError as error:
        return NamedRecord(number, {}, ET.tostring(element, encoding="unicode").strip(), str(error))
    return NamedRecord(number, {name: _as_text(value) for name, value in members.items()}, "")


def _members(element: ET.Element) -> dict[str, Any]:
    """The attributes, elements and text of ``element``; None where nothing is in one of them."""
    pairs = [(local_name(key), value) for key, value in element.attrib.items() if not key.startswith(_INSTANCE)]
    attributes = {name: value.strip() or None for name, value in pairs}
    values: dict[str, list[Any]] = {}
    for child in element:
        values.setdefault(local_name(child.tag), []).append(_value(child))
    text = (element.text or "").strip()
    if values and (text or any((child.tail or "").strip() for child in element)):
        raise _OddElementError("text between elements")
    if text:
        values[TEXT] = [text]
    if len(attributes) < len(pairs) or attributes.keys() & values.keys():
        raise _OddElementError("two attributes, or an attribute and an element, have one name without its namespace")
    return attributes | {name: many if len(many) > 1 else many[0] for name, many in values.items()}


def _value(element: ET.Element) -> Any:
    """Text, a dictionary, or None of an empty element."""
    if not len(element) and not element.attrib:
        return (element.text or "").strip() or None
    if element.get(f"{_INSTANCE}nil") in ("true", "1"):
        return None
    members = _members(element)
    return members.get(TEXT) if members.keys() <= {TEXT} else members


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
