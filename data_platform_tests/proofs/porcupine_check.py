"""Asks porcupine, a checker in Go, about a history. It needs ``go``, which downloads the module at the first use."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from data_platform_tests.proofs.linearizability import write_history

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform_tests.proofs.linearizability import Operation


def porcupine_accepts(operations: Iterable[Operation], folder: Path) -> bool:
    """``folder`` gets the history."""
    file = folder / "history.jsonl"
    write_history(operations, file)
    done = subprocess.run([_program(), file], capture_output=True, text=True, check=True)  # noqa: S603
    return {"true": True, "false": False}[done.stdout.strip()]


@cache
def _program() -> Path:
    program = Path(mkdtemp(prefix="porcupine-")) / "check"
    source = Path(__file__).parent / "porcupine"
    subprocess.run(["go", "build", "-o", program, "."], cwd=source, check=True)  # noqa: S603, S607
    return program
