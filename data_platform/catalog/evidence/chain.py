"""Adds evidence to the chain of its dataset, in the caller's write transaction.

The catalog has one writer at a time (``catalog.database``), so a chain never forks and nobody waits for a head. Should
that change, the compare-and-set of a head and the unique position end the second writer's transaction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from data_platform.catalog.evidence.checkpoint import make_first_checkpoint
from data_platform.catalog.evidence.head import find_heads, next_link, store_head, store_heads, updated_register
from data_platform.catalog.evidence.log import FIELDS
from data_platform.catalog.evidence_table import EVIDENCE
from data_platform.errors import EnvironmentProblem
from data_platform.model.evidence import new_evidence_id
from data_platform.model.evidence_chain import REGISTER, Head, record_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from data_platform.model.evidence import Evidence
    from data_platform.model.evidence_key import EvidenceKey, EvidenceKeys


class EvidenceChain:
    """``keys`` is None in a catalog that only reads evidence."""

    def __init__(self, keys: EvidenceKeys | None) -> None:
        self._keys = keys

    @property
    def keys(self) -> EvidenceKeys:
        """Raises: EnvironmentProblem, if the catalog was opened without them."""
        if self._keys is None:
            raise EnvironmentProblem("this catalog was opened without the key of evidence: pass it to open_catalog")
        return self._keys

    def append(self, connection: Connection, evidence: Sequence[Evidence]) -> None:
        """Adds the records in their order, and gives each an id.

        Raises:
            EnvironmentProblem: The key that sealed the last record is not there.
        """
        if not evidence:
            return
        keys = self.keys
        before = find_heads(connection, {item.dataset_urn for item in evidence})
        key = keys.current(head.key_id for head in before.values())
        if REGISTER not in before:
            before[REGISTER] = make_first_checkpoint(connection, key, evidence[0].timestamp)
        after: dict[str, Head] = {}
        rows = []
        for item in evidence:
            urn = item.dataset_urn
            link = _following(after[urn]) if urn in after else next_link(connection, urn, before.get(urn), keys)
            row = _row(item, link, key)
            after[urn] = Head(dataset_urn=urn, position=row["position"], mac=row["mac"], key_id=key.id)
            rows.append(row)
        connection.execute(insert(EVIDENCE), rows)
        store_heads(connection, [(before.get(urn), head.sealed(key)) for urn, head in after.items()])
        if new := len(after.keys() - before.keys()):
            register = before[REGISTER]
            store_head(connection, register, updated_register(register, key, keys, new=new))


def _following(head: Head) -> tuple[int, str]:
    return head.position + 1, head.mac


def _row(item: Evidence, link: tuple[int, str], key: EvidenceKey) -> dict[str, Any]:
    position, previous_mac = link
    item = replace(item, evidence_id=new_evidence_id(item.timestamp))
    mac = key.mac(record_text(item, position, previous_mac, key.id))
    place = {"position": position, "previous_mac": previous_mac, "mac": mac, "key_id": key.id}
    return {name: getattr(item, name) for name in FIELDS} | place
