"""Spark's reason for refusing a text in one line: error class and message, without plan, stack trace or SQLSTATE."""

from __future__ import annotations

import re
from typing import Any

MAX_CAUSES = 10
"""The most causes of a chain that are read; Spark's chains have two to four."""
MOST_SHOWN = 400
"""The most characters of Spark's message that are shown."""

_END = re.compile(r"\s*(?:SQLSTATE: \w+|== SQL ==|;? line \d+,? pos \d+).*", re.DOTALL)
_ADVICE = re.compile(r"\s*If necessary set \S+ to \S+ to bypass this error\.|\s*Please, refer to '\S+' for a fix\.")
_LINE = re.compile(r"\bline (\d+),? pos \d+")


def spark_errors() -> tuple[type[Exception], ...]:
    """The exception classes with which PySpark reports an error of Spark."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JJavaError)


def causes(error: Exception) -> list[tuple[str, str]]:
    """Returns class and condition of each Java exception, from the outermost to the innermost cause."""
    named = [(java.getClass().getName().rsplit(".", 1)[-1], _condition(java)) for java in java_causes(error)]
    if not named:
        condition = getattr(error, "getCondition", lambda: None)()
        named.append((type(error).__name__, condition or ""))
    return named


def condition_of(error: Exception) -> str:
    """Returns the outermost condition that Spark names, or the class of the error; never a value."""
    chain = causes(error)
    return next((condition for _, condition in chain if condition), chain[0][0])


def plain_reason(error: Exception) -> str:
    """``[CAST_INVALID_INPUT] The value 'abc' …``. It may quote values: use it only where no rows were read."""
    named = [java for java in java_causes(error) if _condition(java)]
    java = named[0] if named else next(iter(java_causes(error)), None)
    message = str(java.getMessage() if java is not None else error)
    if not named and java is not None:
        kind = java.getClass().getName().rsplit(".", 1)[-1]
        message = f"[{kind}] {(message.splitlines() or [''])[0]}"
    text = " ".join(_ADVICE.sub("", _END.sub("", message)).split())
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def line_of(error: Exception) -> int:
    """Returns the line that Spark's message names, from 1; 0 if it names none."""
    match = _LINE.search(str(error))
    return int(match[1]) if match else 0


def java_causes(error: Exception) -> list[Any]:
    """Returns the Java exceptions of ``error``, from the outermost to the innermost cause."""
    java: Any = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    exceptions: list[Any] = []
    while java is not None and len(exceptions) < MAX_CAUSES:
        exceptions.append(java)
        java = java.getCause()
    return exceptions


def _condition(java: Any) -> str:
    from py4j.protocol import Py4JError

    try:
        return java.getCondition() or ""
    except Py4JError:  # not one of Spark's own exceptions
        return ""
