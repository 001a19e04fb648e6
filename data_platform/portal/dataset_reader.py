"""Reads what the page of one dataset shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import DataPlatformError
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.incident import ACTIVE_STATES
from data_platform.model.lineage import NodeType
from data_platform.model.verdict import Gate
from data_platform.portal.dataset_view import DatasetFacts
from data_platform.portal.lineage_reader import read_small_lineage
from data_platform.signals.health import find_health

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.dataset_page import SchemaDiff
    from data_platform.model.gate_day import GateDay
    from data_platform.model.lineage_graph import ImpactPage
    from data_platform.policies import Policies
    from data_platform.portal.overview import DatasetLine

DAYS = 90
CHANGES = 60
MOST_NEIGHBOURS = 25


def read_dataset(
    catalog: Catalog,
    policies: Policies,
    reference: str,
    lines: Mapping[str, DatasetLine],
    *,
    now: datetime,
    dagster_url: str | None,
) -> DatasetFacts:
    """``lines`` are the states of declared datasets by URN.

    Raises:
        NotFoundError: The catalog has no such dataset.
    """
    page, line = catalog.lineage.dataset_page(reference), lines.get(reference)
    urn = page.dataset.full_name
    verdicts = catalog.runs.gate_days(urn, limit=DAYS)
    return DatasetFacts(
        page=page,
        line=line,
        waiting=catalog.publications.waiting(urn, now=now),
        changes=catalog.certifications.changes(urn, limit=CHANGES).items,
        verdicts=verdicts,
        rows=catalog.runs.accepted_rows(urn, limit=DAYS),
        fields=catalog.runs.field_metrics(urn, limit=DAYS),
        pii=_pii(catalog, urn, verdicts),
        diff=_last_diff(catalog, page.dataset.reference),
        upstream=_neighbours(catalog, page.dataset.reference, "upstream"),
        downstream=_neighbours(catalog, page.dataset.reference, "downstream"),
        lineage=read_small_lineage(catalog, page.dataset.reference, lines),
        consumers=tuple(
            one for one in catalog.lineage.consumers(page.dataset.reference) if not _is_step(one.own_name, one.part_of)
        ),
        incidents=catalog.incidents.find(urn, states=ACTIVE_STATES, limit=10).items,
        quarantine=catalog.quarantine.entries(urn),
        health=next(iter(find_health(policies, catalog, now, datasets=(urn,))), None),
        dagster=_dagster_link(urn, dagster_url) if line else None,
    )


def _pii(catalog: Catalog, urn: str, verdicts: Sequence[GateDay]) -> dict[str, Any]:
    judged = [one for one in verdicts if (one.stage, one.gate) == (Stage.SILVER, Gate.G5_PII.value)]
    if not judged:
        return {}
    found = catalog.runs.verdicts(judged[-1].run_id, urn, Stage.SILVER)
    return next((one.metadata for one in found if one.gate is Gate.G5_PII), {})


def _last_diff(catalog: Catalog, reference: str) -> SchemaDiff | None:
    """What the newest version changed in the columns of the one before; None if there are no two versions."""
    tags = [one.tag for one in catalog.lineage.versions(reference, limit=2).items]
    if len(tags) < 2:
        return None
    try:
        return catalog.lineage.schema_diff(reference, tags[1], tags[0])
    except DataPlatformError:  # a version without columns
        return None


def _neighbours(catalog: Catalog, reference: str, direction: str) -> ImpactPage:
    return catalog.lineage.impact(reference, direction=direction, depth=1, only=NodeType.DATASET, limit=MOST_NEIGHBOURS)


def _is_step(own_name: str, part_of: str | None) -> bool:
    """Whether a process is a step of another one, or a stage of a dataset, which is shown itself."""
    return part_of is not None or "/" in own_name


def _dagster_link(urn: str, dagster_url: str | None) -> str | None:
    try:
        return (
            f"{dagster_url}/assets/{'/'.join(DatasetId.parse(urn).asset_key(Stage.CERTIFIED))}" if dagster_url else None
        )
    except ValueError:
        return None
