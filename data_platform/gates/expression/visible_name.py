"""Names of columns and files in messages, with invisible characters spelt out."""

from __future__ import annotations

import re
import unicodedata


def visible(name: str) -> str:
    """``name`` with each invisible or ambiguous character spelt out: ``amount\\u200b``.

    Separate accents are spelt out too, so that ``größe`` in one character and in two can be distinguished, and so are
    letters of another script within a Latin word: a Cyrillic ``а`` looks like an ``a``.
    """
    spelt = (sign if sign.isprintable() and not unicodedata.combining(sign) else _spelt(sign) for sign in name)
    return re.sub(r"\w+", lambda word: _one_script(word[0]), "".join(spelt))


def _one_script(word: str) -> str:
    if word.isascii():
        return word
    latin = {sign for sign in word if unicodedata.name(sign, "").startswith("LATIN ")}
    foreign = {sign for sign in word if sign.isalpha()} - latin
    return "".join(_spelt(sign) if latin and sign in foreign else sign for sign in word)


def _spelt(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
