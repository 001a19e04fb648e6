"""``data-platform legacy scan … --declare FILE``: writes a mapping file of the scanned watched files and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from data_platform.cli.file import write_whole
from data_platform.errors import EnvironmentProblem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.legacy import LegacyScan


def without(mappings: dict[str, LegacyMapping], file: Path | None) -> dict[str, LegacyMapping]:
    """The mappings without ``file``: a scan must not read what an earlier scan wrote there."""
    if file is None:
        return mappings
    own = f"{file.resolve().parent.name}/{file.name}"
    return {name: mapping for name, mapping in mappings.items() if name != own}


def check(file: Path) -> None:
    """Raises: UsageError, if the name is not one of a mapping file, or the file was written by hand."""
    from data_platform.legacy.mapping_writer import HEADER

    if file.suffix != ".yaml":
        raise UsageError(f"{file} is not the name of a mapping file: expected one such as policies/legacy/estate.yaml")
    if file.exists() and not file.read_text(encoding="utf-8", errors="replace").startswith(HEADER.split(",")[0]):
        raise UsageError(f"{file} was not written by --declare, so it is not overwritten: name another file")


class Declared(NamedTuple):
    """The numbers of watched files and jobs in a mapping file."""

    watch_files: int
    jobs: int


def declare(scan: LegacyScan, file: Path) -> Declared:
    """Writes the file atomically.

    Raises:
        EnvironmentProblem: The file cannot be written.
    """
    import yaml

    from data_platform.legacy.mapping_writer import HEADER, declaration

    mapping = declaration(scan)
    text = HEADER + yaml.safe_dump(mapping, sort_keys=False, allow_unicode=True, width=120)
    try:
        write_whole(file, text)
    except OSError as error:
        raise EnvironmentProblem(f"{file} cannot be written: {error.strerror}") from None
    return Declared(len(mapping["watch_files"]), len(mapping["jobs"]))
