"""What is wrong with an SQL text, and on which of its lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SqlProblem:
    """``line`` counts from 1 in the text; 0 is the text as a whole. ``unknown`` is a name that may be misspelt."""

    text: str
    line: int = 0
    unknown: str = ""


class SqlRefusal(Exception):  # noqa: N818 - it is an answer of this package, turned into problems where it is caught
    """The text cannot be judged any further."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.problem = SqlProblem(text, line)
