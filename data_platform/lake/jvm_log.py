"""What the JVM writes to its log: Spark's own words without values of rows.

Spark quotes the value that a cast or a rule failed at, in the message of an error class and in that of its cause. Their
classes and stack traces are kept; what stands between is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_OF_A_CLASS = r"\[([A-Z][A-Z0-9_.]+)\] [\s\S]*?SQLSTATE: (\w+)"
_OF_JAVA = r"(Text|For input string:|Unparseable date:|Illegal initial character) ['\"][^\r\n]*"
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
    """An option for the JVM that makes it log so; ``folder`` has to be there while the JVM starts."""
    message = _replaced("%m%n%ex", _OF_A_CLASS, "[$1] (not shown) SQLSTATE: $2")
    message = _replaced(message, _OF_JAVA, "$1 (not shown)")
    file = folder / "log4j2.properties"
    file.write_text(_CONFIGURATION.replace("<MESSAGE>", message.replace("\\", "\\\\")), encoding="utf-8")
    return f"-Dlog4j2.configurationFile={file.as_uri()}"


def _replaced(part: str, found: str, by: str) -> str:
    return f"%replace{{{part}}}{{{found}}}{{{by}}}"
