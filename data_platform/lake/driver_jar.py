"""Adds the jar of a JDBC driver to an open Spark session: a file, or a package that Spark's own resolver downloads.

A package is downloaded once for a machine; where its jar lies is remembered beside the list of Delta's jars. So a run
resolves nothing, and needs no network.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem
from data_platform.lake.delta_jars import cache_folder, listed_jars, wait_for_lock, write_list

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_jar(spark: SparkSession, path: str) -> None:
    """Raises: EnvironmentProblem, if there is no such file."""
    if not Path(path).is_file():
        raise EnvironmentProblem(f"the jar of the JDBC driver, {path}, does not exist: correct source.driver.jar")
    _add(spark, Path(path).as_uri())


def add_package(spark: SparkSession, package: str, folder: Path | None = None) -> None:
    """Adds ``group:name:version``, without what it depends on: drivers are whole. ``folder`` contains the list.

    Raises:
        EnvironmentProblem: It is not on this machine, and cannot be downloaded.
    """
    place = cache_folder(folder)
    file = place / f"{package.replace(':', '_')}.json" if place else None
    if file is not None and (jars := listed_jars(file)) is not None:
        _add(spark, *(Path(jar).as_uri() for jar in jars))
        return
    with ExitStack() as held:
        if file is not None:
            wait_for_lock(file, held)
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        before = set(_listed(spark))
        try:
            _add(spark, f"ivy://{package}?transitive=false")
        except (Py4JJavaError, PySparkException):
            raise EnvironmentProblem(
                f"the JDBC driver {package} is not on this machine and cannot be downloaded: connect once to a Maven "
                "repository, correct source.driver.package, or name the file with source.driver.jar"
            ) from None
        found = _files_of(spark, package, before)
        for path in found:
            _show_to_scheduler(spark, Path(path).as_uri())
        if file is not None:
            with suppress(OSError):
                write_list(file, found)


def _add(spark: SparkSession, *uris: str) -> None:
    loader = spark._jsparkSession.sessionState().resourceLoader()
    known = set(_listed(spark))
    for uri in uris:
        if not any(uri.rpartition("/")[2] == one.rpartition("/")[2] for one in known):
            _show_to_scheduler(spark, uri)
            loader.addJar(uri)


def _show_to_scheduler(spark: SparkSession, uri: str) -> None:
    """Adds a file to the class loader of Spark's own threads: they read the errors of tasks, which are the driver's."""
    jvm, loader = spark._jvm, spark._jsparkSession.sharedState().jarClassLoader().getParent()
    if uri.startswith("file:") and loader.getClass().getSimpleName() == "MutableURLClassLoader" and jvm is not None:
        loader.addURL(jvm.java.net.URI(uri).toURL())


def _listed(spark: SparkSession) -> list[str]:
    return [str(row[0]) for row in spark.sql("LIST JARS").collect()]


def _files_of(spark: SparkSession, package: str, before: set[str]) -> list[str]:
    """The file of the package in Ivy's folder, which Spark then serves under the same name."""
    group, name, version = package.split(":")
    wanted = f"{group}_{name}-{version}.jar"
    new = [one for one in _listed(spark) if one not in before]
    home = Path.home()
    found = [file for folder in home.glob(".ivy2*") for file in (folder / "jars").glob(wanted)]
    return [str(file) for file in found[:1]] if new else []
