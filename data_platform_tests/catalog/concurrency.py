"""Runs one function in several processes that all begin at the same moment.

They are forks of one server process, which imports the catalog once; it opens no catalog, so that they share nothing.
"""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

PRELOADED = [
    "data_platform.catalog",
    "psycopg2",
    "pytest",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.dialects.sqlite",
]

_barrier: Any = None


def _prepare(barrier: Any) -> None:
    global _barrier
    _barrier = barrier


def _begin(function: Callable[..., str], arguments: tuple[Any, ...]) -> str:
    _barrier.wait(timeout=60)
    return function(*arguments)


def run_concurrently(function: Callable[..., str], calls: Sequence[tuple[Any, ...]]) -> list[str]:
    """What each call answered, in the order of ``calls``, a process each."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    barrier = context.Barrier(len(calls))
    with ProcessPoolExecutor(len(calls), mp_context=context, initializer=_prepare, initargs=(barrier,)) as pool:
        return [future.result() for future in [pool.submit(_begin, function, call) for call in calls]]
