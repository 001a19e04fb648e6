"""A million records of evidence in valid chains, one for each dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from catalog_query import put
from freshness import NOW

from data_platform.catalog.evidence.chain import _row
from data_platform.catalog.evidence.checkpoint import make_first_checkpoint
from data_platform.catalog.evidence.head import store_heads
from data_platform.catalog.evidence_table import EVIDENCE
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_chain import REGISTER, Head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.catalog import Catalog
    from data_platform.model.evidence_key import EvidenceKey, EvidenceKeys

SEALED = ("G3_SCHEMA", "G4_CONTRACT", "G5_PII", "CERTIFICATION")
"""The gates with a record for each dataset and day."""


def add_evidence(catalog: Catalog, keys: EvidenceKeys, names: list[str], slots: list[dict[str, Any]]) -> None:
    """``slots`` are the days, oldest first."""
    key, heads = keys.current(()), dict[str, Head]()
    put(catalog, EVIDENCE, _sealed(key, names, slots, heads))
    with catalog._database.writing() as connection:
        register = make_first_checkpoint(connection, key, NOW)
        whole = Head(dataset_urn=REGISTER, position=len(heads), mac=register.mac, key_id=key.id).sealed(key)
        items = [(None, head.sealed(key)) for head in heads.values()]
        for start in range(0, len(items), 500):
            store_heads(connection, items[start : start + 500])
        store_heads(connection, [(register, whole)])


def _sealed(
    key: EvidenceKey, names: list[str], slots: list[dict[str, Any]], heads: dict[str, Head]
) -> Iterator[dict[str, Any]]:
    for slot in slots:
        for place, name in enumerate(names):
            urn = f"ds://bank/{name}"
            for gate in SEALED:
                item = _evidence(urn, f"{slot['run']}{name}", gate, slot, is_bad=(place + slot["number"]) % 5_000 == 0)
                last = heads.get(urn)
                row = _row(item, (last.position + 1, last.mac) if last else (1, ""), key)
                heads[urn] = Head(dataset_urn=urn, position=row["position"], mac=row["mac"], key_id=key.id)
                yield row


def _evidence(urn: str, run_id: str, gate: str, slot: dict[str, Any], *, is_bad: bool) -> Evidence:
    """A bad record is rare, and none of them is of the newest days, so that a filter has to search far."""
    fails = is_bad and gate == "G4_CONTRACT" and slot["number"] < 90
    result = "CERTIFIED" if gate == "CERTIFICATION" else "FAIL" if fails else "PASS"
    return Evidence(
        dataset_urn=urn, run_id=run_id, gate=gate, result=result, certified_view_status="CERTIFIED",
        timestamp=slot["end"], stage="gold", partition=slot["partition"],
    )  # fmt: skip
