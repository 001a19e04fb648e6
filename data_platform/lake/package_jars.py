"""Downloads the jars of a package with Spark's own resolver, which knows where this machine gets packages from."""

from __future__ import annotations

from data_platform.lake.delta_jars import PACKAGES, resolved_jars
from data_platform.lake.jvm import kill_jvm, launch


def download(package: str, log: str | None = None) -> list[str]:
    """The files of ``package``, such as ``group:name:version``, and of what it needs; Spark's own jars are left out.

    It starts a JVM, so no Spark session may be open. ``log`` is the file for the resolver's output.

    Raises:
        EnvironmentProblem: There is no supported Java, or the package cannot be downloaded.
    """
    gateway = launch({PACKAGES: package}, log=log)
    try:
        return resolved_jars(str(gateway.jvm.java.lang.System.getProperty("spark.jars")))
    finally:
        kill_jvm()
