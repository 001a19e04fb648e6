"""Finds the Java that Spark will use, and rejects an unsupported one before Spark fails with a stack trace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from data_platform.environment import variable
from data_platform.errors import EnvironmentProblem

OLDEST, NEWEST = 17, 21
ANSWER_SECONDS = 60
WANTED = (
    f"Spark needs Java {OLDEST} or {NEWEST}: install one (Debian: apt-get install openjdk-17-jre-headless) "
    "and set JAVA_HOME to its folder"
)
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


def require_java() -> str:
    """Returns the ``java`` that Spark will start: the one in JAVA_HOME, else the first one on PATH.

    Raises:
        EnvironmentProblem: There is no Java, it does not start, or Spark does not support its version.
    """
    home = variable("JAVA_HOME")
    if home:
        path, place = str(Path(home) / "bin" / "java"), f"JAVA_HOME is {home}"
        if not os.access(path, os.X_OK):
            raise EnvironmentProblem(f"{place}, and there is no program bin/java in it; {WANTED}")
    else:
        on_path = shutil.which("java")
        if on_path is None:
            raise EnvironmentProblem(f"no Java was found: JAVA_HOME is not set, and PATH has no java; {WANTED}")
        path, place = on_path, f"JAVA_HOME is not set, and PATH has {on_path}"
    version = _version(path)
    if version is None:
        raise EnvironmentProblem(f"{place}, which does not answer `java -version`; {WANTED}")
    if not OLDEST <= version <= NEWEST:
        raise EnvironmentProblem(f"{place}, which is Java {version}; {WANTED}")
    return path


@cache
def _version(path: str) -> int | None:
    """Returns the feature release, such as 17; None if the program does not print one."""
    try:
        done = subprocess.run(  # noqa: S603 - the path is the operator's own setting
            [path, "-version"], capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(done.stderr) or _VERSION.search(done.stdout)
    return int(match[1]) if match and done.returncode == 0 else None
