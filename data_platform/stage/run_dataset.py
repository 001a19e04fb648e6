"""The datasets of a stage's OpenLineage event: what it read, its table with the sources of its columns, quarantine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.arrival import version_tag
from data_platform.model.dataset import Stage
from data_platform.model.internal import LANDING, QUARANTINE
from data_platform.stage.column_source import input_columns, stage_before, visible_columns
from data_platform.stage.run_facet import (
    Document,
    assertions,
    dataset_of,
    facet,
    name_of,
    schema_facet,
    source_field,
)
from data_platform.transform.lineage import column_lineage

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset


def inputs_of(platform: Platform, dataset: Dataset, report: StageReport) -> list[Document]:
    """The stage before, the delivery, or the certified inputs of the process, each with the version that was read."""
    before = stage_before(dataset, report.stage)
    if before is not None:
        version = report.input_versions.get(f"{dataset.urn}@{before}")
        return [dataset_of(name_of(dataset, before), version=version)]
    if dataset.process is None:
        from data_platform.stage.source_table import source_tables  # late: it loads the sources' models

        landing = (f"ds://{dataset.id.zone}", f"{dataset.id.name}/{LANDING}")
        delivered = version_tag(report.delivery_id, report.partition) if report.delivery_id else None
        tables = source_tables(platform, dataset)
        is_delivered = not tables or dataset.policy.source is None or dataset.policy.source.arrival is not None
        arrived = [dataset_of(landing, version=delivered)] if is_delivered else []
        return [*(dataset_of(table) for table in tables), *arrived]
    names = {
        item.dataset: name_of(platform.policies.dataset(item.dataset), Stage.CERTIFIED)
        for item in dataset.process.inputs
    }
    return [dataset_of(name, version=report.input_versions.get(urn)) for urn, name in names.items()]


def output_of(platform: Platform, dataset: Dataset, report: StageReport) -> Document:
    """The table of the stage with its new version."""
    facets: Document = {
        "dataSource": facet(name=dataset.table, uri=report.path),
        "storage": facet(storageLayer="delta", fileFormat="parquet"),
        "dataQualityAssertions": facet(assertions=list(assertions(report))),
    }
    if report.schema is not None:
        facets["schema"] = schema_facet(report.schema)
    if (fields := _column_fields(platform, dataset, report.stage)) and report.version is not None:
        facets["columnLineage"] = facet(fields=fields)
    if report.stage is Stage.CERTIFIED and report.passed:
        facets["dataPlatform_certification"] = facet(certifiedAt=report.finished_at.isoformat())
    output = dataset_of(name_of(dataset, report.stage), version=report.version, **facets)
    output["outputFacets"] = {"outputStatistics": facet(rowCount=report.rows.accepted)}
    return output


def quarantine_of(dataset: Dataset, report: StageReport) -> Document:
    """One dataset for all of a dataset's quarantine tables; each table is a version of it."""
    source = facet(name=report.quarantine_table, uri=report.quarantine_path)
    name = (f"ds://{dataset.id.zone}", f"{dataset.id.name}/{QUARANTINE}")
    output = dataset_of(name, version=report.quarantine_table, dataSource=source)
    output["outputFacets"] = {"outputStatistics": facet(rowCount=report.rows.quarantined)}
    return output


def _column_fields(platform: Platform, dataset: Dataset, stage: Stage) -> Document:
    before = stage_before(dataset, stage)
    if before is not None:
        return {
            name: {"inputFields": [source_field(name_of(dataset, before), name, "IDENTITY")]}
            for name in visible_columns(dataset).names
        }
    if dataset.process is None:
        return {}
    sources = column_lineage(dataset.process, input_columns(platform, dataset))
    return {
        name: {
            "inputFields": [
                source_field(
                    name_of(platform.policies.dataset(s.dataset_urn), Stage.CERTIFIED), s.column, "TRANSFORMATION"
                )
                for s in column_sources
            ]
        }
        for name, column_sources in sources.items()
        if column_sources
    }
