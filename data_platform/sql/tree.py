"""The parsed tree of a rule or a step, which all checks of one text share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=2048)
def tree_of(text: str) -> Any:
    """Returns sqlglot's tree of a Spark SQL text. It is cached and not to be changed: change a copy of it.

    Raises:
        SqlglotError: The text cannot be parsed.
    """
    import sqlglot

    return sqlglot.parse_one(text, dialect="spark")
