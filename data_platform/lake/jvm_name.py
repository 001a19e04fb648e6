"""Looks up the classes and functions of the JVM that are used most, once.

For ``functions.lit(1)`` py4j asks the JVM what ``functions`` is, then what ``lit`` is, and then calls it. A stage
builds its rules in thousands of such calls.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember

_NAMES = ("functions", "org.apache.spark.sql.functions", "PythonUtils")


class _RememberedClass(JavaClass):  # type: ignore[misc]
    """A class of the JVM that looks up each of its functions once."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        if isinstance(member, JavaMember):
            self.__dict__[name] = member
        return member


def remember_names(jvm: Any) -> None:
    """Keeps in ``jvm``, which is that of an open session, the classes that PySpark asks it for."""
    for name in _NAMES:
        found = getattr(jvm, name)
        setattr(jvm, name, _RememberedClass(found._fqn, found._gateway_client))
