"""Java's archive of the classes that Spark loads, with which a session starts in half the processor time.

Java reads a class from the archive instead of its jar ("class data sharing"). The archive lies in the user's cache
folder beside the list of Delta's jars, one for each Java and Spark. Java compares it with itself and with its jars, and
does without one that does not fit or cannot be read. ``class_recording`` makes it.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.lake.delta_jars import DELTA_PACKAGE, cache_folder
from data_platform.lake.java import require_java

if TYPE_CHECKING:
    from collections.abc import Iterator

_SILENT = "-Xlog:cds*=off"
"""Java would print a line about an archive that does not fit, on the output of this process if Spark has no log."""


def archive_option() -> str:
    """The options with which Java reads the archive; empty if there is none.

    Raises:
        EnvironmentProblem: There is no Java that Spark supports.
    """
    file = archive_file()
    return f'"-XX:SharedArchiveFile={file}" -Xshare:auto {_SILENT}' if file is not None and file.is_file() else ""


def recording_option(file: Path) -> str:
    """The options with which Java stores the archive of all classes that it has loaded when it ends."""
    return f'"-XX:ArchiveClassesAtExit={file}" {_SILENT}'


def archive_file(folder: Path | None = None) -> Path | None:
    """The archive's place for the Java and the Spark of this process; None if there is no place to store it.

    Raises:
        EnvironmentProblem: There is no Java that Spark supports.
    """
    place = cache_folder(folder)
    try:
        programs = tuple(_programs())
    except OSError:
        return None
    key = sha256("\0".join((DELTA_PACKAGE, *programs)).encode()).hexdigest()[:16]
    return None if place is None else place / f"classes-{key}.jsa"


def _programs() -> Iterator[str]:
    """Java and Spark by their files, so that an update of either has another archive."""
    from pyspark.find_spark_home import _find_spark_home

    for file in (Path(require_java()).resolve(), Path(_find_spark_home()).resolve() / "jars"):
        found = file.stat()
        yield f"{file} {found.st_mtime_ns} {found.st_size}"
