"""Verifies the whole log, or one dataset's chain, in one snapshot of the database; it changes nothing."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING

from data_platform.catalog.evidence.chain_walk import ChainWalk, KeyRing
from data_platform.catalog.evidence.checkpoint import stored_checkpoints
from data_platform.catalog.evidence.head import find_heads
from data_platform.catalog.evidence.log import chained_rows, record_of, unchained_rows
from data_platform.model.evidence_break import Break, BreakKind, Verification
from data_platform.model.evidence_chain import FIRST, REGISTER, digest_of_unchained
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from data_platform.model.evidence_chain import Checkpoint, Head
    from data_platform.model.evidence_key import EvidenceKeys

    Anchors = Mapping[str, Mapping[int, tuple[str, str]]]


def verify(connection: Connection, keys: EvidenceKeys, urn: str | None, anchored: Checkpoint | None) -> Verification:
    """``anchored`` is a checkpoint that was kept elsewhere; ``urn`` limits the check to one chain."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    result, ring = Verification(), KeyRing(keys)
    heads = find_heads(connection)
    register = heads.pop(REGISTER, None)
    checkpoints = _read_checkpoints(connection, result, ring, register)
    if anchored is not None:
        result.anchored = anchored.made_at
        result.breaks += _unproven(anchored, ring, f"the checkpoint of {anchored.made_at}")
    known = [*checkpoints, anchored] if anchored is not None else checkpoints
    _walk(connection, result, ring, heads, _anchors(known), urn)
    if urn is None:
        _check_register(result, ring, register, heads)
        _check_unchained(connection, result, known)
    return result


def _walk(
    connection: Connection,
    result: Verification,
    ring: KeyRing,
    heads: Mapping[str, Head],
    anchors: Anchors,
    urn: str | None,
) -> None:
    walked = set()
    for dataset, rows in groupby(chained_rows(connection, urn), key=lambda row: str(row["dataset_urn"])):
        walk = ChainWalk(dataset, ring, anchors.get(dataset, {}))
        for row in rows:
            walk.take(row)
        walked.add(dataset)
        _finish(result, walk, heads.get(dataset))
    for dataset in sorted(({*heads, *anchors} if urn is None else {urn} & {*heads, *anchors}) - walked):
        _finish(result, ChainWalk(dataset, ring, anchors.get(dataset, {})), heads.get(dataset))


def _finish(result: Verification, walk: ChainWalk, head: Head | None) -> None:
    walk.end(head)
    result.chains += 1
    result.records += walk.records
    result.unverifiable += walk.unverifiable
    if walk.found is not None:
        result.breaks.append(walk.found)


def _read_checkpoints(
    connection: Connection, result: Verification, ring: KeyRing, register: Head | None
) -> list[Checkpoint]:
    """The stored checkpoints that are whole; the register names the newest."""
    try:
        stored = list(stored_checkpoints(connection))
    except ValueError:
        result.breaks.append(Break(kind=BreakKind.EDITED, detail="a stored checkpoint cannot be read"))
        return []
    result.checkpoints = len(stored)
    mac, number = FIRST, 0
    for checkpoint in stored:
        if (checkpoint.previous_mac, checkpoint.number) != (mac, number + 1):
            detail = f"a stored checkpoint before number {checkpoint.number} is missing or was replaced"
            result.breaks.append(Break(kind=BreakKind.MISSING, detail=detail))
        mac, number = checkpoint.mac, checkpoint.number
        result.breaks += _unproven(checkpoint, ring, f"the stored checkpoint {checkpoint.number}")
    if register is not None and register.mac != mac:
        result.breaks.append(Break(kind=BreakKind.CUT, detail="the newest stored checkpoint is missing"))
    return stored


def _unproven(checkpoint: Checkpoint, ring: KeyRing, name: str) -> list[Break]:
    key = ring.find(checkpoint.key_id)
    if key is None:
        if ring.is_lost(checkpoint.key_id):
            return []
        return [Break(kind=BreakKind.NO_KEY, detail=f"the key {checkpoint.key_id} of {name} is not there")]
    if checkpoint.is_sealed_by(key):
        return []
    return [Break(kind=BreakKind.EDITED, detail=f"{name} is not what its MAC was made for")]


def _anchors(checkpoints: list[Checkpoint]) -> Anchors:
    """What the checkpoints saw; where two saw the same position, the later wins: it is the one kept elsewhere."""
    anchors: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    for checkpoint in checkpoints:
        for urn, position, mac in checkpoint.heads:
            anchors[urn][position] = (mac, f"the checkpoint of {checkpoint.made_at}")
    return anchors


def _check_register(result: Verification, ring: KeyRing, register: Head | None, heads: Mapping[str, Head]) -> None:
    if register is None:
        if result.records or heads or result.checkpoints:
            result.breaks.append(Break(kind=BreakKind.CUT, detail="the register of the chains is missing"))
        return
    key = ring.find(register.key_id)
    if key is None or not register.is_sealed_by(key):
        detail = "the register was changed, so whole chains or checkpoints may be missing"
        result.breaks.append(Break(kind=BreakKind.CUT, detail=detail))
    elif register.position != len(heads):
        chains, found = number_of(register.position, "chain"), number_of(len(heads), "head")
        detail = f"the register counts {chains}, and the log has {found}"
        result.breaks.append(Break(kind=BreakKind.CUT, detail=detail))


def _check_unchained(connection: Connection, result: Verification, checkpoints: list[Checkpoint]) -> None:
    try:
        result.unchained, digest = digest_of_unchained(record_of(row) for row in unchained_rows(connection))
    except (ValueError, TypeError):
        detail = "a record from before there were chains holds a value that is none of its column"
        result.breaks.append(Break(kind=BreakKind.EDITED, detail=detail))
        return
    for checkpoint in checkpoints:
        if (result.unchained, digest) != (checkpoint.unchained, checkpoint.unchained_digest):
            older, is_as_many = number_of(checkpoint.unchained, "record"), result.unchained == checkpoint.unchained
            now = "the content was changed" if is_as_many else f"the log has {result.unchained}"
            detail = f"the checkpoint of {checkpoint.made_at} saw {older} from before there were chains, and {now}"
            result.breaks.append(Break(kind=BreakKind.EDITED, detail=detail))
            return
