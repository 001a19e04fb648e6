"""Why Spark refuses a text, in one plain line: its error class and its words, without plan, stack trace or SQLSTATE."""

from __future__ import annotations

import re
from typing import Any

MAX_CAUSES = 10
"""Of a chain of causes so many are looked at; Spark's are two to four long."""
MOST_SHOWN = 400
"""Characters of Spark's words that are shown."""

_END = re.compile(r"\s*(?:SQLSTATE: \w+|== SQL ==|;? line \d+,? pos \d+).*", re.DOTALL)
_ADVICE = re.compile(r"\s*If necessary set \S+ to \S+ to bypass this error\.|\s*Please, refer to '\S+' for a fix\.")
_LINE = re.compile(r"\bline (\d+),? pos \d+")


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark may answer with, as PySpark passes it on."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JJavaError)


def causes(error: Exception) -> list[tuple[str, str]]:
    """Class and condition of each Java exception, from the outermost to its cause."""
    found = [(java.getClass().getName().rsplit(".", 1)[-1], _condition(java)) for java in _chain(error)]
    if not found:
        condition = getattr(error, "getCondition", lambda: None)()
        found.append((type(error).__name__, condition or ""))
    return found


def condition_of(error: Exception) -> str:
    """The outermost condition that Spark names, or the class of the error; never a value."""
    found = causes(error)
    return next((condition for _, condition in found if condition), found[0][0])


def plain_reason(error: Exception) -> str:
    """``[CAST_INVALID_INPUT] The value 'abc' …``. It may quote values, so only for expressions that met no rows."""
    named = [java for java in _chain(error) if _condition(java)]
    java = named[0] if named else next(iter(_chain(error)), None)
    message = str(java.getMessage() if java is not None else error)
    if not named and java is not None:
        kind = java.getClass().getName().rsplit(".", 1)[-1]
        message = f"[{kind}] {(message.splitlines() or [''])[0]}"
    text = " ".join(_ADVICE.sub("", _END.sub("", message)).split())
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def line_of(error: Exception) -> int:
    """The line of the text at which Spark points, from 1; 0 if it points at none."""
    found = _LINE.search(str(error))
    return int(found[1]) if found else 0


def _chain(error: Exception) -> list[Any]:
    java: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    found: list[Any] = []
    while java is not None and len(found) < MAX_CAUSES:
        found.append(java)
        java = java.getCause()
    return found


def _condition(java: Any) -> str:
    from py4j.protocol import Py4JError

    try:
        return java.getCondition() or ""
    except Py4JError:  # not an exception of Spark's
        return ""
