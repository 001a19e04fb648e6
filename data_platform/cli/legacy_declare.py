"""``data-platform legacy scan … --declare FILE``: a mapping file of the watched files and jobs that were scanned."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from data_platform.cli.file import write_whole
from data_platform.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.legacy import LegacyScan


def without(mappings: dict[str, LegacyMapping], file: Path | None) -> dict[str, LegacyMapping]:
    """What people have said: a scan must not read from ``file`` what a scan before it has written there."""
    if file is None:
        return mappings
    own = f"{file.resolve().parent.name}/{file.name}"
    return {name: mapping for name, mapping in mappings.items() if name != own}


def check(file: Path) -> None:
    """Raises: UsageError, if it is no mapping file's name, or a file that people wrote."""
    from data_platform.legacy.mapping_writer import HEADER

    if file.suffix != ".yaml":
        raise UsageError(f"{file} is no name of a mapping file: expected one such as policies/legacy/estate.yaml")
    if file.exists() and not file.read_text(encoding="utf-8", errors="replace").startswith(HEADER.split(",")[0]):
        raise UsageError(f"{file} was not written by --declare, and is left as it is: name another file")


class Declared(NamedTuple):
    """How many of them a file names."""

    watch_files: int
    jobs: int


def declare(scan: LegacyScan, file: Path) -> Declared:
    """Write the file, all of it or nothing.

    Raises:
        EnvironmentProblem: It cannot be written.
    """
    import yaml

    from data_platform.legacy.mapping_writer import HEADER, declaration

    found = declaration(scan)
    text = HEADER + yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=120)
    try:
        write_whole(file, text)
    except OSError as error:
        raise EnvironmentProblem(f"{file} cannot be written: {error.strerror}") from None
    return Declared(len(found["watch_files"]), len(found["jobs"]))
