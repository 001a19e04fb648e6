"""A problem in an SQL text, with its line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SqlProblem:
    """``line`` counts from 1; 0 means the whole text. ``unknown`` is a name that may be misspelt."""

    text: str
    line: int = 0
    unknown: str = ""


class SqlRefusal(Exception):  # noqa: N818 - a result inside this package, turned into problems where it is caught
    """The text cannot be checked any further."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.problem = SqlProblem(text, line)
