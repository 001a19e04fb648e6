"""Delta's jars: Spark's first start on a machine downloads them, later starts name their files.

With ``spark.jars.packages`` Ivy resolves the same jars again in every start, which takes a second or two and prints
many lines. So the first start writes a list of the resolved jars to the user's cache folder. The list is valid for one
version of Delta and Spark, while each file exists with its recorded size; else Ivy resolves the jars again.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from data_platform.environment import variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DELTA_PACKAGE = "io.delta:delta-spark_4.2_2.13:4.4.0"
"""Set here, since the wheel's own helper requests the newest version, even if no such jar exists."""

PACKAGES, JARS = "spark.jars.packages", "spark.jars"
LOCK_SECONDS = 600
"""The longest time of a first start; a process that has waited longer starts without the lock."""
_POLL_SECONDS = 0.1
_ARTIFACT = re.compile(r"(.+?)-\d")


@contextmanager
def delta_setting(extra: Mapping[str, str], spark_home: Path, folder: Path | None = None) -> Iterator[dict[str, str]]:
    """Yields the setting that adds Delta to a Spark session: its jar files, or its package if no list exists yet.

    In the second case other first starts wait until this block ends, since Ivy's cache does not support two writers;
    call ``remember`` in the block. ``extra`` are the caller's own settings; ``folder`` contains the list.
    """
    packages = {PACKAGES: DELTA_PACKAGE}
    file = _list_file(folder)
    if file is None or _has_own_jars(extra, spark_home):
        yield packages
        return
    with ExitStack() as held:
        jars = listed_jars(file)
        if jars is None:
            wait_for_lock(file, held)
            jars = listed_jars(file)
        if jars is not None:
            held.close()
        yield _jar_setting(jars or (), spark_home) or packages


def listed_setting(extra: Mapping[str, str], spark_home: Path, folder: Path | None = None) -> dict[str, str] | None:
    """Returns what ``delta_setting`` yields if the jars are listed; None if Spark has to resolve them first."""
    file = _list_file(folder)
    jars = None if file is None or _has_own_jars(extra, spark_home) else listed_jars(file)
    return _jar_setting(jars or (), spark_home) or None


def _jar_setting(jars: Sequence[str], spark_home: Path) -> dict[str, str]:
    own = _artifacts(spark_home)
    missing = [jar for jar in jars if _artifact(jar) not in own]
    return {JARS: ",".join(Path(jar).as_uri() for jar in missing)} if missing else {}


def remember(resolved: str, folder: Path | None = None) -> None:
    """Store the list of jars that Spark resolved: ``resolved`` is its setting ``spark.jars``. Never raises."""
    file = _list_file(folder)
    jars = resolved_jars(resolved)
    if file is None or not any(_artifact(jar) == _artifact(_delta_file()) for jar in jars):
        return
    with suppress(OSError):
        write_list(file, jars)


def resolved_jars(resolved: str) -> list[str]:
    """The files that Spark's resolver found: ``resolved`` is the setting ``spark.jars``."""
    return [unquote(urlsplit(uri).path) for uri in resolved.split(",") if uri]


def write_list(file: Path, jars: Sequence[str]) -> None:
    """Stores the list that ``listed_jars`` reads. Raises: OSError, if a jar is gone, or the list cannot be stored."""
    text = json.dumps([[jar, Path(jar).stat().st_size] for jar in jars])
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(text)
    draft.replace(file)  # a reader sees the old list or the new one


def listed_jars(file: Path) -> list[str] | None:
    """Returns the jars of the stored list; None if there is no list, or a jar is gone or has another size."""
    try:
        listed = [(str(jar), int(size)) for jar, size in json.loads(file.read_text())]
        intact = all(Path(jar).stat().st_size == size for jar, size in listed)
    except (OSError, ValueError, TypeError):
        return None
    return [jar for jar, _ in listed] if listed and intact else None


def cache_folder(folder: Path | None = None) -> Path | None:
    """Returns the folder of what this user's sessions share; None if it is not writable, as in a home that is not."""
    try:
        place = folder or Path.home() / ".cache" / "data-platform" / "jars"
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        return None
    return place


def _list_file(folder: Path | None) -> Path | None:
    """Returns the list's file; None if it cannot be stored."""
    from pyspark import __version__

    place = cache_folder(folder)
    return None if place is None else place / f"{DELTA_PACKAGE.replace(':', '_')}-spark-{__version__}.json"


def _has_own_jars(extra: Mapping[str, str], spark_home: Path) -> bool:
    """Returns whether other jars are configured: our list would replace them, while Ivy adds to them."""
    if any(key.startswith(JARS) for key in extra):
        return True
    folder = Path(variable("SPARK_CONF_DIR") or spark_home / "conf")
    with suppress(OSError):
        return JARS in (folder / "spark-defaults.conf").read_text(errors="replace")
    return False


def wait_for_lock(file: Path, held: ExitStack) -> None:
    """Waits until no other process resolves the jars of ``file``, for ``LOCK_SECONDS`` at most."""
    with suppress(OSError):
        lock = held.enter_context(file.with_suffix(".lock").open("w"))
        until = time.monotonic() + LOCK_SECONDS
        while not _locked(lock) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)


def _locked(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _artifacts(spark_home: Path) -> set[str]:
    """Returns the artifacts that Spark includes: its class loader prefers them and never reads a second copy."""
    with suppress(OSError):
        return {_artifact(f"_{name}") for name in os.listdir(spark_home / "jars")}
    return set()


def _artifact(jar: str) -> str:
    """Returns ``delta-storage`` for ``io.delta_delta-storage-4.4.0.jar``, which is Ivy's name of the file."""
    name = Path(jar).name.partition("_")[2]
    match = _ARTIFACT.match(name)
    return match[1] if match else name


def _delta_file() -> str:
    return DELTA_PACKAGE.replace(":", "_", 1).replace(":", "-")
