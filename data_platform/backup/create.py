"""Makes a backup: the catalog in one transaction, then the tables of the lake as of that moment."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.backup.manifest import (
    CATALOG,
    KEYS,
    LAKE,
    BackupManifest,
    SavedFile,
    backups_in,
    files_below,
    sha256_of,
)
from data_platform.backup.table_copy import LOG, last_version, log_files, tables_below
from data_platform.catalog import open_catalog
from data_platform.catalog.move import save_catalog
from data_platform.errors import EnvironmentProblem, UsageError
from data_platform.lake.presence import is_remote
from data_platform.model.dataset import Stage
from data_platform.model.private_path import private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from data_platform.backup.manifest import Progress
    from data_platform.model.certification import Certification
    from data_platform.settings import Settings

_CHUNK = 1 << 20
UNFINISHED = ".unfinished"


def create(settings: Settings, folder: Path, *, now: datetime, with_keys: bool, progress: Progress) -> Path:
    """Makes a backup in a new folder below ``folder``, and returns it. Unchanged files of the last one are linked.

    Raises:
        UsageError: The lake is not a folder, the backup would be in it, or a certified table is outside of it.
        EnvironmentProblem: The backup cannot be written.
    """
    lake = Path(settings.lake.removeprefix("file://"))
    _refuse(settings, lake, folder)
    try:
        private_folder(folder)
        earlier = backups_in(folder)
        made = _new_folder(folder, now)
        return _Backup(settings, lake, made, earlier[-1] if earlier else None, progress).make(now, with_keys=with_keys)
    except OSError as error:
        raise EnvironmentProblem(
            f"the backup cannot be written below {folder}: {error.strerror}; a folder that ends in {UNFINISHED} is not "
            "finished, and can be removed"
        ) from None


def _new_folder(folder: Path, now: datetime) -> Path:
    """Raises: UsageError, if another backup began in this second."""
    name = f"{now:%Y-%m-%dT%H-%M-%SZ}"
    made = folder / f"{name}{UNFINISHED}"
    try:
        if (folder / name).exists():
            raise FileExistsError
        made.mkdir(mode=0o700)
    except FileExistsError:
        raise UsageError(f"{folder / name} is there already: another backup began in this second; try again") from None
    return made


def _refuse(settings: Settings, lake: Path, folder: Path) -> None:
    if is_remote(settings.lake):
        raise UsageError(
            f"the lake {settings.lake} is on a store of its own: keep its versions there, and copy the catalog with "
            "`data-platform catalog move`"
        )
    if folder.resolve().is_relative_to(lake.resolve()):
        raise UsageError(
            f"{folder} is in the lake, which is to be saved: name a folder elsewhere, best on another disk"
        )


def require_in_lake(lake: Path, pointers: Iterable[Certification]) -> None:
    """Raises: UsageError, if consumers read a table that a policy places outside the lake, which would be left out."""
    outside = [
        one.dataset_urn
        for one in pointers
        if one.version is not None and not Path(one.path.removeprefix("file://")).is_relative_to(lake)
    ]
    if outside:
        raise UsageError(
            f"tables outside the lake {lake} cannot be saved with it: {', '.join(outside[:3])}; save them otherwise, "
            "or place them in the lake"
        )


class _Backup:
    def __init__(
        self,
        settings: Settings,
        lake: Path,
        folder: Path,
        earlier: tuple[Path, BackupManifest] | None,
        progress: Progress,
    ) -> None:
        self._settings, self._lake, self._folder = settings, lake, folder
        self._earlier, self._progress = earlier, progress
        self._files: dict[str, SavedFile] = {}

    def make(self, now: datetime, *, with_keys: bool) -> Path:
        since_ms = time.time_ns() // 1_000_000
        rows = save_catalog(self._settings.catalog_url, f"sqlite:///{self._folder / CATALOG}", self._progress)
        chosen = list(self._lake_files(since_ms))
        self._files[CATALOG] = _described(self._folder / CATALOG)  # nothing opens it any more
        for position, file in enumerate(chosen, start=1):
            self._save(file)
            self._progress("copying the lake", position, len(chosen))
        if with_keys:
            self._save_keys()
        manifest = BackupManifest(
            created_at=now, lake=str(self._lake), rows=rows, files=self._files, has_keys=with_keys
        )
        manifest.write(self._folder)
        finished = self._folder.with_name(self._folder.name.removesuffix(UNFINISHED))
        self._folder.rename(finished)
        return finished

    def _lake_files(self, since_ms: int) -> Iterator[Path]:
        """The logs of all tables first: the data files that they name exist when those are listed."""
        tables = tables_below(self._lake)
        with open_catalog(f"sqlite:///{self._folder / CATALOG}") as catalog:
            require_in_lake(self._lake, catalog.certifications.all())
            intents = {intent.run_id for intent in catalog.runs.open_intents()}

            def is_known(note: dict[str, Any]) -> bool:
                run_id, urn, stage = (str(note.get(key, "")) for key in ("run_id", "dataset", "stage"))
                if stage not in {one.value for one in Stage}:
                    return run_id in intents
                return run_id in intents or catalog.runs.is_recorded(run_id, urn, Stage(stage))

            last = {table: last_version(table, since_ms=since_ms, is_known=is_known) for table in tables}
        kept = {table for table in tables if last[table] >= 0}
        for table in kept:
            yield from log_files(table, last[table])
        left = {table for table in tables if table not in kept}
        for file in files_below(self._lake):
            if LOG not in file.parts and not any(file.is_relative_to(table) for table in left):
                yield file

    def _save(self, file: Path) -> None:
        name = f"{LAKE}/{file.relative_to(self._lake)}"
        target = self._folder / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            state = file.stat()
            if not self._linked(name, target, state):
                self._files[name] = _copied(file, target, state)
        except FileNotFoundError:
            target.unlink(missing_ok=True)  # Delta's retention removed it meanwhile; no version that is kept needs it

    def _linked(self, name: str, target: Path, state: os.stat_result) -> bool:
        """Whether the last backup has the file, which then has two names."""
        if self._earlier is None:
            return False
        folder, manifest = self._earlier
        saved = manifest.files.get(name)
        if saved is None or (saved.size, saved.modified_ns) != (state.st_size, state.st_mtime_ns):
            return False
        try:
            os.link(folder / name, target)
        except OSError:
            return False
        self._files[name] = saved
        return True

    def _save_keys(self) -> None:
        for file in key_files(self._settings):
            target = self._folder / KEYS / file.name
            target.parent.mkdir(exist_ok=True, mode=0o700)
            self._files[f"{KEYS}/{file.name}"] = _copied(file, target, file.stat())
            target.chmod(0o600)


def key_files(settings: Settings) -> list[Path]:
    """The secrets of tokens and evidence, with all of their versions."""
    places = (settings.pii_key_file, settings.evidence_key)
    return sorted({file for place in places for file in place.parent.glob(f"{place.name}*") if file.is_file()})


def _copied(file: Path, target: Path, state: os.stat_result) -> SavedFile:
    digest = hashlib.sha256()
    with file.open("rb") as reading, target.open("wb") as writing:
        while chunk := reading.read(_CHUNK):
            digest.update(chunk)
            writing.write(chunk)
    shutil.copystat(file, target)
    return SavedFile(target.stat().st_size, state.st_mtime_ns, digest.hexdigest())


def _described(path: Path) -> SavedFile:
    state = path.stat()
    return SavedFile(state.st_size, state.st_mtime_ns, sha256_of(path))
