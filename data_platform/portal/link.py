"""Addresses of pages. A name is one part of a path, so its slashes and signs are encoded."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from data_platform.model.run_identity import run_uuid
from data_platform.model.verdict import Gate
from data_platform.model.waiver import is_waivable

if TYPE_CHECKING:
    from collections.abc import Iterable


def dataset_link(reference: str) -> str:
    """``reference`` is a URN, or another name by which the catalog finds the dataset."""
    return f"/datasets/{quote(reference, safe='')}"


def why_link(reference: str, *, partition: str | None = None, version: int | None = None) -> str:
    given = {"partition": partition, "version": None if version is None else f"v{version}"}
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"/why/{quote(reference, safe='')}" + (f"?{query}" if query else "")


def backtest_link(reference: str) -> str:
    return f"/backtest/{quote(reference, safe='')}"


def onboarding_link(reference: str) -> str:
    return f"/onboarding/{quote(reference, safe='')}"


def policy_link(reference: str) -> str:
    return f"/policy/{quote(reference, safe='')}"


def evidence_link(evidence_id: str) -> str:
    return f"/evidence/{quote(evidence_id, safe='')}"


def quarantine_link(name: str) -> str:
    """``name`` is that of a table; evidence and reports put ``quarantine.`` in front of it."""
    return f"/quarantine/{quote(name.removeprefix('quarantine.'), safe='')}"


def quarantine_list_link(**chosen: str | None) -> str:
    """The list with the ``chosen`` filters."""
    return add_query("/quarantine", (), **chosen)


def process_link(key: str) -> str:
    return f"/processes/{quote(key, safe='')}"


def run_link(uuid: str) -> str:
    return f"/runs/{quote(uuid, safe='')}"


def stage_run_link(run_id: str, dataset: str, stage: str) -> str:
    """The page of a stage's run; ``run_id`` is the platform's own id of the run that judged it."""
    return run_link(run_uuid(run_id, dataset, stage))


def lineage_link(reference: str, kind: str = "DATASET", **given: str | int) -> str:
    """``kind`` is the type of the node: DATASET or PROCESS, by its key."""
    query = urlencode({**({} if kind == "DATASET" else {"kind": kind}), **given})
    return f"/lineage/{quote(reference, safe='')}" + (f"?{query}" if query else "")


def add_value(path: str, query: Iterable[tuple[str, str]], name: str, value: str) -> str:
    """``path`` with its query and one more value of a parameter that has several."""
    return f"{path}?{urlencode([*(one for one in query if one != (name, value)), (name, value)])}"


def waiver_link(urn: str, gate: str, signature: str | None, partition: str | None) -> str:
    """The form for a waiver of a failed rule; empty if no waiver can cover it."""
    if not signature or gate not in Gate.__members__ or not is_waivable(Gate.named(gate), signature):
        return ""
    given = {"dataset": urn, "gate": gate, "signature": signature, "first": partition}
    return add_query("/waivers", (), **given) + "#request"


def add_query(path: str, query: Iterable[tuple[str, str]], **changed: str | int | None) -> str:
    """``path`` with its query, in which the ``changed`` parameters have one new value; None removes one.

    A change of anything but the cursor starts at the first page.
    """
    dropped = {*changed, "cursor", "page"}
    kept = [(name, value) for name, value in query if name not in dropped]
    kept += [(name, str(value)) for name, value in changed.items() if value is not None]
    return f"{path}?{urlencode(kept)}" if kept else path
