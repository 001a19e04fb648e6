"""What arrives from outside: versions of datasets, deliveries with a completion marker, reports of legacy jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

REPORT_FACET = "dataPlatform_report"
"""Of a dataset in an event: ``partition``, ``description`` and ``metadata`` of a materialization that was reported."""


def version_tag(version: str, partition: str | None) -> str:
    """Of what has days: the same version of two days is two versions, ``2026-02-14/v1``."""
    return version if partition is None else f"{partition}/{version}"


@dataclass(frozen=True, kw_only=True)
class ArrivedVersion:
    """A version that is there: its run has completed, or nobody knows its run.

    ``process`` is the key of the process whose run made it; ``report`` is what ``REPORT_FACET`` said. A run that does
    not say which version it wrote has its own id as the tag. One whose run turned out to be another's is ``gone``.
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
    """What was seen at a completion marker last.

    ``waits_for`` is empty if the delivery is whole. ``delivery_id`` is the last whole one's, by content;
    ``deliveries`` counts those that differed.
    """

    urn: str
    marker: str
    partition: str | None
    stamp: str
    waits_for: str
    delivery_id: str | None
    deliveries: int
    changed_at: datetime
    whole_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ArrivedAgain:
    """A version of a delivery whose content may have been there before; ``occasion`` counts its marker's deliveries."""

    urn: str
    tag: str
    occasion: int


class ReportKind(StrEnum):
    CHECK = "CHECK"
    OBSERVATION = "OBSERVATION"


@dataclass(frozen=True, kw_only=True)
class AssetReport:
    """What a legacy job says of an asset. ``digest`` is its own: a report of the same digest is kept once.

    ``severity`` is ``ERROR`` or ``WARN``, of a check. ``number`` is 0 before it is kept.
    """

    kind: ReportKind
    urn: str
    partition: str | None
    digest: str
    reported_by: str
    reported_at: datetime
    check: str | None = None
    passed: bool | None = None
    severity: str | None = None
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    number: int = 0
