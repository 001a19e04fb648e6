"""Heads of the chains: the last record of each dataset under a seal, and the register, which counts the chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from data_platform.catalog.evidence_table import EVIDENCE, EVIDENCE_HEAD
from data_platform.errors import ConflictError
from data_platform.model.evidence_chain import BROKEN, FIRST, REGISTER, Head

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.model.evidence_key import EvidenceKey, EvidenceKeys


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
    values = {"position": after.position, "mac": after.mac, "key_id": after.key_id, "seal": after.seal}
    if before is None:
        connection.execute(insert(EVIDENCE_HEAD).values(dataset_urn=after.dataset_urn, **values))
        return
    same = (EVIDENCE_HEAD.c.dataset_urn == before.dataset_urn, EVIDENCE_HEAD.c.seal == before.seal)
    if connection.execute(update(EVIDENCE_HEAD).where(*same).values(**values)).rowcount != 1:
        raise ConflictError(f"another writer added evidence of {after.dataset_urn} meanwhile: run again")


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
