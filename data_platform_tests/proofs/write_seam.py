"""Ends a run at one of its writes, as SIGKILL would, but within the process of the caller.

A write is a transaction of the catalog or a change of a Delta table. Before and after each there is a seam. From the
chosen seam on no write is done, also not by what cleans up: so a lease stays taken, by an owner that looks dead.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest

from data_platform.catalog.database import Database
from data_platform.lake.table import LakeTable
from data_platform.stage import lease_owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.engine import Connection

TABLE_WRITES = ("create", "begin", "replace", "append", "restore", "add_columns", "widen", "protect", "remove")
AFTER_ITS_END = 0
"""A start time in ticks that no process has, so that the owner of a lease looks dead."""


class Died(BaseException):
    """Nothing may catch this one."""


@dataclass
class Seams:
    """Counts the seams that the thread of its maker passes; the one with the number ``last`` is the end of it."""

    last: int
    passed: list[str] = field(default_factory=list)
    thread: int = field(default_factory=threading.get_ident)

    def cross(self, name: str) -> None:
        """Raises: Died, if the run has ended here or before."""
        if threading.get_ident() != self.thread:
            return
        if len(self.passed) < self.last:
            self.passed.append(name)
        if len(self.passed) == self.last:
            raise Died


@contextmanager
def dying_at(number: int) -> Iterator[Seams]:
    """Within the context the thread dies at the seam ``number``, counted from 1; if there are fewer, it does not."""
    seams = Seams(number)
    with pytest.MonkeyPatch.context() as patch:
        for name in TABLE_WRITES:
            patch.setattr(LakeTable, name, _with_seams(getattr(LakeTable, name), seams))
        patch.setattr(Database, "writing", _transaction(Database.writing, seams))
        patch.setattr(lease_owner, "this_process", _dead_owner)
        yield seams


def _with_seams(write: Callable[..., Any], seams: Seams) -> Callable[..., Any]:
    @wraps(write)
    def between(*arguments: Any, **options: Any) -> Any:
        seams.cross(f"before {write.__name__}")
        done = write(*arguments, **options)
        seams.cross(f"after {write.__name__}")
        return done

    return between


def _transaction(writing: Callable[..., Any], seams: Seams) -> Callable[..., Any]:
    @contextmanager
    def between(database: Database) -> Iterator[Connection]:
        seams.cross("before a transaction")
        with writing(database) as connection:
            yield connection
        seams.cross("after a transaction")

    return between


def _dead_owner(run_id: str) -> str:
    return f"{run_id}@host:{os.getpid()}:{AFTER_ITS_END}:{lease_owner._place()}"
