"""Names of columns and files in messages, with the characters that a reader would not see spelt out."""

from __future__ import annotations

import re
import unicodedata


def visible(name: str) -> str:
    """``name`` with each sign that looks like nothing or like another one spelt out: ``amount\\u200b``.

    Accents that stand alone are spelt out too, so that ``größe`` in one sign and in two can be told apart, and so are
    letters of another script within a word of Latin ones: a Cyrillic ``а`` looks like an ``a``.
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
