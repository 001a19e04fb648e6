"""A bar for long work that counts what is done; it disappears at the end, and in pipes there is none."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.cli import screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[str, int, int], None]
    """Takes what is being done, how much of it is done, and the total."""


@contextmanager
def counting(*, as_json: bool) -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    console = screen.nowhere() if as_json else screen.out()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("counting")

        def progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield progress
