"""What all commands share: common options, opening the platform, and errors as messages with an exit code."""

from __future__ import annotations

import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from data_platform.cli import screen
from data_platform.cli.interruption import Stopped, error_stream, stoppable
from data_platform.errors import DataPlatformError, PolicyError, UsageError
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.installation import Platform

DONE, ERROR, WRONG_USE, HELD = 0, 1, 2, 3
STOPPED = 130  # a shell's own number for Ctrl-C; SIGTERM is 143, a hang-up 129

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the stack trace of an error.")]
DatasetName = Annotated[
    str | None, typer.Argument(metavar="[DATASET]", help="A name, zone/name or ds://zone/name; all by default.")
]

Partition = Annotated[
    str | None, typer.Option("--partition", "-p", metavar="DAY", help="Only this day, such as 2013-01-01.")
]
Cursor = Annotated[str | None, typer.Option("--cursor", help="The cursor that the previous page printed.")]


def parse_partition(text: str | None) -> PartitionKey | None:
    """Raises: UsageError, if ``text`` is not the key of a partition."""
    try:
        return PartitionKey(text) if text is not None else None
    except ValueError as error:
        raise UsageError(str(error)) from None


class Commands(TyperGroup):
    """With --json, prints typer's own errors as JSON too, such as an unknown option."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 - typer's signature
        windows_expand_args: bool = True,  # noqa: FBT001, FBT002
        **extra: Any,
    ) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        rest = (prog_name, complete_var)
        if "--json" not in given or not standalone_mode:
            return super().main(given, *rest, standalone_mode, windows_expand_args, **extra)
        try:
            code = super().main(given, *rest, False, windows_expand_args, **extra)
        except Exception as error:
            if not hasattr(error, "format_message"):  # which only typer's have; their class is in a private module
                raise
            screen.print_json({"error": error.format_message(), "exit_code": WRONG_USE})
            sys.exit(WRONG_USE)
        sys.exit(code or DONE)


@contextmanager
def opened(*, as_json: bool, debug: bool) -> Iterator[Platform]:
    """The platform for the settings of the environment. Its parts are opened when they are first used."""
    with guarded(as_json=as_json, debug=debug):
        from data_platform.installation import Platform
        from data_platform.settings import read_settings

        platform = Platform(read_settings())
        try:
            yield platform
        finally:
            platform.close()


@contextmanager
def guarded(*, as_json: bool, debug: bool) -> Iterator[None]:
    """Reports every error as a message with the exit code of its kind; a stack trace only with --debug."""
    try:
        with stoppable():
            yield
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except PolicyError as error:
        _report_error(error, _problems(error), WRONG_USE, debug=debug, as_json=as_json)
    except DataPlatformError as error:
        code = WRONG_USE if isinstance(error, UsageError) else ERROR
        _report_error(error, str(error), code, debug=debug, as_json=as_json)
    except KeyboardInterrupt as stop:
        code = stop.exit_code if isinstance(stop, Stopped) else STOPPED
        _report_error(stop, "stopped; the next run rolls back writes that no gate has judged", code, as_json=as_json)
    except Exception as error:  # any other error is reported too, never swallowed
        kind, message = type(error).__name__, (str(error).splitlines() or [""])[0]
        text = f"unexpected {kind}: {message}" if message else f"unexpected {kind}"
        _report_error(error, f"{text} (use --debug to see where)", ERROR, debug=debug, as_json=as_json)


def _problems(error: PolicyError) -> str:
    if len(error.problems) == 1:
        return error.problems[0]
    return "\n  ".join((f"{len(error.problems)} problems in the policies", *error.problems))


def _report_error(error: BaseException, text: str, code: int, *, as_json: bool, debug: bool = False) -> None:
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    if as_json:
        document: dict[str, Any] = {"error": text, "exit_code": code}
        if isinstance(error, PolicyError):
            document["problems"] = list(error.problems)
        screen.print_json(document)
    else:
        line = text if isinstance(error, KeyboardInterrupt) else f"error: {text}"
        screen.on(error_stream()).print(line, markup=False, soft_wrap=True)
    raise typer.Exit(code) from None
