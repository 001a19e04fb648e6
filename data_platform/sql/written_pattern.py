"""The regular expressions that rules, steps and columns write out, and problems that do not depend on texts.

A pattern from a column, or one that a function computes, is known only at run time.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any

from data_platform.sql.pattern_depth import too_deep
from data_platform.sql.pattern_time import MOST_IN_A_ROW, open_repeats

if TYPE_CHECKING:
    from collections.abc import Iterator


def written_pattern_problems(tree: Any) -> list[str]:
    """The problems of each pattern that is written out in ``tree``, which sqlglot parsed."""
    patterns = dict.fromkeys(_written_patterns(tree))
    problems = [problem for one in patterns for problem in (*pattern_problems(one), *open_problems(one))]
    return problems + [problem for form in dict.fromkeys(_written_forms(tree)) for problem in _form_problems(*form)]


def pattern_problems(pattern: str) -> list[str]:
    """Problems of a pattern that do not depend on the texts it matches."""
    if part := too_deep(pattern):
        return [
            f"{part} repeats a group whose iterations may differ, and a long text would overflow Java's stack and end "
            f"the run: repeat one character class ([a-z,]*), make it possessive ({part}+), or write {{0,50}} for it"
        ]
    if (repeats := open_repeats(pattern)) > MOST_IN_A_ROW:
        return [
            f"{pattern} has {repeats} or more open repeats in a row that match the same characters, and a long text "
            "that nearly matches would take hours: exclude the character that follows each ([^,]*,), or make them "
            "possessive (.*+)"
        ]
    return []


def open_problems(pattern: str) -> list[str]:
    """Reports a parenthesis or bracket of ``pattern`` that is not closed, or not opened."""
    return [f"{pattern} has a parenthesis or bracket that is not closed, or not opened"] if _is_open(pattern) else []


def _is_open(pattern: str) -> bool:
    """Whether a parenthesis or bracket is not closed, or not opened. Java reports other errors at run time."""
    if r"\Q" in pattern:  # Java's quotation, in which a parenthesis is a literal
        return False
    text = re.sub(r"\\[pP]\{\w+\}", ".", pattern)
    try:
        with warnings.catch_warnings(action="ignore"):  # about syntax that Python may change
            re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", text))
    except re.error as error:
        return error.msg.startswith(("missing )", "unbalanced parenthesis", "unterminated character set"))
    return False


def _form_problems(form: str, wildcards: int) -> list[str]:
    """Of LIKE, which Spark turns into a regular expression."""
    if wildcards <= MOST_IN_A_ROW:
        return []
    return [
        f"LIKE '{form}' has {wildcards} open % in a row, and a long text that nearly matches would take hours: use "
        "contains(), startswith() and endswith(), joined by AND"
    ]


def _written_forms(tree: Any) -> Iterator[tuple[str, int]]:
    """Each form of LIKE with the number of its %; one at the end does not count, since it matches whatever is left."""
    from sqlglot import exp

    for node in tree.find_all(exp.Like, exp.ILike):
        escape = _constant_text(node.parent.expression) if isinstance(node.parent, exp.Escape) else "\\"
        is_several = isinstance(node.expression, exp.Any | exp.All)
        for form in node.expression.find_all(exp.Literal, exp.RawString) if is_several else [node.expression]:
            if (text := _constant_text(form)) is not None:
                plain = re.sub(re.escape(escape or "\\") + ".", "", text)
                yield text, len(re.findall("%+", plain.rstrip("%")))


def _written_patterns(tree: Any) -> Iterator[str]:
    """Also what is put together from texts that are written out, and in raw strings."""
    from sqlglot import exp

    calls = (
        exp.RegexpLike, exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpReplace, exp.RegexpCount, exp.RegexpInstr,
        exp.RegexpSubstr, exp.RegexpSplit, exp.StrToMap, exp.Anonymous,
    )  # fmt: skip
    for node in tree.find_all(*calls):
        for argument in _pattern_arguments(node):
            if (text := _constant_text(argument)) is not None:
                yield text


def _pattern_arguments(node: Any) -> list[Any]:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):  # sqlglot knows regexp as an operator only
        return node.expressions[1:2] if str(node.this).lower() == "regexp" else []
    if isinstance(node, exp.StrToMap):
        return [node.args.get("pair_delim"), node.args.get("key_value_delim")]
    if isinstance(node.expression, exp.Any | exp.All):
        return list(node.expression.find_all(exp.Literal, exp.RawString))
    return [node.expression]


def _constant_text(node: Any) -> str | None:
    from sqlglot import exp

    if isinstance(node, exp.RawString) or (isinstance(node, exp.Literal) and node.is_string):
        return str(node.this)
    if isinstance(node, exp.Paren | exp.Cast | exp.TryCast):
        return _constant_text(node.this)
    if isinstance(node, exp.DPipe):
        parts = [_constant_text(node.left), _constant_text(node.right)]
    elif isinstance(node, exp.Concat):
        parts = [_constant_text(part) for part in node.expressions]
    else:
        return None
    return None if None in parts else "".join(part or "" for part in parts)
