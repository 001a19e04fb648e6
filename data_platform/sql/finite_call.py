"""Numbers that the lambda functions of a rule compute and that are not finite: they count as no value.

For Spark NaN is larger than every number, so that ``exists(a, x -> sqrt(x) > 0)`` would be true for -4. With NULL in
their place the rule has no result, and the row breaks it. A rule that asks for NaN itself (``isnan``, ``nanvl``) is
left as it is. ``gates.expression.computed_number`` treats what a rule computes outside of lambda functions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from data_platform.sql.function import words

_MAKERS = words(
    "sqrt acos acosh asin atan atanh cosh cot csc exp expm1 float double hypot pow power sec sinh tan cast try_cast"
)
"""Functions whose result may be a DOUBLE or FLOAT that is not finite, although their arguments are."""
_CASTS = words("cast try_cast")
_FLOATING = words("double float real")
_ASKS = words("isnan nanvl")
_MAY_MAKE = re.compile(rf"(?i)\b(?:{'|'.join(sorted(_MAKERS))})`?\s*\(|::")
_MOST_CHARACTERS = 50_000
"""Each call is written twice, and so is what it contains: a text that grows beyond this is left to a person."""


def may_make(text: str) -> bool:
    """Whether ``text`` may call something whose result is not finite, although its arguments are."""
    return _MAY_MAKE.search(text) is not None


def asks_for_nan(text: str) -> bool:
    tokens = _tokens(text) if re.search(rf"(?i){'|'.join(_ASKS)}", text) else []
    return any(_is_call(tokens, position) and token.text.lower() in _ASKS for position, token in enumerate(tokens))


@lru_cache(maxsize=2048)
def only_finite(text: str) -> str:
    """``text`` with NULL in place of each computed number that is NaN or infinite.

    Raises:
        ValueError: It nests too many such calls, or casts by ``::``; the text says what to write.
    """
    tokens = _tokens(text) if may_make(text) else []
    if not tokens or asks_for_nan(text):
        return text
    if any(_kind(tokens, at) == "DCOLON" and tokens[at + 1].text.lower() in _FLOATING for at in range(len(tokens) - 1)):
        raise ValueError("write CAST(… AS DOUBLE) in place of ::, so that NaN is no value")
    return _guarded(text, tokens, 0, len(tokens), 0, len(text))


def _tokens(text: str) -> list[Any]:
    """None for a text that has no tokens of Spark SQL."""
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError

    try:
        return tokenize(text, dialect="spark")
    except SqlglotError:
        return []


def _guarded(text: str, tokens: list[Any], first: int, last: int, begin: int, end: int) -> str:
    """``text[begin:end]``, which has the tokens from ``first`` to ``last``, with its calls guarded."""
    parts, position = [], first
    while position < last:
        close = _end_of_call(tokens, position) if tokens[position].text.lower() in _MAKERS else None
        if close is None:
            position += 1
            continue
        token, stop = tokens[position], tokens[close].end + 1
        inner_begin = tokens[position + 1].end + 1
        inner = _guarded(text, tokens, position + 2, close, inner_begin, tokens[close].start)
        call = text[token.start : inner_begin] + inner + ")"
        parts += [text[begin : token.start], _finite(call) if _is_floating(tokens, position, close) else call]
        if sum(map(len, parts)) > _MOST_CHARACTERS:
            raise ValueError("it has too many computed numbers within each other: split it")
        position, begin = close + 1, stop
    return "".join((*parts, text[begin:end]))


def _finite(call: str) -> str:
    return f"if(abs({call}) < double('Infinity'), {call}, NULL)"


def _is_floating(tokens: list[Any], position: int, close: int) -> bool:
    """A cast counts by its type, which is the last word in it; every other maker makes a DOUBLE or FLOAT."""
    return tokens[position].text.lower() not in _CASTS or tokens[close - 1].text.lower() in _FLOATING


def _end_of_call(tokens: list[Any], position: int) -> int | None:
    """The position of the closing parenthesis; None if no call is there."""
    if not _is_call(tokens, position):
        return None
    depth = 0
    for at in range(position + 1, len(tokens)):
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(_kind(tokens, at), 0)
        if not depth:
            return at
    return None


def _is_call(tokens: list[Any], position: int) -> bool:
    followed = position + 1 < len(tokens) and _kind(tokens, position + 1) == "L_PAREN"
    return followed and _kind(tokens, position) != "STRING"


def _kind(tokens: list[Any], position: int) -> str:
    return str(tokens[position].token_type.name)
