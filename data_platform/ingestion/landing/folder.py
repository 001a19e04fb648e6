"""Lists the landing folder on disk: its files, and the entries that may not be read.

A link is followed as long as its target is below the landing root; a link out of the root is refused, whether it is a
file, a folder or the delivery's own folder. The root itself may be a link. ``open_inside`` checks the opened file
again, because a link can change after the check. ``selection`` decides which files are data.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, TypeAlias

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

Files: TypeAlias = dict[str, os.stat_result]
"""Regular files in a delivery's folder and below it, by their names relative to it."""

HIDDEN = (".", "_")

LEADS_OUT = "a link that leads out of the landing folder; have the file itself delivered"


@dataclass
class Tree:
    """``refused`` maps entries that may not be read to the reason; ``hidden`` are folders that were not listed."""

    files: Files = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)


def walk(root: Path, folder: Path) -> Tree:
    """Lists the entries of ``folder``, which is below ``root``, and of its subfolders.

    Raises:
        OSError: A folder cannot be listed.
    """
    tree, top = Tree(), os.path.realpath(folder)
    if not is_inside(os.path.realpath(root), top):
        tree.refused[folder.name] = LEADS_OUT
    else:
        _walk(tree, os.path.realpath(root), top, "", frozenset([top]))
    return tree


def is_inside(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def open_inside(path: str, root: str) -> IO[bytes]:
    """Opens ``path``; without ``root`` it may be anywhere.

    Raises:
        SourceError: It is not a regular file, or is outside ``root``.
        OSError: It does not exist, or cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # opening a pipe would block forever
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise SourceError(f"{os.path.basename(path)}: is not a regular file. Have the file itself delivered.")
        if root and not is_inside(root, _path_of(handle, path)):
            raise SourceError(f"{os.path.basename(path)}: is {LEADS_OUT}.")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def shown(name: str) -> str:
    """``name`` with invisible characters, and bytes that are not text, as escapes: ``amount\\u200b``."""
    return "".join(character if character.isprintable() else _escaped(character) for character in name)


def is_text(name: str) -> bool:
    """Whether ``name`` can be stored and sent as UTF-8: a file name is bytes, and need not be UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that Python could not decode
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _path_of(handle: int, path: str) -> str:
    """The real path of the opened file. Not every system has /proc."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return os.path.realpath(path)


def _walk(tree: Tree, root: str, folder: str, inner: str, above: frozenset[str]) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{inner}/{entry.name}" if inner else entry.name
            target = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            if not is_inside(root, target):
                tree.refused[name] = LEADS_OUT
            elif _is_folder(entry):
                _enter(tree, root, target, name, above)
            else:
                _add(tree, name, entry)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links that lead to each other
        return False


def _enter(tree: Tree, root: str, folder: str, name: str, above: frozenset[str]) -> None:
    if name.rpartition("/")[2].startswith(HIDDEN):
        tree.hidden.append(name)
    elif folder in above:
        tree.refused[name] = "a link to a folder that contains it; remove it"
    else:
        _walk(tree, root, folder, name, above | {folder})


def _add(tree: Tree, name: str, entry: os.DirEntry[str]) -> None:
    try:
        status = entry.stat()
    except FileNotFoundError:
        if entry.is_symlink():
            tree.refused[name] = "a link to a file that does not exist; have the file itself delivered"
        return  # otherwise it disappeared after it was listed
    except OSError:  # a link to itself
        tree.refused[name] = "a link that leads back to itself; have the file itself delivered"
        return
    if stat.S_ISREG(status.st_mode):
        tree.files[name] = status
    else:
        tree.refused[name] = "a pipe, socket or device, not a file; remove it"
