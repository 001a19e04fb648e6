"""Looks up packages, classes and functions of the JVM once.

For ``functions.lit(1)`` py4j asks the JVM what ``functions`` is, then what ``lit`` is, and then calls it. A stage
builds its rules in thousands of such calls. For a name such as ``org.apache.spark`` it asks about each part, and the
JVM looks for a class of that name in all of Spark's jars before it answers that it is a package.

What was a package when it was asked for stays one, so Spark's jars must be complete when the session is opened.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JavaPackage

_NAMES = ("functions", "org.apache.spark.sql.functions", "PythonUtils")
_ROOTS = ("org", "io", "java", "scala")


class _RememberedClass(JavaClass):  # type: ignore[misc]
    """A class of the JVM that looks up each of its functions once."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        if isinstance(member, JavaMember):
            self.__dict__[name] = member
        return member


class _RememberedPackage(JavaPackage):  # type: ignore[misc]
    """A package of the JVM that looks up each of its packages and classes once."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaPackage):
            found = _RememberedPackage(found._fqn, found._gateway_client, found._jvm_id)
        elif isinstance(found, JavaClass):
            found = _RememberedClass(found._fqn, found._gateway_client)
        else:
            return found
        self.__dict__[name] = found
        return found


def remember_names(jvm: Any) -> None:
    """Keeps in ``jvm``, which is that of an open session, the packages and classes that are asked for."""
    for name in _NAMES:
        found = getattr(jvm, name)
        setattr(jvm, name, _RememberedClass(found._fqn, found._gateway_client))
    for root in _ROOTS:
        setattr(jvm, root, _RememberedPackage(root, jvm._gateway_client, jvm._id))
