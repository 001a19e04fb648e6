"""``data-platform init``: a repository for a team's own datasets, with a sample that the next command certifies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.environment import inherited

DAY = "2025-01-01"


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Created if it does not exist; no file is overwritten.")
    ],
    *,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Create a repository for your own datasets: policies, a sample delivery, workspace.yaml, Makefile, a check for CI.

    Examples:

    data-platform init my-datasets

    cd my-datasets && data-platform run --select orders --partition 2025-01-01
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.settings import read_settings
        from data_platform.starter.repository import write_repository

        folder = folder.absolute()
        # the settings that a command inside the new folder will have
        settings = read_settings({"DATA_PLATFORM_HOME": str(folder / ".data_platform"), **inherited()})
        written = write_repository(folder, settings.landing)
        names = [str(path.relative_to(folder)) for path in written]
        if as_json:
            screen.print_json({"folder": str(folder), "files": names, "landing": str(settings.landing)})
            return
        console = screen.out()
        for name in names:
            console.print(f"  {name}", markup=False)
        console.print(f"\n{len(names)} files in {folder}. Next:\n", markup=False, soft_wrap=True)
        console.print(f"  cd {_shown(folder)}\n  data-platform run --select orders --partition {DAY}", markup=False)


def _shown(folder: Path) -> str:
    """The path as a person would type it."""
    import shlex

    return shlex.quote(os.path.relpath(folder) if folder.is_relative_to(Path.cwd()) else str(folder))
