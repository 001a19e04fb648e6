"""An estate as a text diagram: boxes with their jobs, and what each job waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.legacy import LegacyProcess, LegacyScan


def tree(scan: LegacyScan) -> Iterator[str]:
    """Yields one line per job, each box above its jobs. A job whose box is in no file or contains itself is a root."""
    members: dict[str, list[LegacyProcess]] = {}
    for process in scan.processes:
        if process.box is not None:
            members.setdefault(process.box, []).append(process)
    names = {process.name for process in scan.processes}
    roots = [process for process in scan.processes if process.box is None or process.box not in names]
    shown: set[str] = set()
    for process in (*roots, *scan.processes):  # the second pass finds jobs in boxes that contain each other
        if process.name not in shown:
            yield from _lines(process, members, shown)


def _lines(root: LegacyProcess, members: dict[str, list[LegacyProcess]], shown: set[str]) -> Iterator[str]:
    pending: list[tuple[LegacyProcess, str, str]] = [(root, "", "")]
    while pending:
        process, before, below = pending.pop()
        shown.add(process.name)
        yield before + _label(process, is_root=process is root)
        inside = [member for member in members.get(process.name, ()) if member.name not in shown]
        for place, member in enumerate(reversed(inside)):
            branch, rest = ("└─ ", "   ") if place == 0 else ("├─ ", "│  ")
            shown.add(member.name)
            pending.append((member, below + branch, below + rest))


def _label(process: LegacyProcess, *, is_root: bool) -> str:
    kind = {"CMD": "", "BOX": "▣ "}.get(process.kind, f"[{process.kind.removeprefix('other:')}] ")
    clock = process.schedule if process.schedule and process.schedule.active else None
    at = f"at {', '.join(clock.start_times)}" if clock and clock.start_times else "by the clock" if clock else ""
    on = f"when {process.condition}" if process.condition else ""
    where = f"in box {process.box}, which is not shown above it" if process.box and is_root else ""
    details = "; ".join(part for part in (at, on, where) if part)
    return f"{kind}{process.name}{'  ' + details if details else ''}"
