"""Spark of a wrapped command reports its datasets by itself, through OpenLineage's listener, which is configured here.

Only variables of the environment are set, which Spark's launcher reads: the command stays as it is, whether it is
``spark-submit`` or a Python program. The listener appends to a file in the spool's ``spark/``, so that neither a
service that hangs nor one that is down concerns Spark; ``spark_events`` reads the file when the command has ended. The
listener's own work has a time limit for each event, and it stops while the JVM is short of memory.

Without the listener's jar, or with ``DATA_PLATFORM_SPARK_LISTENER=off``, the command runs without it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from data_platform.legacy.client import write_message
from data_platform.legacy.spool import SPARK
from data_platform.openlineage.legacy_event import process_name

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "1.53.0"
PACKAGE = f"io.openlineage:openlineage-spark_2.13:{VERSION}"
VARIABLE = "DATA_PLATFORM_SPARK_LISTENER"
"""Set by people: another jar of the listener, for example for Scala 2.12, or ``off``."""
OFF = "off"
DEFAULT = f"~/.cache/data-platform/jars/openlineage-spark_2.13-{VERSION}.jar"
EVENT_SECONDS = 10
"""The longest time that Spark's queue of events waits for the listener, for each event."""

_CLASS = "io.openlineage.spark.agent.OpenLineageSparkListener"
_OPTIONS, _CLASS_PATH = "SPARK_SUBMIT_OPTS", "SPARK_DIST_CLASSPATH"


def jar_of(environment: Mapping[str, str]) -> str:
    """The listener's jar; empty if it is switched off, or there is none, which is reported."""
    named = environment.get(VARIABLE, "").strip()
    if named.lower() == OFF:
        return ""
    jar = os.path.expanduser(named or DEFAULT)
    if os.path.isfile(jar):
        return os.path.abspath(jar)
    where = f"{VARIABLE} names no file" if named else "run: data-platform legacy spark-listener"
    write_message(f"the command runs without Spark's listener, whose jar is not there: {where}")
    return ""


def events_file(spool_folder: str, run_id: str) -> str:
    """Creates the file that the listener appends to, for its owner only. Raises: OSError, if it cannot be created."""
    folder = os.path.join(os.path.abspath(spool_folder), SPARK)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{run_id}.jsonl")
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
    return path


def with_listener(environment: Mapping[str, str], *, jar: str, file: str, process: str, run_id: str) -> dict[str, str]:
    """``environment`` with the listener; what it has for Spark stays, and counts where both set the same."""
    namespace, job = process_name(process)
    settings = {
        "extraListeners": _CLASS,
        "openlineage.transport.type": "file",
        "openlineage.transport.location": file,
        "openlineage.namespace": namespace,
        "openlineage.parentRunId": run_id,
        "openlineage.parentJobName": job,
        "openlineage.parentJobNamespace": namespace,
        "openlineage.circuitBreaker.type": "javaRuntime",
        "openlineage.circuitBreaker.timeoutInSeconds": str(EVENT_SECONDS),
    }
    options = [_quoted(f"-Dspark.{name}={value}") for name, value in settings.items()]
    options.append("--add-opens=java.base/java.security=ALL-UNNAMED")  # for what Delta and the listener reflect upon
    own, path = environment.get(_OPTIONS, ""), environment.get(_CLASS_PATH, "")
    return {
        **environment,
        _OPTIONS: " ".join([*options, *([own] if own else [])]),
        _CLASS_PATH: f"{path}{os.pathsep}{jar}" if path else jar,
    }


def _quoted(option: str) -> str:
    """As Spark's launcher reads it: a double quote keeps spaces together."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
