"""``data-platform prepare``: what makes later starts of Spark on this machine faster."""

from __future__ import annotations

from typing import Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded


def prepare(
    *,
    again: Annotated[bool, typer.Option("--again", help="Make the archive of classes again if there is one.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Prepare this machine for fast starts of Spark, once for this user: about a minute, and 200 MB.

    It downloads Delta's jars if they are not there, and stores an archive of the classes that Spark loads, which Java
    reads in later starts. Useful when a machine or a container image is made. After an update of Java or Spark, run
    it again; until then runs start as they do without it.
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.lake.class_archive import archive_file

        file, made = archive_file(), False
        if again or file is None or not file.is_file():
            from data_platform.lake.class_recording import record_classes

            screen.announce("recording the classes that Spark loads, which takes about a minute")
            file, made = record_classes(), True
        if as_json:
            screen.print_json({"archive": str(file), "made": made, "bytes": file.stat().st_size})
        else:
            screen.out().print(f"{file}", markup=False, soft_wrap=True)
