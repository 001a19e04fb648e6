"""Configures the JVM's log so that it contains Spark's messages without values of rows.

Spark quotes the value at which a cast or a rule failed, in the message of an error class and in that of its cause. The
log keeps error classes and stack traces, and drops the text between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ERROR_CLASS = r"\[([A-Z][A-Z0-9_.]+)\] [\s\S]*?SQLSTATE: (\w+)"
_JAVA_ERROR = r"(Text|For input string:|Unparseable date:|Illegal initial character) ['\"][^\r\n]*"
_CONFIGURATION = r"""
status = error
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.alwaysWriteExceptions = false
appender.console.layout.pattern = %d{yy/MM/dd HH:mm:ss} %p %c{1}: <MESSAGE>
"""


def java_option(folder: Path) -> str:
    """Returns the JVM option for this log; ``folder`` must exist while the JVM starts."""
    message = _replaced("%m%n%ex", _ERROR_CLASS, "[$1] (not shown) SQLSTATE: $2")
    message = _replaced(message, _JAVA_ERROR, "$1 (not shown)")
    file = folder / "log4j2.properties"
    file.write_text(_CONFIGURATION.replace("<MESSAGE>", message.replace("\\", "\\\\")), encoding="utf-8")
    return f"-Dlog4j2.configurationFile={file.as_uri()}"


def _replaced(part: str, pattern: str, by: str) -> str:
    return f"%replace{{{part}}}{{{pattern}}}{{{by}}}"
