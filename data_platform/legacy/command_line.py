"""The wrapper's command line. A wrong dataset, process or day is left out with a message; the command still runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

from data_platform.errors import UsageError
from data_platform.legacy.client import write_message
from data_platform.openlineage import legacy_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HEARTBEAT_SECONDS = 60.0
LINGER_SECONDS = 1.0
"""Time at the end for a service that has not answered yet."""

LINES = 50


class WrapperOptions(NamedTuple):
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
    spark: bool = False


def parse_arguments(given: Sequence[str]) -> WrapperOptions:
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
    parser.add_argument("--spark", action="store_true", help="Spark reports what it reads and writes")
    parser.add_argument("--linger", type=_seconds, default=LINGER_SECONDS, metavar="SECONDS", help=argparse.SUPPRESS)
    split = given.index("--") if "--" in given else len(given)
    options, command = parser.parse_args(given[:split]), given[split + 1 :]
    if not command:
        parser.error("no command: expected -- and the command behind all options")
    return WrapperOptions(
        command,
        _process(options.process),
        run_id=options.run_id,
        inputs=tuple(_mentions(options.input)),
        outputs=tuple(_mentions(options.output)),
        day=_day(options.partition),
        heartbeat=options.heartbeat,
        lines=min(max(0, options.tail), LINES),
        linger=options.linger,
        spark=options.spark,
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
        return legacy_event.partition_facet(text) if text else None
    except UsageError as error:
        write_message(f"the command runs, and its day is left out: {error}")
        return None
