"""The Java that Spark runs on: found as Spark finds it, and refused before Spark fails on it with a stack trace."""

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
    """The ``java`` that Spark will start: the one of JAVA_HOME, else the first one on PATH.

    Raises:
        EnvironmentProblem: There is none, it does not start, or Spark does not run on its version.
    """
    home = variable("JAVA_HOME")
    if home:
        path, place = str(Path(home) / "bin" / "java"), f"JAVA_HOME is {home}"
        if not os.access(path, os.X_OK):
            raise EnvironmentProblem(f"{place}, and there is no program bin/java in it; {WANTED}")
    else:
        found = shutil.which("java")
        if found is None:
            raise EnvironmentProblem(f"no Java was found: JAVA_HOME is not set, and PATH has no java; {WANTED}")
        path, place = found, f"JAVA_HOME is not set, and PATH has {found}"
    version = _version(path)
    if version is None:
        raise EnvironmentProblem(f"{place}, which does not answer `java -version`; {WANTED}")
    if not OLDEST <= version <= NEWEST:
        raise EnvironmentProblem(f"{place}, which is Java {version}; {WANTED}")
    return path


@cache
def _version(path: str) -> int | None:
    """The feature release, such as 17; None if the program does not say one."""
    try:
        done = subprocess.run(  # noqa: S603 - the path is the operator's own setting
            [path, "-version"], capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stderr) or _VERSION.search(done.stdout)
    return int(found[1]) if found and done.returncode == 0 else None
