"""Heads of the chains: the last record of each dataset under a seal, and the register, which counts the chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import case, func, insert, select, tuple_, update

from data_platform.catalog.evidence_table import EVIDENCE, EVIDENCE_HEAD
from data_platform.errors import ConflictError
from data_platform.model.evidence_chain import BROKEN, FIRST, REGISTER, Head

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.model.evidence_key import EvidenceKey, EvidenceKeys
_MOVING = ("position", "mac", "key_id", "seal")


def find_heads(connection: Connection, urns: Iterable[str] | None = None) -> dict[str, Head]:
    """Heads by URN, with the register's; all of them without ``urns``."""
    query = select(EVIDENCE_HEAD).order_by(EVIDENCE_HEAD.c.dataset_urn)
    if urns is not None:
        query = query.where(EVIDENCE_HEAD.c.dataset_urn.in_([*urns, REGISTER]))
    return {row["dataset_urn"]: Head(**row) for row in connection.execute(query).mappings()}


def is_intact(head: Head, keys: EvidenceKeys) -> bool:
    """Whether the head carries the seal of its key, and the key is there."""
    key = keys.find(head.key_id)
    return key is not None and head.is_sealed_by(key)


def store_head(connection: Connection, before: Head | None, after: Head) -> None:
    """Raises: ConflictError, if another writer has moved the head since ``before`` was read."""
    store_heads(connection, [(before, after)])


def store_heads(connection: Connection, changes: Sequence[tuple[Head | None, Head]]) -> None:
    """``changes`` are heads of different chains, before (None: it is new) and after.

    Raises:
        ConflictError: Another writer has moved one of the heads since it was read.
    """
    new = [{"dataset_urn": after.dataset_urn, **_values(after)} for before, after in changes if before is None]
    seals = [(before.dataset_urn, before.seal) for before, _ in changes if before is not None]
    if new:
        connection.execute(insert(EVIDENCE_HEAD), new)
    if not seals:
        return
    after = {head.dataset_urn: _values(head) for before, head in changes if before is not None}
    urn = EVIDENCE_HEAD.c.dataset_urn
    values = {name: case({of: row[name] for of, row in after.items()}, value=urn) for name in _MOVING}
    # one statement, since the drivers count the changed rows of several differently
    moving = update(EVIDENCE_HEAD).where(tuple_(urn, EVIDENCE_HEAD.c.seal).in_(seals)).values(**values)
    if connection.execute(moving).rowcount != len(seals):
        raise ConflictError(f"another writer added evidence of {', '.join(sorted(after))} meanwhile: run again")


def _values(head: Head) -> dict[str, object]:
    return {name: getattr(head, name) for name in _MOVING}


def next_link(connection: Connection, urn: str, head: Head | None, keys: EvidenceKeys) -> tuple[int, str]:
    """The position and the previous MAC of the next record of a chain.

    A head without its seal was changed by another program. The chain goes on behind the last record that is there,
    with a link that no verification accepts: runs do not stop, and the change stays visible for good.
    """
    if head is not None and is_intact(head, keys):
        return head.position + 1, head.mac
    last = connection.execute(
        select(func.max(EVIDENCE.c.position)).where(EVIDENCE.c.dataset_urn == urn)
    ).scalar_one_or_none()
    if head is None and last is None:
        return 1, FIRST
    return max(last or 0, head.position if head else 0) + 1, BROKEN


def updated_register(register: Head, key: EvidenceKey, keys: EvidenceKeys, *, new: int, mac: str | None = None) -> Head:
    """The register with ``new`` more chains, or another newest checkpoint. A broken seal is not repaired."""
    after = Head(
        dataset_urn=REGISTER,
        position=register.position + new,
        mac=register.mac if mac is None else mac,
        key_id=key.id,
        seal=BROKEN,
    )
    return after.sealed(key) if is_intact(register, keys) else after
