"""Verifies the whole log, or one dataset's chain, in one snapshot of the database; it changes nothing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from data_platform.catalog.evidence.chain_walk import ChainWalk, KeyRing
from data_platform.catalog.evidence.checkpoint import stored_checkpoints
from data_platform.catalog.evidence.head import find_heads
from data_platform.catalog.evidence.log import chained_rows, chains_without_rows, record_of, unchained_rows
from data_platform.model.evidence_break import Break, BreakKind, Verification
from data_platform.model.evidence_chain import FIRST, REGISTER, digest_of_unchained
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlalchemy.engine import Connection, RowMapping

    from data_platform.model.evidence_break import ChainPlace
    from data_platform.model.evidence_chain import Checkpoint, Head
    from data_platform.model.evidence_key import EvidenceKeys

    Anchors = Mapping[str, Mapping[int, tuple[str, str]]]

LOOKED_AT_ONCE = 250
"""Records of a chain between two looks at the time."""


def never() -> bool:
    return False


def verify(
    connection: Connection,
    keys: EvidenceKeys,
    urn: str | None,
    anchored: Checkpoint | None,
    *,
    so_far: Verification | None = None,
    is_over: Callable[[], bool] = never,
) -> Verification:
    """``anchored`` is a checkpoint that was kept elsewhere; ``urn`` limits the check to one chain.

    The check ends early once ``is_over``, and goes on behind the place that ``so_far``, which has no break, reached.
    Each part of such a check sees the database as it is then.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    begun = so_far.reached if so_far else None
    result, ring = replace(so_far, reached=None, breaks=[]) if so_far else Verification(), KeyRing(keys)
    heads = find_heads(connection)
    register = heads.pop(REGISTER, None)
    result.expected = sum(head.position for head in heads.values() if urn in (None, head.dataset_urn))
    checkpoints = _read_checkpoints(connection, result, ring, register)
    if anchored is not None:
        result.anchored = anchored.made_at
        result.breaks += _unproven(anchored, ring, f"the checkpoint of {anchored.made_at}")
    known = [*checkpoints, anchored] if anchored is not None else checkpoints
    anchors = _anchors(known)
    for dataset, rows in _chains(connection, urn, begun):
        walk = ChainWalk.behind(begun, dataset, ring, anchors.get(dataset, {}))
        if not _takes_all(walk, rows, is_over):
            return _ended_early(result, walk)
        _finish(result, walk, heads.get(dataset))
    known_urns = {*heads, *anchors} if urn is None else {*heads, *anchors} & {urn}
    for dataset in chains_without_rows(connection, known_urns):
        _finish(result, ChainWalk(dataset, ring, anchors.get(dataset, {})), heads.get(dataset))
    if urn is None:
        _check_register(result, ring, register, heads)
        _check_unchained(connection, result, known)
    return result


def _chains(
    connection: Connection, urn: str | None, begun: ChainPlace | None
) -> Iterator[tuple[str, Iterator[RowMapping]]]:
    """The rows of each chain; the rest of the chain in which an earlier check ended comes first."""
    if begun is not None:
        after = (begun.position, begun.row_id)
        yield begun.dataset_urn, chained_rows(connection, begun.dataset_urn, after=after)
        if urn is not None:
            return
    rows = chained_rows(connection, urn, beyond=begun.dataset_urn if begun else None)
    yield from groupby(rows, key=lambda row: str(row["dataset_urn"]))


def _takes_all(walk: ChainWalk, rows: Iterator[RowMapping], is_over: Callable[[], bool]) -> bool:
    """Whether the walk came to the end of the chain with time left. Of a chain without rows it always does."""
    before = walk.records
    for row in rows:
        walk.take(row)
        if walk.records % LOOKED_AT_ONCE == 0 and is_over():
            return False
    return walk.records == before or not is_over()


def _ended_early(result: Verification, walk: ChainWalk) -> Verification:
    result.reached = walk.place
    if walk.found is not None:
        result.breaks.append(walk.found)
    return result


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
