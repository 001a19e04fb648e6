"""Runs the lab: each fault on each estate, with the daemon up and down."""

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from data_platform_tests.faultlab.fault import FAULTS
from data_platform_tests.faultlab.score import Score, score
from data_platform_tests.faultlab.trial import Bench, draw_case


def run_lab(numbers: Iterable[int], size: int, folder: Path, *, only: str | None = None) -> Score:
    truths, answers = {}, []
    with _without_fsync():
        for number in numbers:
            bench = Bench(number, size, folder)
            for fault in FAULTS:
                for daemon in (True, False):
                    if only in (None, fault.__name__):
                        case = draw_case(bench.estate, fault, daemon=daemon)
                        truths[case.name] = case.truth.document()
                        answers.append(bench.answer(case))
            print(f"estate {number}: {len(answers)} cases", file=sys.stderr)
    return score(truths, answers)


@contextmanager
def _without_fsync() -> Iterator[None]:
    """A commit to SQLite waits for the disk otherwise, and a lab may be lost."""

    def turn_off(connection: Any, _: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", turn_off)
    yield
    event.remove(Engine, "connect", turn_off)
