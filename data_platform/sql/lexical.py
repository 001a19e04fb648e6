"""Checks the tokens of an SQL text: its size, its nesting, each function that it calls.

A function is a name before a parenthesis here, and not a node of sqlglot's tree, because the tree has one class for
many spellings: ``reflect``, ```reflect```, ``system.builtin.reflect`` are the same token.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from data_platform.sql.function import FUNCTIONS, ZONED, words
from data_platform.sql.problem import SqlProblem, SqlRefusal
from data_platform.sql.size import size_problems

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MAX_CHARACTERS = 50_000
MAX_NESTING = 40
"""The most parentheses and brackets open at once. Parsers recurse, and the JVM's stack is small."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\ufeff\ud800-\udfff]")
_LOST = re.compile(r"(?<!\\)(?:\\\\)*\\([a-mo-qsv-zA-TV-Y.()\[\]{}|*+?^$/-])")
"""Escapes that a regular expression has and a Spark string has not; ``\\b`` is a backspace in a string."""
_SUBSTITUTED = (("${", "substituted by Spark"), ("{{", "a template"), ("{%", "a template"), ("{#", "a template"))
_BEFORE_PARENTHESIS = words(
    "all and any as between by case cube dec decimal distinct else escape except exclude exists filter for from group"
    " having ilike in include intersect interval is join like limit minus not numeric offset on or over partition pivot"
    " qualify regexp replace rlike rollup select sets some then union unpivot using values varchar char when where with"
    " within lateral window nulls order end"
)
"""SQL keywords, not functions, that may stand before a parenthesis."""
SESSION_WORDS = words(
    "current_user session_user system_user current_catalog current_database current_schema current_path current_time"
    " localtime current_timezone"
)
"""Functions of the session, callable without parentheses. ``user`` may be a column, and in a rule it is one."""
_WORD = re.compile(r"[^\W\d]\w*")


def tokens_of(text: str, kind: str) -> list[Any]:
    """Splits the text into sqlglot's tokens; ``kind`` is what it should be, an expression or a query.

    Raises:
        SqlRefusal: The text is too long, too deeply nested, or not SQL at all.
    """
    import sqlglot

    if len(text) > MAX_CHARACTERS:
        raise SqlRefusal(
            f"{len(text)} characters of SQL; at most {MAX_CHARACTERS}: split it into several steps or rules"
        )
    if sign := _CONTROL.search(text):
        raise SqlRefusal(f"an invalid character (U+{ord(sign[0]):04X}); remove it", _line(text, sign))
    for sign_text, why in _SUBSTITUTED:
        if sign_text in text:
            raise SqlRefusal(f"{sign_text} is {why}, and nothing is substituted here; write the value out")
    try:
        tokens = list(sqlglot.tokenize(text, dialect="spark"))
    except sqlglot.errors.SqlglotError:
        raise SqlRefusal(f"not a Spark SQL {kind}: a quote or comment that does not end") from None
    _check_nesting(tokens)
    return tokens


def token_problems(tokens: Sequence[Any], names: Collection[int], *, in_rule: bool) -> Iterator[SqlProblem]:
    """Checks each token. ``names`` are positions of names that the text itself defines, as ``t`` in ``AS t(a, b)``."""
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        after = tokens[position + 1] if position + 1 < len(tokens) else None
        yield from _comment_problems(token)
        kind, word = token.token_type.name, token.text.lower()
        if kind in ("PIPE_GT", "PLACEHOLDER", "PARAMETER", "SESSION_PARAMETER"):
            yield SqlProblem(f"{token.text} is not allowed here; write a plain SELECT or expression", token.line)
        elif kind == "RAW_STRING" and re.search(r"\\['\"]", f"{token.text}'"):
            yield SqlProblem("a raw string with a backslash before a quote is ambiguous; omit r", token.line)
        elif word == "_metadata" and kind != "STRING":
            yield SqlProblem("_metadata shows files, and is not a column of the dataset", token.line)
        elif (
            kind != "STRING"
            and word in (SESSION_WORDS if in_rule else SESSION_WORDS | {"user"})
            and not _is_part(before, after)
        ):
            yield SqlProblem(
                f"{word} depends on the session; for a column of that name write its table before it", token.line
            )
        elif after is not None and after.token_type.name == "L_PAREN" and _is_word(token) and token.start not in names:
            yield from _call_problems(tokens, position)


def escape_problems(text: str, tokens: Sequence[Any]) -> Iterator[SqlProblem]:
    r"""Reports strings that lose a backslash: Spark reads ``'\d+'`` as ``d+``, another pattern than the rule means."""
    for token in tokens:
        if token.token_type.name == "STRING" and (match := _LOST.search(text[token.start : token.end + 1])):
            sign = match[1]
            yield SqlProblem(
                f"a SQL string loses the backslash of \\{sign}; write \\\\{sign}, or r before the quote", token.line
            )


def calls(tokens: Sequence[Any]) -> Iterator[tuple[str, int]]:
    """Yields each function that is called, in lower case, and its line."""
    for token, after in pairwise(tokens):
        if after.token_type.name == "L_PAREN" and _is_word(token) and token.text.lower() in FUNCTIONS:
            yield token.text.lower(), token.line


def names_time(text: str) -> bool:
    """Whether ``text`` computes dates or clock times, which differ from zone to zone."""
    return any(_is_word(token) and token.text.lower() in ZONED for token in tokens_of(text, "query"))


def _check_nesting(tokens: Sequence[Any]) -> None:
    depth = unary = 0
    for token in tokens:
        kind = token.token_type.name
        depth += (kind in ("L_PAREN", "L_BRACKET", "CASE")) - (kind in ("R_PAREN", "R_BRACKET", "END"))
        unary = unary + 1 if kind in ("NOT", "DASH", "TILDE", "PLUS") else 0
        if depth > MAX_NESTING or unary > MAX_NESTING:
            raise SqlRefusal(f"nested more than {MAX_NESTING} deep; split it into several steps or rules", token.line)


def _comment_problems(token: Any) -> Iterator[SqlProblem]:
    if any(comment.rstrip(" \t").endswith("\\") for comment in token.comments):
        yield SqlProblem(
            "a comment that ends in a backslash takes the next line with it in Spark; remove it", token.line
        )


def _call_problems(tokens: Sequence[Any], position: int) -> Iterator[SqlProblem]:
    token, word = tokens[position], tokens[position].text.lower()
    quoted = token.token_type.name == "IDENTIFIER"
    if position and tokens[position - 1].token_type.name == "DOT":
        yield SqlProblem(f"{word}() is called with a dot before its name; call built-in functions by name", token.line)
    elif word == "identifier":
        yield SqlProblem("identifier() hides what is read; write the name of an input or an earlier step", token.line)
    elif word in FUNCTIONS:
        yield from size_problems(word, _arguments(tokens, position), token.line)
    elif quoted or word not in _BEFORE_PARENTHESIS:
        yield SqlProblem(f"{word}() is not a function that policies may call (docs/functions.md)", token.line, word)


def _arguments(tokens: Sequence[Any], position: int) -> list[list[Any]]:
    """The tokens of each argument of the call at ``position``."""
    arguments: list[list[Any]] = [[]]
    depth = 0
    for token in tokens[position + 1 :]:
        kind = token.token_type.name
        depth += (kind in ("L_PAREN", "L_BRACKET")) - (kind in ("R_PAREN", "R_BRACKET"))
        if depth == 0:
            break
        if kind == "COMMA" and depth == 1:
            arguments.append([])
        elif not (kind == "L_PAREN" and depth == 1 and arguments == [[]]):
            arguments[-1].append(token)
    return arguments


def _is_word(token: Any) -> bool:
    kind = token.token_type.name
    return kind == "IDENTIFIER" or (kind not in ("STRING", "NUMBER") and bool(_WORD.fullmatch(token.text)))


def _is_part(before: Any, after: Any) -> bool:
    """Whether a word is the column of a table (``t.user``), an alias (``AS user``), or before a dot."""
    kinds = [token.token_type.name if token else "" for token in (before, after)]
    return kinds[0] in ("DOT", "ALIAS") or kinds[1] == "DOT"


def _line(text: str, match: re.Match[str]) -> int:
    return text[: match.start()].count("\n") + 1
