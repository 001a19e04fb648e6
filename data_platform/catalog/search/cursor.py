"""The end of a result page as an opaque text that callers return for the next page.

A cursor belongs to one request: with other words or filters it is refused. It holds the corrections of mistyped words,
since the next page must run the same query, and the last hit's sort key, which new rows do not shift.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from data_platform.catalog.search.term import terms
from data_platform.errors import InputError

if TYPE_CHECKING:
    from data_platform.model.search import SearchRequest

_LARGEST_ID = 2**63 - 1
_LONGEST = 20_000


@dataclass(frozen=True, kw_only=True)
class Place:
    """The sort key of a hit: how well it fits, the length of its name, its name, its document."""

    fit: int
    length: int
    full_key: str
    document: int


@dataclass(frozen=True, kw_only=True)
class Cursor:
    after: Place
    read_as: dict[str, tuple[str, ...]] = field(default_factory=dict)


def write_cursor(request: SearchRequest, cursor: Cursor) -> str:
    after = cursor.after
    place = [after.fit, after.length, after.full_key, after.document]
    text = json.dumps([_digest(request), place, cursor.read_as], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(request: SearchRequest, text: str) -> Cursor:
    """Raises: InputError, if ``text`` is not a cursor of this request."""
    wrong = InputError("cursor", "not a cursor of this search: expected the one of its page before, or none")
    try:
        if len(text) > _LONGEST:
            raise wrong
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        digest, (fit, length, full_key, document), read_as = json.loads(base64.b64decode(padded, b"-_", validate=True))
        after = Place(fit=_number(fit), length=_number(length), full_key=_text(full_key), document=_number(document))
        corrections = {
            _plain_word(word): tuple(_plain_word(other) for other in others) for word, others in read_as.items()
        }
    except (ValueError, TypeError, AttributeError, binascii.Error, RecursionError):
        raise wrong from None
    if digest != _digest(request):
        raise wrong
    return Cursor(after=after, read_as=corrections)


def _digest(request: SearchRequest) -> str:
    fields = asdict(replace(request, cursor=None, limit=0))
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


def _number(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_ID:
        return value
    raise ValueError


def _text(value: Any) -> str:
    if isinstance(value, str) and "\0" not in value:
        value.encode()
        return value
    raise ValueError


def _plain_word(value: Any) -> str:
    """Accepts only a plain word, since a forged cursor could contain query syntax."""
    (term,) = terms(_text(value))
    if term.parts != (value,):
        raise ValueError
    return term.whole
