"""Run a command and report it to the catalog: ``python -P -m data_platform.legacy.wrapper --process KEY -- COMMAND…``.

``data-platform legacy run`` does the same but starts slower, since this imports only the standard library. (``-P``
prevents modules in the job's own folder from shadowing Python's.) Input, output, signals and exit code are the
command's own: see ``child``. An error of the catalog, the disk or a name is reported in one line and changes nothing;
only a command line without a command is rejected.

It emits START before the command, RUNNING every ``--heartbeat`` seconds, and at the end COMPLETE, or FAIL with the last
lines of standard error. Durations and the times of all events after the first come from the monotonic clock, so that a
clock change never puts an end before its start. The command gets its run in ``DATA_PLATFORM_RUN``, so that its
``register_dataset`` calls belong to that run. ``running`` reports the command of a killed wrapper. With ``--spark``,
Spark of the command reports what it reads and writes (``spark_listener``).
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from data_platform.legacy.child import NotStartedError, Signals, attend, start
from data_platform.legacy.client import service_of, write_message
from data_platform.legacy.command_line import parse_arguments
from data_platform.legacy.forward import bounded
from data_platform.legacy.inherited import STANDARD_ERROR, inherited_environment, occupy_closed_handles
from data_platform.legacy.run_id import VARIABLE, new, run_id_of
from data_platform.legacy.run_reporter import DISK_SECONDS, RunReporter
from data_platform.legacy.running import Mark
from data_platform.legacy.tee import Tee
from data_platform.openlineage import legacy_event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.legacy.command_line import WrapperOptions


DEPLOY_REF = "DATA_PLATFORM_DEPLOY_REF"
"""The variable with the reference of the command's code, such as a Git SHA."""


class RunEvents:
    """Builds the run's events, with times that never go back."""

    def __init__(self, options: WrapperOptions, process: str, run_id: str) -> None:
        self._options, self.process, self.run_id = options, process, run_id
        self.began, self._clock = legacy_event.now(), time.monotonic()
        self._code = legacy_event.deploy_ref_facet(os.environ.get(DEPLOY_REF, ""))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._clock

    def start(self) -> dict[str, Any]:
        return self._event("START", self.began)

    def beat(self) -> dict[str, Any]:
        return self._event("RUNNING", self.began + timedelta(seconds=self.seconds))

    def end(self, code: int, error: str) -> dict[str, Any]:
        seconds = self.seconds
        facets = legacy_event.exit_facet(code, seconds)
        kind = "COMPLETE" if code == 0 else "FAIL"
        time_of_end = self.began + timedelta(seconds=seconds, microseconds=1)
        return self._event(kind, time_of_end, error=error if code else None, facets=facets)

    def _event(self, kind: str, at: Any, *, facets: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        options = self._options
        facets = {**(options.day or {}), **self._code, **(facets or {})}
        return legacy_event.run_event(
            kind,
            self.process,
            self.run_id,
            time=at,
            inputs=options.inputs,
            outputs=options.outputs,
            facets=facets,
            **more,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the command's exit code; 2 if ``arguments`` have no command, 126 or 127 if it cannot be started."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run(parse_arguments(given))


def run(options: WrapperOptions) -> int:
    """Runs the command and returns its exit code. It starts whatever else goes wrong."""
    closed = occupy_closed_handles()
    signals = Signals()
    tee = None if STANDARD_ERROR in closed else _tee(options)
    reported = _begin(options)
    environment = inherited_environment()
    if reported:
        environment[VARIABLE] = f"{reported.events.process}/{reported.events.run_id}"
        environment = reported.with_spark(environment)
    try:
        child = start(options.command, environment, signals, stderr=tee.inlet if tee else None)
    except NotStartedError as error:
        code, reason = error.code, f"the command cannot be started: {error.reason}"
        _write_error(f"{options.command[0]}: {error.reason}")
        if tee:
            tee.started()
    else:
        if tee:
            tee.started()
        if reported:
            reported.runs(child)
        code = attend(child, options.heartbeat if reported else 0, reported.beat if reported else int)
        reason = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        code = code if code >= 0 else 128 - code  # as a shell reports it
    printed = tee.tail() if tee else b""
    if reported:
        reported.end(code, reason, printed)
    return code


def _write_error(line: str) -> None:
    with suppress(AttributeError, OSError, ValueError):  # standard error is closed, or its disk is full
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _tee(options: WrapperOptions) -> Tee | None:
    if not options.lines or options.process is None:
        return None
    try:
        return Tee()
    except OSError:
        return None


def _begin(options: WrapperOptions) -> _ReportedCommand | None:
    if options.process is None:
        return None
    try:
        return _ReportedCommand(options, options.process)
    except Exception as error:  # the command is more important than any error here
        write_message(f"the command runs, but it is not reported: {type(error).__name__}")
        return None


class _ReportedCommand:
    """A command that is reported to the catalog. Its methods never raise."""

    def __init__(self, options: WrapperOptions, process: str) -> None:
        service = service_of()
        if options.run_id or os.environ.get("AUTORUN"):
            run_id = run_id_of(process, "START", os.environ, service.spool.folder, given=options.run_id)
        else:
            run_id = new()
        self._options, self.events = options, RunEvents(options, process, run_id)
        self._spool_folder, self._has_listener = service.spool.folder, False
        self._mark = Mark(service.spool, process, run_id)
        self._reporter = RunReporter(service, self._mark)
        bounded(lambda: self._mark.set(self.events.began), DISK_SECONDS)
        self._reporter.emit(self.events.start())

    def with_spark(self, environment: dict[str, str]) -> dict[str, str]:
        """``environment`` with Spark's listener, if the options ask for it."""
        if not self._options.spark:
            return environment
        try:
            from data_platform.legacy.spark_listener import events_file, jar_of, with_listener

            if jar := jar_of(environment):
                events = self.events
                file = events_file(self._spool_folder, events.run_id)
                self._has_listener = True
                return with_listener(environment, jar=jar, file=file, process=events.process, run_id=events.run_id)
        except Exception as error:  # the command is more important than any error here
            write_message(f"the command runs without Spark's listener: {type(error).__name__}")
        return environment

    def runs(self, child: int) -> None:
        bounded(lambda: self._mark.set(self.events.began, child), DISK_SECONDS)

    def beat(self) -> None:
        self._reporter.beat(self.events.beat())

    def end(self, code: int, reason: str, printed: bytes) -> None:
        if self._has_listener:
            bounded(lambda: self._end_spark(reason if code else ""), DISK_SECONDS)
        try:
            self._reporter.emit(self.events.end(code, _error(code, reason, printed, self._options.lines)))
        except Exception as error:  # the exit code is more important than any error here
            write_message(f"the end of the command is not reported: {type(error).__name__}")
        bounded(self._mark.clear, DISK_SECONDS)
        self._reporter.finish(self._options.linger)

    def _end_spark(self, failure: str) -> None:
        from data_platform.legacy.spark_events import end

        at = self.events.began + timedelta(seconds=self.events.seconds)
        try:
            end(self._spool_folder, self.events.run_id, failure=failure, at=at)
        except Exception as error:  # the exit code is more important than any error here
            write_message(f"what Spark reported is not sent: {type(error).__name__}")


def _error(code: int, reason: str, printed: bytes, lines: int) -> str:
    """Returns the reason with the last lines of standard error; empty if the command succeeded."""
    if code == 0:
        return ""
    from data_platform.legacy.tail import tail_of  # its patterns take long to compile, and most commands succeed

    tail = tail_of(printed, lines)
    return f"{reason}; the last lines of standard error:\n{tail}" if tail else reason


if __name__ == "__main__":
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or its disk is full
            stream.flush()
    os._exit(code)  # does not wait for a thread that waits for the service
