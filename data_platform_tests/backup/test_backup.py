"""A backup is whole or it is refused, and takes nobody's place unasked."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data_platform.backup.create import create, require_in_lake
from data_platform.backup.manifest import NAME, backups_in, read_manifest, verify
from data_platform.backup.restore import restore
from data_platform.catalog import open_catalog
from data_platform.errors import EnvironmentProblem, SourceError, UsageError
from data_platform.settings import Settings, read_settings
from data_platform_tests.backup.test_table_copy import table
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.proofs.publisher import certification

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
LATER = datetime(2025, 1, 8, 3, 0, tzinfo=UTC)


def silent(*_: object) -> None:
    """No progress is shown."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    home = tmp_path / "home"
    home.mkdir()
    copy_template(home / "catalog.db")
    orders = table(home / "lake" / "gold" / "orders", (1, "old"))
    (orders / "part-0.parquet").write_bytes(b"rows")
    (home / "pii.key").write_bytes(b"a key for tests, of 32 bytes or so")
    return read_settings({"DATA_PLATFORM_HOME": str(home)})


def test_a_backup_is_restored_to_the_same_bytes(settings: Settings, tmp_path: Path) -> None:
    made = create(settings, tmp_path / "backups", now=NOW, with_keys=True, progress=silent)
    shutil.rmtree(settings.home)

    settings.home.mkdir()
    restored = restore(settings, made, replace=False, now=LATER, progress=silent)

    assert (Path(settings.lake) / "gold/orders/part-0.parquet").read_bytes() == b"rows"
    assert settings.pii_key_file.read_bytes() == b"a key for tests, of 32 bytes or so"
    assert restored.aside == ()
    with open_catalog(settings.catalog_url) as catalog:
        assert catalog.certifications.all() == ()


def test_unchanged_files_are_linked_to_those_of_the_last_backup(settings: Settings, tmp_path: Path) -> None:
    first = create(settings, tmp_path / "backups", now=NOW, with_keys=False, progress=silent)
    (Path(settings.lake) / "gold/orders/part-1.parquet").write_bytes(b"more")

    second = create(settings, tmp_path / "backups", now=LATER, with_keys=False, progress=silent)

    old, new = (folder / "lake/gold/orders" for folder in (first, second))
    assert (old / "part-0.parquet").samefile(new / "part-0.parquet")
    assert not (old / "part-1.parquet").exists()
    assert [path for path, _ in backups_in(tmp_path / "backups")] == [first, second]
    shutil.rmtree(first)
    verify(second, read_manifest(second), silent)


@pytest.mark.parametrize("how", ["changed", "gone"])
def test_a_damaged_backup_restores_nothing(settings: Settings, tmp_path: Path, how: str) -> None:
    made = create(settings, tmp_path / "backups", now=NOW, with_keys=False, progress=silent)
    file = made / "lake/gold/orders/part-0.parquet"
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(b"rowz")

    with pytest.raises(SourceError, match=r"part-0\.parquet are missing or changed; use another backup"):
        restore(settings, made, replace=True, now=LATER, progress=silent)

    assert (Path(settings.lake) / "gold/orders/part-0.parquet").read_bytes() == b"rows"


def test_what_is_there_is_moved_aside_and_only_if_asked(settings: Settings, tmp_path: Path) -> None:
    made = create(settings, tmp_path / "backups", now=NOW, with_keys=False, progress=silent)
    (Path(settings.lake) / "gold/orders/part-0.parquet").write_bytes(b"other")

    with pytest.raises(UsageError, match="with --replace this is moved aside"):
        restore(settings, made, replace=False, now=LATER, progress=silent)
    restored = restore(settings, made, replace=True, now=LATER, progress=silent)

    assert (Path(settings.lake) / "gold/orders/part-0.parquet").read_bytes() == b"rows"
    [lake, *_] = restored.aside
    assert (lake / "gold/orders/part-0.parquet").read_bytes() == b"other"


def test_a_backup_that_was_killed_is_none(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("data_platform.backup.manifest.BackupManifest.write", die)
    with pytest.raises(KeyboardInterrupt):
        create(settings, tmp_path / "backups", now=NOW, with_keys=False, progress=silent)

    [left] = (tmp_path / "backups").iterdir()
    assert left.name.endswith(".unfinished")
    assert backups_in(tmp_path / "backups") == []
    with pytest.raises(UsageError, match="is no finished backup"):
        restore(settings, left, replace=True, now=LATER, progress=silent)


def test_a_backup_of_another_lake_or_format_and_with_other_keys_is_refused(settings: Settings, tmp_path: Path) -> None:
    made = create(settings, tmp_path / "backups", now=NOW, with_keys=True, progress=silent)

    elsewhere = read_settings({"DATA_PLATFORM_HOME": str(settings.home), "DATA_PLATFORM_LAKE": str(tmp_path / "other")})
    with pytest.raises(UsageError, match="set DATA_PLATFORM_LAKE"):
        restore(elsewhere, made, replace=True, now=LATER, progress=silent)

    settings.pii_key_file.write_bytes(b"another key, of 32 bytes and some more")
    with pytest.raises(UsageError, match="is another key than that of the backup"):
        restore(settings, made, replace=True, now=LATER, progress=silent)

    document = json.loads((made / NAME).read_text())
    (made / NAME).write_text(json.dumps({**document, "format": 2}))
    with pytest.raises(UsageError, match="of format 2, which this version cannot read"):
        read_manifest(made)


def test_a_backup_is_neither_in_the_lake_nor_of_a_remote_one(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is in the lake"):
        create(settings, Path(settings.lake) / "backups", now=NOW, with_keys=False, progress=silent)

    remote = read_settings({"DATA_PLATFORM_HOME": str(settings.home), "DATA_PLATFORM_LAKE": "s3a://bucket/lake"})
    with pytest.raises(UsageError, match="on a store of its own"):
        create(remote, tmp_path / "backups", now=NOW, with_keys=False, progress=silent)


def test_a_table_outside_the_lake_is_not_left_out_silently(tmp_path: Path) -> None:
    inside = replace(certification(1), path=str(tmp_path / "lake" / "gold" / "orders"))
    require_in_lake(tmp_path / "lake", [inside])

    with pytest.raises(UsageError, match="cannot be saved with it: ds://curated/orders"):
        require_in_lake(tmp_path / "lake", [inside, replace(inside, path=str(tmp_path / "lake2" / "orders"))])


def test_a_folder_that_cannot_be_written_is_an_error(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(EnvironmentProblem, match="the backup cannot be written"):
        create(settings, tmp_path / "file", now=NOW, with_keys=False, progress=silent)


def test_only_its_owner_reads_a_backup(settings: Settings, tmp_path: Path) -> None:
    made = create(settings, tmp_path / "backups", now=NOW, with_keys=True, progress=silent)

    assert (tmp_path / "backups").stat().st_mode & 0o077 == 0
    assert (made / "keys" / "pii.key").stat().st_mode & 0o077 == 0
