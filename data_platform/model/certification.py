"""Which version of a dataset consumers may see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class CertificationStatus(StrEnum):
    CERTIFIED = "CERTIFIED"
    HELD_AT_PREVIOUS = "HELD_AT_PREVIOUS"
    UNCERTIFIED = "UNCERTIFIED"


@dataclass(frozen=True, kw_only=True)
class Certification:
    """The pointer of one dataset. ``version`` is a Delta version of the gold table at ``path``.

    ``status`` tells how the last attempt ended; after HELD_AT_PREVIOUS the version is still the good one.
    ``version`` and ``certified_at`` are None only while UNCERTIFIED.
    """

    dataset_urn: str
    status: CertificationStatus
    version: int | None = None
    path: str = ""
    certified_at: datetime | None = None
    run_id: str = ""
    partition: str | None = None
    schema_fingerprint: str = ""
    policy_fingerprint: str = ""
