"""Personal values in spellings that the patterns do not read: encoded, full-width, or with invisible characters.

Such a text is redacted as a whole, whatever the rule's action, since the position of the value in it is unknown. It is
searched only if a fast test shows that there may be one.

Decoded, also if encoded several times: ``%40``, ``\\u0040``, ``&#64;`` for @; ``\\u002e`` and ``%2E`` for the dot;
``\\u003N`` and ``%3N`` for digits. Also full-width letters, digits and
signs; Arabic digits; soft hyphens, zero width characters and direction marks, which are removed; a line break beside
the @. Not decoded: base64 and other encodings, quoted-printable, words for signs (``at``, ``dot``), look-alike letters,
a line break anywhere else in a value.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

_FULL_WIDTH = "".join(chr(0xFF10 + n) for n in range(10))
_ARABIC = "".join(chr(0x0660 + n) for n in range(10)) + "".join(chr(0x06F0 + n) for n in range(10))
_SIGNS = "\uff20\ufe6b\uff0e\u3002\uff0d\ufe63\uff0b\uff08\uff09\uff0f\u3000"
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u180e\u2066\u2067\u2068\u2069"
_LETTERS = "".join(chr(0xFF21 + n) for n in range(26)) + "".join(chr(0xFF41 + n) for n in range(26))
_FROM = _FULL_WIDTH + _ARABIC + _LETTERS + _SIGNS + _UNSEEN
_TO = "0123456789" * 3 + ascii_uppercase + ascii_lowercase + "@@..--+()/ "
"""Characters of ``_FROM`` beyond the end of this are removed."""
_ESCAPE, _PERCENT, _AND = r"\\{1,16}u00", r"%(?:25){0,4}", r"&(?:amp;){0,4}"
"""Each is longer in a text that was encoded more than once, such as JSON in a text of JSON."""
_AT = (
    rf"{_PERCENT}40|{_ESCAPE}40|{_AND}(?:#64|#[xX]40|commat);"
    r"|[ \t]*[\r\n]+[ \t]*@[ \t\r\n]*|@[ \t]*[\r\n]+[ \t]*"
)
_DOT = rf"(?:{_ESCAPE}|{_PERCENT})2[eE]"
_DIGIT = rf"(?:{_ESCAPE}|{_PERCENT})3([0-9])"


def may_be_odd(value: Column) -> Column:
    """False for a text without odd spellings; true for any with characters beyond ASCII. It only reads the bytes."""
    from pyspark.sql import functions as F

    beyond_ascii = F.octet_length(value) > F.char_length(value)
    return beyond_ascii | value.contains("%") | value.contains("\\u") | value.contains("&") | value.contains("\n")


def plain(value: Column) -> Column:
    """``value`` in the spelling that the patterns read."""
    from pyspark.sql import functions as F

    with_at = F.regexp_replace(F.translate(value, _FROM, _TO), _AT, "@")
    return F.regexp_replace(F.regexp_replace(with_at, _DOT, "."), _DIGIT, "$1")
