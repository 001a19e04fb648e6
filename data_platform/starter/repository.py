"""Writes a team's own repository from the template, and lands its sample. Existing files are not changed."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, UsageError
from data_platform.policies import write_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE = "sample"
SCHEMAS = "policies/schemas"


def write_repository(folder: Path, landing: Path) -> list[Path]:
    """Writes the repository and returns its files. The sample is also copied to ``landing``, as a delivery.

    Raises:
        UsageError: A file of the template exists in ``folder`` or ``landing`` already. Nothing is written then.
        EnvironmentProblem: ``folder`` or ``landing`` cannot be written.
    """
    with as_file(files("data_platform.starter") / "template") as template:
        targets = {source: folder / _target_name(source.relative_to(template)) for source in _sources(template)}
        deliveries = {
            source: landing / source.relative_to(template / SAMPLE)
            for source in targets
            if source.is_relative_to(template / SAMPLE)
        }
        _refuse_existing([*targets.values(), *deliveries.values()])
        try:
            for source, target in (*targets.items(), *deliveries.items()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
            write_schemas(folder / SCHEMAS)
            requirements = folder / "requirements.txt"
            requirements.write_text(requirements.read_text().format(version=version("data-platform")))
        except OSError as error:
            raise EnvironmentProblem(f"{error.filename or folder} cannot be written: {error.strerror}") from None
    return sorted([*targets.values(), *(folder / SCHEMAS).glob("*.json")])


def _sources(template: Path) -> Iterator[Path]:
    for path in sorted(template.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path


def _target_name(path: Path) -> Path:
    return path.__class__(*(part.replace("dot_", ".", 1) if part.startswith("dot_") else part for part in path.parts))


def _refuse_existing(targets: list[Path]) -> None:
    existing = [path for path in targets if path.exists()]
    if existing:
        more = f" and {len(existing) - 1} more" if len(existing) > 1 else ""
        raise UsageError(f"{existing[0]}{more} already exists, and is not overwritten: name an empty folder")
