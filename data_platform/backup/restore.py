"""Restores a backup: checks it, puts the lake and the catalog in their places, and says whether all is readable."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.backup.create import key_files
from data_platform.backup.manifest import CATALOG, KEYS, LAKE, read_manifest, verify
from data_platform.catalog.move import move_catalog
from data_platform.errors import UsageError
from data_platform.lake.presence import find_damage
from data_platform.model.private_path import private_folder

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.backup.manifest import BackupManifest, Progress
    from data_platform.catalog import Catalog
    from data_platform.settings import Settings

_SQLITE = "sqlite:///"


@dataclass(frozen=True)
class Restored:
    """``aside`` are the places to which what was there before was moved."""

    manifest: BackupManifest
    aside: tuple[Path, ...]


def restore(settings: Settings, backup: Path, *, replace: bool, now: datetime, progress: Progress) -> Restored:
    """Restores ``backup``. With ``replace`` the lake and a SQLite catalog that exist are moved aside, not deleted.

    Raises:
        UsageError: It is no backup, it is of a lake elsewhere, or something is there already.
        SourceError: Files of the backup are missing or changed. Nothing was restored.
    """
    manifest = read_manifest(backup)
    lake = Path(settings.lake.removeprefix("file://"))
    if str(lake) != manifest.lake:
        raise UsageError(
            f"the catalog of the backup names tables in {manifest.lake}, and the lake is {lake}: set DATA_PLATFORM_LAKE"
        )
    verify(backup, manifest, progress)
    _refuse_other_keys(settings, backup, manifest)
    there = [path for path in (lake, *_catalog_files(settings)) if path.exists() and not _is_empty(path)]
    if there and not replace:
        raise UsageError(
            f"there already: {', '.join(map(str, there))}; with --replace this is moved aside for the backup"
        )
    aside = tuple(_moved_aside(path, now) for path in there)
    _put_lake(backup / LAKE, lake, progress)
    _put_keys(settings, backup, manifest)
    with tempfile.TemporaryDirectory(dir=settings.home) as folder:
        copy = Path(folder) / CATALOG  # to open it would change the backup
        shutil.copyfile(backup / CATALOG, copy)
        move_catalog(f"{_SQLITE}{copy}", settings.catalog_url, progress)
    return Restored(manifest, aside)


def damage_of(catalog: Catalog) -> dict[str, str]:
    """Maps each dataset whose certified version cannot be read to what is missing."""
    found = {
        one.dataset_urn: find_damage(one.path, one.version)
        for one in catalog.certifications.all()
        if one.version is not None
    }
    return {urn: damage for urn, damage in found.items() if damage}


def _catalog_files(settings: Settings) -> list[Path]:
    if not settings.catalog_url.startswith(_SQLITE):
        return []
    file = Path(settings.catalog_url.removeprefix(_SQLITE))
    return [file, *(file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))]


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _moved_aside(path: Path, now: datetime) -> Path:
    target = path.with_name(f"{path.name}.replaced-{now:%Y-%m-%dT%H-%M-%SZ}")
    path.rename(target)
    return target


def _put_lake(saved: Path, lake: Path, progress: Progress) -> None:
    """Copies beside the lake first, so that a lake is whole or not there."""
    new = lake.with_name(f"{lake.name}.restoring")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True, mode=0o700)
    files = [path for path in saved.rglob("*") if path.is_file()] if saved.exists() else []
    for position, file in enumerate(files, start=1):
        target = new / file.relative_to(saved)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)
        progress("copying the lake", position, len(files))
    if lake.exists():
        lake.rmdir()  # it is empty
    os.replace(new, lake)


def _refuse_other_keys(settings: Settings, backup: Path, manifest: BackupManifest) -> None:
    """Raises: UsageError. Data with tokens of one key are of no use beside another."""
    have = {file.name: file for file in key_files(settings)}
    for saved in (backup / KEYS).iterdir() if manifest.has_keys else ():
        file = have.get(saved.name)
        if file is not None and file.read_bytes() != saved.read_bytes():
            raise UsageError(f"{file} is another key than that of the backup: move it away first")


def _put_keys(settings: Settings, backup: Path, manifest: BackupManifest) -> None:
    have = {file.name for file in key_files(settings)}
    for saved in (backup / KEYS).iterdir() if manifest.has_keys else ():
        if saved.name in have:
            continue
        of_evidence = saved.name.startswith(settings.evidence_key.name)
        place = (settings.evidence_key if of_evidence else settings.pii_key_file).parent
        private_folder(place)
        shutil.copy2(saved, place / saved.name)
