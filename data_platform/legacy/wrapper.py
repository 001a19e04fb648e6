"""Run a command and report it to the catalog: ``python -P -m data_platform.legacy.wrapper --process KEY -- COMMAND…``.

``data-platform legacy run`` does the same but starts slower, since this imports only the standard library. (``-P``
prevents modules in the job's own folder from shadowing Python's.) Input, output, signals and exit code are the
command's own: see ``child``. An error of the catalog, the disk or a name is reported in one line and changes nothing;
only a command line without a command is rejected.

It emits START before the command, RUNNING every ``--heartbeat`` seconds, and at the end COMPLETE, or FAIL with the last
lines of standard error. Durations and the times of all events after the first come from the monotonic clock, so that a
clock change never puts an end before its start. The command gets its run in ``DATA_PLATFORM_RUN``, so that its
``register_dataset`` calls belong to that run. ``running`` reports the command of a killed wrapper.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from data_platform.errors import UsageError
from data_platform.legacy.child import NotStartedError, Signals, attend, start
from data_platform.legacy.client import service_of, write_message
from data_platform.legacy.forward import bounded
from data_platform.legacy.inherited import STANDARD_ERROR, inherited_environment, occupy_closed_handles
from data_platform.legacy.run_id import VARIABLE, new, run_id_of
from data_platform.legacy.run_reporter import DISK_SECONDS, RunReporter
from data_platform.legacy.running import Mark
from data_platform.legacy.tee import Tee
from data_platform.openlineage import legacy_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HEARTBEAT_SECONDS = 60.0
LINGER_SECONDS = 1.0
"""Time at the end for a service that has not answered yet."""

LINES = 50
_WRONG_USE = 2


class Order(NamedTuple):
    """``process`` is None if its name is invalid: the command runs, and nothing is reported."""

    command: Sequence[str]
    process: str | None
    run_id: str | None = None
    inputs: tuple[dict[str, Any], ...] = ()
    outputs: tuple[dict[str, Any], ...] = ()
    day: dict[str, Any] | None = None
    heartbeat: float = HEARTBEAT_SECONDS
    lines: int = LINES
    linger: float = LINGER_SECONDS


class RunEvents:
    """Builds the run's events, with times that never go back."""

    def __init__(self, order: Order, process: str, run_id: str) -> None:
        self._order, self.process, self.run_id = order, process, run_id
        self.began, self._clock = legacy_event.now(), time.monotonic()

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
        order = self._order
        facets = {**(order.day or {}), **(facets or {})}
        return legacy_event.run_event(
            kind, self.process, self.run_id, time=at, inputs=order.inputs, outputs=order.outputs, facets=facets, **more
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the command's exit code; 2 if ``arguments`` have no command, 126 or 127 if it cannot be started."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run(read_order(given))


def read_order(given: Sequence[str]) -> Order:
    """Parses the command line. Exits with 2 and a hint if options are wrong, or no command follows ``--``."""
    parser = argparse.ArgumentParser(
        prog="data-platform legacy run", usage="%(prog)s --process KEY [options] -- COMMAND…", allow_abbrev=False
    )
    parser.add_argument("--process", required=True, metavar="KEY", help="such as AUTOSYS/BOX/JOB")
    parser.add_argument("--input", action="append", default=[], metavar="URN", help="a dataset that it reads")
    parser.add_argument("--output", action="append", default=[], metavar="URN", help="a dataset that it writes")
    parser.add_argument("--partition", metavar="DAY", help="the day that the run processes, such as 2026-02-14")
    parser.add_argument("--run-id", metavar="ID", help="default: derived from Autosys' variables, or new")
    parser.add_argument("--heartbeat", type=_seconds, default=HEARTBEAT_SECONDS, metavar="SECONDS", help="0: none")
    parser.add_argument(
        "--tail",
        type=int,
        default=LINES,
        metavar="LINES",
        help="of standard error, stored on failure; 0: do not read it",
    )
    parser.add_argument("--linger", type=_seconds, default=LINGER_SECONDS, metavar="SECONDS", help=argparse.SUPPRESS)
    split = given.index("--") if "--" in given else len(given)
    options, command = parser.parse_args(given[:split]), given[split + 1 :]
    if not command:
        parser.error("no command: expected -- and the command behind all options")
    return Order(
        command,
        _process(options.process),
        run_id=options.run_id,
        inputs=tuple(_mentions(options.input)),
        outputs=tuple(_mentions(options.output)),
        day=_day(options.partition),
        heartbeat=options.heartbeat,
        lines=min(max(0, options.tail), LINES),
        linger=options.linger,
    )


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1e9:  # also rejects NaN
        raise ValueError(text)
    return value


def _process(key: str) -> str | None:
    try:
        legacy_event.process_name(key)
    except UsageError as error:
        write_message(f"the command runs, but it is not reported: {error}")
        return None
    return key.strip()


def _mentions(names: Iterable[str]) -> Iterable[dict[str, Any]]:
    for name in names:
        try:
            yield legacy_event.mention(name)
        except UsageError as error:
            write_message(f"the command runs, and one dataset is left out: {error}")


def _day(text: str | None) -> dict[str, Any] | None:
    try:
        return legacy_event.day_facet(text) if text else None
    except UsageError as error:
        write_message(f"the command runs, and its day is left out: {error}")
        return None


def run(order: Order) -> int:
    """Runs the command and returns its exit code. It starts whatever else goes wrong."""
    closed = occupy_closed_handles()
    signals = Signals()
    tee = None if STANDARD_ERROR in closed else _tee(order)
    reported = _begin(order)
    environment = inherited_environment()
    if reported:
        environment[VARIABLE] = f"{reported.events.process}/{reported.events.run_id}"
    try:
        child = start(order.command, environment, signals, stderr=tee.inlet if tee else None)
    except NotStartedError as error:
        code, reason = error.code, f"the command cannot be started: {error.reason}"
        _write_error(f"{order.command[0]}: {error.reason}")
        if tee:
            tee.started()
    else:
        if tee:
            tee.started()
        if reported:
            reported.runs(child)
        code = attend(child, order.heartbeat if reported else 0, reported.beat if reported else int)
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


def _tee(order: Order) -> Tee | None:
    if not order.lines or order.process is None:
        return None
    try:
        return Tee()
    except OSError:
        return None


def _begin(order: Order) -> _ReportedCommand | None:
    if order.process is None:
        return None
    try:
        return _ReportedCommand(order, order.process)
    except Exception as error:  # the command is more important than any error here
        write_message(f"the command runs, but it is not reported: {type(error).__name__}")
        return None


class _ReportedCommand:
    """A command that is reported to the catalog. Its methods never raise."""

    def __init__(self, order: Order, process: str) -> None:
        service = service_of()
        if order.run_id or os.environ.get("AUTORUN"):
            run_id = run_id_of(process, "START", os.environ, service.spool.folder, given=order.run_id)
        else:
            run_id = new()
        self._order, self.events = order, RunEvents(order, process, run_id)
        self._mark = Mark(service.spool, process, run_id)
        self._reporter = RunReporter(service, self._mark)
        bounded(lambda: self._mark.set(self.events.began), DISK_SECONDS)
        self._reporter.emit(self.events.start())

    def runs(self, child: int) -> None:
        bounded(lambda: self._mark.set(self.events.began, child), DISK_SECONDS)

    def beat(self) -> None:
        self._reporter.beat(self.events.beat())

    def end(self, code: int, reason: str, printed: bytes) -> None:
        try:
            self._reporter.emit(self.events.end(code, _error(code, reason, printed, self._order.lines)))
        except Exception as error:  # the exit code is more important than any error here
            write_message(f"the end of the command is not reported: {type(error).__name__}")
        bounded(self._mark.clear, DISK_SECONDS)
        self._reporter.finish(self._order.linger)


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
