"""``data-platform backup``: saves catalog and lake, lists and checks backups, and restores one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import ERROR, AsJson, Debug, guarded, opened
from data_platform.cli.progress_bar import counting
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.backup.manifest import BackupManifest
    from data_platform.installation import Platform

app = typer.Typer(no_args_is_help=True, help="Save the catalog and the lake, and restore them.")

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the backups, best on another disk.")]
Backup = Annotated[Path, typer.Argument(metavar="BACKUP", help="One backup, such as FOLDER/2025-06-01T03-00-00Z.")]


@app.command()
def create(
    folder: Folder,
    *,
    with_keys: Annotated[bool, typer.Option("--with-keys", help="Also save the secret keys.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Save the catalog and the lake as of one moment, also while runs write. Files that the last backup has are linked.

    Examples:

    data-platform backup create /backup/platform
    """
    with guarded(as_json=as_json, debug=debug), counting(as_json=as_json) as progress:
        from data_platform.backup.create import create as create_backup
        from data_platform.backup.manifest import read_manifest
        from data_platform.settings import read_settings

        now = datetime.now(UTC)
        made = create_backup(read_settings(), folder.absolute(), now=now, with_keys=with_keys, progress=progress)
        manifest = read_manifest(made)
    if as_json:
        screen.print_json(_document(made, manifest))
        return
    screen.out().print(_sentence(made, manifest), markup=False, soft_wrap=True)
    if not with_keys:
        screen.out().print(
            "the secret keys are not in it: keep copies of them elsewhere, or use --with-keys; without them tokens and "
            "evidence cannot be checked",
            markup=False,
            soft_wrap=True,
        )


@app.command("list")
def list_backups(folder: Folder, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """List the finished backups of a folder, the oldest first."""
    with guarded(as_json=as_json, debug=debug):
        from data_platform.backup.manifest import backups_in

        found = backups_in(folder)
        if as_json:
            screen.print_json([_document(path, manifest) for path, manifest in found])
            return
        rows = [
            (
                path.name,
                f"{m.created_at:%Y-%m-%d %H:%M:%S}",
                len(m.files),
                f"{m.size / 1e6:.1f}",
                "yes" if m.has_keys else "",
            )
            for path, m in found
        ]
        columns = ("backup", "created (UTC)", "files", "MB", "keys")
        screen.print_table(screen.out(), columns, rows, empty="no finished backup is in this folder")


@app.command()
def verify(backup: Backup, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """Read every file of a backup, and compare its checksum. Exit code 1 if one is missing or changed."""
    with guarded(as_json=as_json, debug=debug), counting(as_json=as_json) as progress:
        from data_platform.backup.manifest import read_manifest
        from data_platform.backup.manifest import verify as verify_backup

        manifest = read_manifest(backup)
        verify_backup(backup, manifest, progress)
    if as_json:
        screen.print_json({**_document(backup, manifest), "whole": True})
        return
    screen.out().print(f"{backup} is whole: {number_of(len(manifest.files), 'file')}", markup=False, soft_wrap=True)


@app.command()
def restore(
    backup: Backup,
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Move a lake and a SQLite catalog that are there aside.")
    ] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Put catalog and lake back as they were, reconcile them, and check that every certified version is readable.

    Stop every process of the platform first. Exit code 1 if something that was certified cannot be read.
    """
    with guarded(as_json=as_json, debug=debug), counting(as_json=as_json) as progress:
        from data_platform.backup.restore import restore as restore_backup
        from data_platform.settings import read_settings

        now = datetime.now(UTC)
        restored = restore_backup(read_settings(), backup, replace=replace, now=now, progress=progress)
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.backup.restore import damage_of
        from data_platform.cli.repair import reconcile_selected

        if not as_json:
            for path in restored.aside:
                screen.out().print(f"what was there before is in {path}", markup=False, soft_wrap=True)
            reconcile_selected(platform, None, as_json=False)
        damage = damage_of(platform.catalog)
        evidence = _evidence(platform)
        if as_json:
            document = {**_document(backup, restored.manifest), "moved_aside": list(map(str, restored.aside))}
            screen.print_json({**document, "damage": damage, "evidence": evidence})
        else:
            for urn, reason in damage.items():
                screen.err().print(
                    f"error: {urn} is certified and cannot be read: {reason}", markup=False, soft_wrap=True
                )
            screen.out().print(f"restored to {restored.manifest.created_at:%Y-%m-%d %H:%M:%S} UTC; {evidence}")
        if damage:
            raise typer.Exit(ERROR)


def _evidence(platform: Platform) -> str:
    if not platform.settings.evidence_key.exists():
        return "the evidence was not checked, since its key is not here"
    return "the evidence is whole" if platform.catalog.evidence.verify().is_whole else "the evidence is NOT whole"


def _document(path: Path, manifest: BackupManifest) -> dict[str, Any]:
    return {
        "backup": str(path),
        "created_at": manifest.created_at.isoformat(),
        "files": len(manifest.files),
        "bytes": manifest.size,
        "catalog_rows": sum(manifest.rows.values()),
        "has_keys": manifest.has_keys,
    }


def _sentence(path: Path, manifest: BackupManifest) -> str:
    rows = number_of(sum(manifest.rows.values()), "row")
    return f"{path}: {number_of(len(manifest.files), 'file')}, {manifest.size / 1e6:.1f} MB, {rows} of the catalog"
