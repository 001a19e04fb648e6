"""Converts Delta's errors about concurrent writers to one of ours."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def conflicts_as_ours(path: str) -> Iterator[None]:
    """Raises: ConflictError, instead of any of Delta's errors about a concurrent writer."""
    from delta import exceptions as delta

    conflicts = (  # siblings: the class Concurrent*Modification* is not the base of the others
        delta.DeltaConcurrentModificationException,
        delta.ConcurrentWriteException,
        delta.MetadataChangedException,
        delta.ProtocolChangedException,
        delta.ConcurrentAppendException,
        delta.ConcurrentDeleteReadException,
        delta.ConcurrentDeleteDeleteException,
        delta.ConcurrentTransactionException,
    )
    try:
        yield
    except conflicts as error:
        raise ConflictError(
            f"another writer changed {path} at the same time; nothing was written, run again"
        ) from error
