"""Personal values in spellings that the patterns do not read: encoded, full-width, or with unseen characters in them.

Such a text is redacted as a whole, whatever the rule's action: where in it the value stands is not known. It is
looked for only where a cheap test says that there may be one.

Read: ``%40``, ``\\u0040``, ``&#64;`` for @; ``\\u003N`` and ``%3N`` for digits; full-width digits and signs, Arabic
digits; soft hyphens, zero width characters and marks of direction, which are taken out; a line break beside the @.
Not read: base64 and other encodings, quoted-printable, words for signs (``at``, ``dot``), look-alike letters, a line
break anywhere else in a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

_FULL_WIDTH = "".join(chr(0xFF10 + n) for n in range(10))
_ARABIC = "".join(chr(0x0660 + n) for n in range(10)) + "".join(chr(0x06F0 + n) for n in range(10))
_SIGNS = "\uff20\ufe6b\uff0e\u3002\uff0d\ufe63\uff0b\uff08\uff09\uff0f\u3000"
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u180e\u2066\u2067\u2068\u2069"
_FROM = _FULL_WIDTH + _ARABIC + _SIGNS + _UNSEEN
_TO = "0123456789" * 3 + "@@..--+()/ "
"""What stands in ``_FROM`` beyond the end of it is taken out."""
_AT = r"%40|\\u0040|&(?:#64|#[xX]40|commat);|[ \t]*[\r\n]+[ \t]*@[ \t\r\n]*|@[ \t]*[\r\n]+[ \t]*"
_DIGIT = r"(?:\\u003|%3)([0-9])"


def may_be_odd(value: Column) -> Column:
    """False of a text that reads as it stands; true of any with characters beyond ASCII. Costs a look at its bytes."""
    from pyspark.sql import functions as F

    beyond_ascii = F.octet_length(value) > F.char_length(value)
    return beyond_ascii | value.contains("%") | value.contains("\\u") | value.contains("&") | value.contains("\n")


def plain(value: Column) -> Column:
    """``value`` as the patterns read it."""
    from pyspark.sql import functions as F

    return F.regexp_replace(F.regexp_replace(F.translate(value, _FROM, _TO), _AT, "@"), _DIGIT, "$1")
