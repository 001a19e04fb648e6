"""Variables of other programs: what Java, Spark and child processes read. Our own are in ``settings``.

Nowhere else is the environment of this process read or changed; the linter sees to it.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


def variable(name: str) -> str:
    """Its value; empty if it is not set."""
    return os.environ.get(name, "")


def is_set(name: str) -> bool:
    return name in os.environ


def inherited() -> dict[str, str]:
    """All variables, for a process to start."""
    return dict(os.environ)


def set_variables(values: Mapping[str, str]) -> None:
    """For libraries that read them in this process, from now on."""
    os.environ.update(values)


def set_default(name: str, value: str) -> None:
    os.environ.setdefault(name, value)


@contextmanager
def variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set within the block, and removed at its end."""
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            os.environ.pop(name, None)
