"""Checkpoints: the heads of all chains at one time, kept in the catalog, and elsewhere by whoever wants a proof."""

from __future__ import annotations

import json
from datetime import UTC
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.evidence.head import find_heads, is_intact, store_head, updated_register
from data_platform.catalog.evidence.log import record_of, unchained_rows
from data_platform.catalog.evidence_table import EVIDENCE_CHECKPOINT
from data_platform.errors import EnvironmentProblem
from data_platform.model.evidence_chain import FIRST, REGISTER, Checkpoint, Head, digest_of_unchained

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from data_platform.model.evidence_key import EvidenceKey, EvidenceKeys


def make_first_checkpoint(connection: Connection, key: EvidenceKey, now: datetime) -> Head:
    """Stores the checkpoint that seals the records from before there were chains; returns the new register."""
    count, digest = digest_of_unchained(record_of(row) for row in unchained_rows(connection))
    checkpoint = Checkpoint(
        number=1,
        made_at=_text(now),
        key_id=key.id,
        previous_mac=FIRST,
        unchained=count,
        unchained_digest=digest,
        heads=(),
    ).sealed(key)
    _store(connection, checkpoint, now)
    register = Head(dataset_urn=REGISTER, position=0, mac=checkpoint.mac, key_id=key.id).sealed(key)
    store_head(connection, None, register)
    return register


def make_checkpoint(connection: Connection, keys: EvidenceKeys, now: datetime) -> Checkpoint:
    """Stores a checkpoint of all chains in the caller's write transaction.

    Raises:
        EnvironmentProblem: A head was changed by another program, or a key is not there.
    """
    heads = find_heads(connection)
    key = keys.current(head.key_id for head in heads.values())
    register = heads.pop(REGISTER, None) or make_first_checkpoint(connection, key, now)
    broken = [head.dataset_urn or "the register" for head in (register, *heads.values()) if not is_intact(head, keys)]
    newest = next(_stored(connection, EVIDENCE_CHECKPOINT.c.number.desc(), limit=1), None)
    if broken or newest is None or newest.mac != register.mac:
        changed = ", ".join(broken) or "its checkpoints"
        raise EnvironmentProblem(
            f"no checkpoint is made: the evidence log was changed by another program ({changed}); "
            "`data-platform evidence verify` names what is broken"
        )
    checkpoint = Checkpoint(
        number=newest.number + 1,
        made_at=_text(now),
        key_id=key.id,
        previous_mac=newest.mac,
        unchained=newest.unchained,
        unchained_digest=newest.unchained_digest,
        heads=tuple((head.dataset_urn, head.position, head.mac) for head in heads.values()),
    ).sealed(key)
    _store(connection, checkpoint, now)
    store_head(connection, register, updated_register(register, key, keys, new=0, mac=checkpoint.mac))
    return checkpoint


def reseal_after_loss(connection: Connection, keys: EvidenceKeys, now: datetime) -> tuple[list[str], Checkpoint | None]:
    """Gives up every key in use that is not there, and seals the heads with the key of new records.

    What a lost key sealed cannot be verified any more. Returns the ids of the lost keys, and a checkpoint of what the
    log holds now; None if no key is lost.
    """
    heads = find_heads(connection)
    lost = sorted({head.key_id for head in heads.values() if keys.find(head.key_id) is None})
    if not lost:
        return [], None
    keys.give_up(lost)
    key = keys.current(head.key_id for head in heads.values())
    for head in heads.values():
        if head.key_id in lost:
            store_head(connection, head, head.sealed(key))
    return lost, make_checkpoint(connection, keys, now)


def stored_checkpoints(connection: Connection) -> Iterator[Checkpoint]:
    """Oldest first.

    Raises:
        ValueError: A stored document is not a checkpoint.
    """
    return _stored(connection, EVIDENCE_CHECKPOINT.c.number)


def find_checkpoint_times(connection: Connection, limit: int) -> tuple[tuple[int, datetime], ...]:
    """Newest first."""
    columns = (EVIDENCE_CHECKPOINT.c.number, EVIDENCE_CHECKPOINT.c.made_at)
    query = select(*columns).order_by(EVIDENCE_CHECKPOINT.c.number.desc()).limit(limit)
    return tuple((row.number, row.made_at) for row in connection.execute(query))


def _stored(connection: Connection, order: ColumnElement[int], limit: int | None = None) -> Iterator[Checkpoint]:
    query = select(EVIDENCE_CHECKPOINT.c.document).order_by(order).limit(limit)
    for document in connection.execute(query).scalars():
        yield Checkpoint.from_document(json.loads(document))


def _store(connection: Connection, checkpoint: Checkpoint, now: datetime) -> None:
    values = {"number": checkpoint.number, "made_at": now, "document": json.dumps(checkpoint.document())}
    connection.execute(insert(EVIDENCE_CHECKPOINT).values(**values))


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
