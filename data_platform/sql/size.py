"""Limits arguments with which a short text would make values, columns or rows of any size.

Products of the data are not checked: cross joins, arrays of arrays, a text concatenated with itself from step to
step. Such a run fails when Spark is out of memory, and certifies nothing.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any

from data_platform.sql.function import words
from data_platform.sql.problem import SqlProblem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_NUMBER = 1_000
"""The most characters that lpad and rpad pad to, rows of stack, digits that round and format_number keep."""
MAX_GROUPING_SETS = 256
"""CUBE over n columns makes 2^n groupings, each of them a copy of every row."""
LEAST_DEVIATION = 0.01
"""The least deviation of approx_count_distinct, whose state has 1 / deviation^2 registers."""

_PLACES = {"stack": 0, "lpad": 1, "rpad": 1} | dict.fromkeys(words("round bround ceil ceiling floor format_number"), 1)
"""Maps each function to the position of the argument that is a size."""
_MAY_LACK = words("round bround ceil ceiling floor")
_STARTS = words("cast as bigint int smallint tinyint double float decimal boolean true false")


def size_problems(function: str, arguments: Sequence[Sequence[Any]], line: int) -> Iterator[SqlProblem]:
    """``arguments`` has the tokens of each argument in a call of ``function``, a name in lower case."""
    reason = _reason(function, arguments)
    if reason:
        yield SqlProblem(f"{function}() {reason}", line)


def grouping_problems(query: Any) -> Iterator[SqlProblem]:
    """Reports groupings of a parsed query that multiply its rows too often."""
    from sqlglot import exp

    for group in query.find_all(exp.Group):
        cubes = [2 ** len(cube.expressions or group.expressions) for cube in group.find_all(exp.Cube)]
        rollups = [1 + len(rollup.expressions or group.expressions) for rollup in group.find_all(exp.Rollup)]
        sets = [max(1, len(item.expressions)) for item in group.find_all(exp.GroupingSets)]
        if prod([*cubes, *rollups, *sets]) > MAX_GROUPING_SETS:
            yield SqlProblem(f"CUBE, ROLLUP and GROUPING SETS may make {MAX_GROUPING_SETS} groupings at most")


def _reason(function: str, arguments: Sequence[Sequence[Any]]) -> str:
    if function in _PLACES:
        return _number_reason(function, arguments, _PLACES[function])
    if function in ("format_string", "printf"):
        form = arguments[0] if arguments else []
        wide = len(form) != 1 or form[0].token_type.name != "STRING" or re.search(r"\d{4}|\*", form[0].text)
        return "takes its format as text, with widths of at most three digits" if wide else ""
    if function == "window" and len(arguments) > 2:
        return "takes two arguments here: windows that overlap repeat each row"
    if function == "approx_count_distinct" and len(arguments) > 1 and not _is_coarse(arguments[1]):
        return f"takes a deviation of at least {LEAST_DEVIATION}, written out"
    if function in ("aggregate", "reduce") and not (len(arguments) > 1 and all(map(_is_of_a_number, arguments[1]))):
        return "starts with a number here, such as 0 or CAST(0 AS DOUBLE): a text could double with each element"
    return ""


def _number_reason(function: str, arguments: Sequence[Sequence[Any]], place: int) -> str:
    if len(arguments) <= place:
        return "" if function in _MAY_LACK else f"takes a number of at most {MAX_NUMBER} there, written out"
    size = list(arguments[place])
    if function == "format_number" and len(size) == 1 and size[0].token_type.name == "STRING":
        return ""
    if function in _MAY_LACK and size and size[0].token_type.name == "DASH":
        size = size[1:]
    fits = len(size) == 1 and size[0].text.isdigit() and int(size[0].text[:9]) <= MAX_NUMBER
    return "" if fits else f"takes a number of at most {MAX_NUMBER} there, written out"


def _is_coarse(deviation: Sequence[Any]) -> bool:
    text = deviation[0].text if len(deviation) == 1 else ""
    return bool(re.fullmatch(r"\d*\.\d+", text)) and float(text) >= LEAST_DEVIATION


def _is_of_a_number(token: Any) -> bool:
    kind = token.token_type.name
    return kind in ("NUMBER", "DASH", "L_PAREN", "R_PAREN", "COMMA") or (
        kind not in ("STRING", "IDENTIFIER") and token.text.lower() in _STARTS
    )
