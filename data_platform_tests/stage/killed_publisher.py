"""Publishes what waits, and kills itself at a step or within the transaction: a process of its own for a test.

python -m data_platform_tests.stage.killed_publisher <home> <step, or the number of a statement of the transaction>
"""

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import event

from data_platform.settings import read_settings
from data_platform.stage.group_publication import publish_waiting
from data_platform_tests.stage.group_shop import Gold, WithoutSpark


class Untouched(dict[str, Gold]):
    """Gold tables that nobody rolled back."""

    def __missing__(self, path: str) -> Gold:
        return Gold(path)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(home: str, moment: str) -> None:
    settings = read_settings({"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": str(Path(home) / "policies")})
    statements: list[str] = []

    def on_step(step: str, _details: Mapping[str, Any]) -> None:
        if step == moment:
            die()
        if step == "prepared" and moment.isdecimal():
            event.listen(platform.catalog._database.engine, "after_cursor_execute", count)

    def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)
        if len(statements) == int(moment):
            die()

    platform = WithoutSpark(settings, on_step=on_step)
    platform.tables = Untouched()
    publish_waiting(platform, "run_20250201_dddddddddddd")


if __name__ == "__main__":
    main(*sys.argv[1:])
