"""Files of secret keys: made once with mode 0600, complete as soon as they are visible, and never replaced.

The id of a key is an HMAC of a fixed text under it: it distinguishes two keys, and reveals nothing about either.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem

if TYPE_CHECKING:
    from pathlib import Path

KEY_BYTES = 32
_PURPOSE = b"data-platform key id v1"
_ID_DIGITS = 16


def id_of(key: bytes) -> str:
    return hmac.digest(key, _PURPOSE, hashlib.sha256).hex()[:_ID_DIGITS]


def read_key(file: Path, what: str) -> bytes | None:
    """The key in ``file``; None if there is no such file. ``what`` names the key in the error.

    Raises:
        EnvironmentProblem: The file is there, and cannot be read.
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EnvironmentProblem(f"{what} {file} cannot be read: {error.strerror}") from None


def make_key(file: Path) -> tuple[bytes, bool]:
    """Returns the new key in ``file`` and True, or the key of another process that was first and False.

    Raises:
        OSError: The file cannot be made.
    """
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}.tmp")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = _write(draft)
    try:
        os.link(draft, file)  # unlike a rename it fails if the name is taken
    except FileExistsError:
        return file.read_bytes(), False
    finally:
        draft.unlink()
    sync_folder(file.parent)
    return key, True


def _write(draft: Path) -> bytes:
    key = secrets.token_bytes(KEY_BYTES)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        target.write(key)
        target.flush()
        os.fsync(target.fileno())
    return key


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
