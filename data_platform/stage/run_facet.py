"""The parts of the platform's OpenLineage events: facets, and datasets by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.run import StageReport
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset

PRODUCER = "urn:data-platform"
Document: TypeAlias = dict[str, Any]


def facet(**content: Any) -> Document:
    return {"_producer": PRODUCER, "_schemaURL": "https://openlineage.io/spec/facets/1-0-0/Facet.json", **content}


def dataset_of(name: tuple[str, str], *, version: Any = None, **facets: Any) -> Document:
    if version is not None:
        facets["version"] = facet(datasetVersion=str(version))
    return {"namespace": name[0], "name": name[1], "facets": facets}


def name_of(dataset: Dataset, stage: Stage) -> tuple[str, str]:
    name = dataset.id.name if stage is Stage.CERTIFIED else f"{dataset.id.name}/{stage}"
    return f"ds://{dataset.id.zone}", name


def source_field(name: tuple[str, str], column: str, subtype: str) -> Document:
    kind = [{"type": "DIRECT", "subtype": subtype}]
    return {"namespace": name[0], "name": name[1], "field": column, "transformations": kind}


def assertions(report: StageReport) -> Iterator[Document]:
    for verdict in (verdict for verdict in report.verdicts if verdict.judged):
        yield {
            "assertion": str(verdict.gate),
            "success": verdict.passed,
            "severity": "error",
            "name": f"{report.stage}/{verdict.gate}",
            **({"actual": f"{verdict.compliance:.6f}"} if verdict.compliance is not None else {}),
        }


def schema_facet(schema: Schema) -> Document:
    return facet(fields=[{"name": c.name, "type": c.type, "nullable": c.nullable} for c in schema.columns])
