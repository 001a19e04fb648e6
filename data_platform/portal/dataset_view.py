"""One dataset: what consumers see and since when, why not more, how it was judged, what it is made of and who reads it.

``dataset_view`` is a pure function of facts that ``dataset_reader`` reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.portal.chart import compliance_chart, null_chart, volume_chart
from data_platform.portal.gate_matrix import gate_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.certification import Certification, PointerChange
    from data_platform.model.dataset_page import ColumnCard, DatasetCard, DatasetPage, SchemaDiff
    from data_platform.model.delivery_history import DeliveredFields
    from data_platform.model.gate_day import GateDay
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.health import DatasetHealth
    from data_platform.model.incident import Incident
    from data_platform.model.lineage_graph import ImpactPage, NodeRef
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.volume import DeliveredRows
    from data_platform.portal.chart import Chart
    from data_platform.portal.gate_matrix import GateMatrix
    from data_platform.portal.lineage_view import LineageView
    from data_platform.portal.overview import DatasetLine

MATRIX_DAYS = 21


@dataclass(frozen=True, kw_only=True)
class DatasetFacts:
    """``pii`` is the metadata of the last verdict of G5_PII in silver. ``is_declared``: a policy declares it."""

    page: DatasetPage
    line: DatasetLine | None
    waiting: tuple[Waiting, ...]
    changes: tuple[PointerChange, ...]
    verdicts: tuple[GateDay, ...]
    rows: tuple[DeliveredRows, ...]
    fields: tuple[DeliveredFields, ...]
    pii: Mapping[str, Any]
    diff: SchemaDiff | None
    upstream: ImpactPage
    downstream: ImpactPage
    lineage: LineageView
    consumers: tuple[NodeRef, ...]
    incidents: tuple[Incident, ...]
    quarantine: tuple[QuarantineEntry, ...]
    dagster: str | None
    health: DatasetHealth | None = None


@dataclass(frozen=True, kw_only=True)
class PersonalMark:
    """A kind of personal value in a column, what is done with it, and how many were found in the last run."""

    kind: str
    action: str
    found: int


@dataclass(frozen=True, kw_only=True)
class ColumnLine:
    name: str
    type: str
    nullable: bool
    description: str
    personal: tuple[PersonalMark, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Datasets one step away; ``total`` counts all of them, ``names`` are the first."""

    names: tuple[NodeRef, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class IncidentLine:
    number: int
    title: str
    severity: str
    state: str


@dataclass(frozen=True, kw_only=True)
class DatasetView:
    """``line`` is None for a dataset that no policy declares. ``quarantined_rows`` are open ones.

    ``health`` is None for a dataset that nothing judges.
    """

    dataset: DatasetCard
    line: DatasetLine | None
    certification: Certification | None
    time_zone: str
    waiting: tuple[Waiting, ...]
    changes: tuple[PointerChange, ...]
    matrix: GateMatrix
    charts: tuple[Chart, ...]
    columns: tuple[ColumnLine, ...]
    diff: SchemaDiff | None
    upstream: Neighbours
    downstream: Neighbours
    lineage: LineageView
    consumers: tuple[NodeRef, ...]
    incidents: tuple[IncidentLine, ...]
    quarantined_rows: int
    quarantined_batches: int
    dagster: str | None
    health: DatasetHealth | None


def dataset_view(facts: DatasetFacts) -> DatasetView:
    shown = [one for one in facts.verdicts if one.partition in set(_newest(facts.verdicts))]
    return DatasetView(
        dataset=facts.page.dataset,
        line=facts.line,
        certification=facts.page.certification,
        time_zone=facts.line.time_zone if facts.line else "UTC",
        waiting=facts.waiting,
        changes=facts.changes,
        matrix=gate_matrix(shown),
        charts=(
            volume_chart(facts.rows, facts.verdicts),
            null_chart(facts.fields),
            compliance_chart(facts.verdicts),
        ),
        columns=tuple(_column(column, facts.pii) for column in facts.page.columns),
        diff=facts.diff if facts.diff and facts.diff.changes else None,
        upstream=_neighbours(facts.upstream),
        downstream=_neighbours(facts.downstream),
        lineage=facts.lineage,
        consumers=facts.consumers,
        incidents=tuple(
            IncidentLine(number=one.number, title=one.title, severity=one.severity, state=one.state)
            for one in facts.incidents
        ),
        quarantined_rows=sum(one.open_rows for one in facts.quarantine),
        quarantined_batches=len(facts.quarantine),
        dagster=facts.dagster,
        health=facts.health,
    )


def _newest(verdicts: tuple[GateDay, ...]) -> list[PartitionKey]:
    return sorted({one.partition for one in verdicts})[-MATRIX_DAYS:]


def _column(column: ColumnCard, pii: Mapping[str, Any]) -> ColumnLine:
    """The marks are of the kinds that were found in the column; their signatures are ``PII:KIND:column``."""
    actions = pii.get("actions", {})
    marks = []
    for signature, found in pii.get("findings", {}).items():
        _, kind, name = signature.split(":", 2)
        if found and name.lower() == column.name.lower():
            marks.append(PersonalMark(kind=kind, action=actions.get(signature, ""), found=found))
    return ColumnLine(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        description=column.description,
        personal=tuple(marks),
    )


def _neighbours(found: ImpactPage) -> Neighbours:
    names = tuple(hit.node for hit in found.hits.items if hit.depth > 0)
    return Neighbours(names=names, total=max(found.total, len(names)))
