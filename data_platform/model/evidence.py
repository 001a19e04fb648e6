"""An immutable PASS/FAIL record of one judgement, with the fields of requirement FR-10."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey

FIELDS = (
    "dataset_urn",
    "run_id",
    "gate",
    "result",
    "failure_signature",
    "quarantine_table",
    "certified_view_status",
    "previous_certified_version",
    "timestamp",
)


RESULTS = ("PASS", "FAIL", "CERTIFIED", "HELD_AT_PREVIOUS")
"""The last two are results of a certification."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """``payload()`` has exactly FR-10's fields. The others are its place in the pipeline, why it counts, and its id."""

    dataset_urn: str
    run_id: str
    gate: str
    result: str  # one of RESULTS
    failure_signature: str | None = None
    quarantine_table: str | None = None
    certified_view_status: str = "UNCERTIFIED"
    previous_certified_version: str | None = None  # "v42"
    timestamp: datetime
    stage: str = ""
    partition: PartitionKey | None = None
    enforcement: str | None = None
    """The mode that applied. None before modes were recorded here, and for what no mode applies to."""
    waivers: str | None = None
    """The numbers of the waivers that the result depends on, ``3,7``. None if there is none."""
    group_name: str | None = None
    publication_id: str | None = None
    """Links the records of one publication of a publish group; None while the version waits for its group."""
    evidence_id: str = field(default="", compare=False)
    """Given by the log when the record is added; no other record has it, and it never changes."""

    def payload(self) -> dict[str, Any]:
        """JSON-ready, in FR-10's order; the time in UTC to the second."""
        values = {name: getattr(self, name) for name in FIELDS}
        values["timestamp"] = self.timestamp.strftime("%Y-%m-%dT%H:%M:%SZ")
        return values


def new_evidence_id(moment: datetime) -> str:
    """A UUID of version 7: it begins with the milliseconds of ``moment``, and the rest is random."""
    milliseconds = int(moment.timestamp() * 1000) & (1 << 48) - 1
    number = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=number))
