"""What arrives from outside: versions of datasets, deliveries with a completion marker, reports of legacy jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey

REPORT_FACET = "dataPlatform_report"
"""A dataset facet of an event: ``partition``, ``description`` and ``metadata`` of a reported materialization."""


def version_tag(version: str, partition: PartitionKey | None) -> str:
    """The tag of a version; with days it contains the day, since a version may repeat: ``2026-02-14/v1``."""
    return version if partition is None else f"{partition}/{version}"


@dataclass(frozen=True, kw_only=True)
class ArrivedVersion:
    """An available version: its run has completed, or no run is recorded for it.

    ``process`` is the key of the process whose run made it; ``report`` is the content of ``REPORT_FACET``. A run that
    does not report which version it wrote has its own id as the tag. ``gone`` is a version whose run turned out to be
    another's.
    """

    number: int
    urn: str
    tag: str
    arrived_at: datetime
    run_uuid: str | None = None
    process: str | None = None
    nominal_start: datetime | None = None
    row_count: int | None = None
    byte_count: int | None = None
    path: str | None = None
    report: dict[str, Any] = field(default_factory=dict)
    gone: bool = False


@dataclass(frozen=True, kw_only=True)
class MarkerState:
    """What was last seen at a completion marker.

    ``waits_for`` is empty if the delivery is complete. ``delivery_id`` identifies the last complete one by its content;
    ``deliveries`` counts those that differed.
    """

    urn: str
    marker: str
    partition: PartitionKey | None
    stamp: str
    waits_for: str
    delivery_id: str | None
    deliveries: int
    changed_at: datetime
    whole_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ArrivedAgain:
    """A version of a delivery whose content may have arrived before; ``occasion`` counts its marker's deliveries."""

    urn: str
    tag: str
    occasion: int


class ReportKind(StrEnum):
    CHECK = "CHECK"
    OBSERVATION = "OBSERVATION"


@dataclass(frozen=True, kw_only=True)
class AssetReport:
    """A legacy job's report about an asset. ``digest`` identifies it: a report with the same digest is stored once.

    ``severity`` of a check is ``ERROR`` or ``WARN``. ``number`` is 0 until the report is stored.
    """

    kind: ReportKind
    urn: str
    partition: PartitionKey | None
    digest: str
    reported_by: str
    reported_at: datetime
    check: str | None = None
    passed: bool | None = None
    severity: str | None = None
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    number: int = 0
