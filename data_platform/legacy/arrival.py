"""The arrival of a dataset version as a lineage event: of a run if the producing job is known, else of the dataset."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

from data_platform.model.arrival import REPORT_FACET, version_tag
from data_platform.model.lineage import DatasetMention, DatasetRole, EventType, LineageEvent, Name
from data_platform.openlineage.canonical_json import canonical, digest
from data_platform.openlineage.legacy_event import (
    PRODUCER,
    dataset_event,
    dataset_name,
    mention,
    partition_facet,
    process_name,
    run_event,
)
from data_platform.openlineage.redaction import redacted_event
from data_platform.openlineage.text import read_text

if TYPE_CHECKING:
    from data_platform.model.partition_key import PartitionKey

_RUNS = uuid.UUID("6f0f0f8a-5f4e-5d0b-9a51-0d6a6f9a7a11")
"""Namespace of the ids of runs that no job reported: the same arrival gets the same run, whoever reports it."""

_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetFacet"
_TAG_CHARACTERS, _PATH_CHARACTERS = 500, 2000
"""The lengths at which OpenLineage's reader cuts them too."""


def arrival_event(
    urn: str,
    version: str,
    partition: PartitionKey | None,
    *,
    time: datetime,
    process: str | None = None,
    run: str | None = None,
    rows: int | None = None,
    size: int | None = None,
    path: str | None = None,
    description: str = "",
    metadata: dict[str, Any] | None = None,
) -> LineageEvent:
    """Returns the event. ``process`` is the key of the job that wrote the version, ``run`` the id of its run.

    Without ``run`` the event completes a run with a derived id. The tag is ``version_tag(version, partition)``.
    """
    tag = version_tag(version, partition)
    output = mention(urn, version=tag, rows=rows, size=size, path=path)
    report = {"partition": partition, "description": description, "metadata": metadata or {}}
    output["facets"][REPORT_FACET] = {"_producer": PRODUCER, "_schemaURL": _SCHEMA, **report}
    output = redacted_event(output)
    written = DatasetMention(
        name=Name(*dataset_name(urn)),
        role=DatasetRole.OUTPUT,
        version_tag=read_text(tag)[:_TAG_CHARACTERS],
        row_count=rows,
        byte_count=size,
        path=read_text(output["facets"].get("dataSource", {}).get("uri"))[:_PATH_CHARACTERS] or None,
        facets=output["facets"],
    )
    if process is None:
        return _event(EventType.DATASET, time, dataset_event(output, time=time), written)
    facets = partition_facet(partition) if partition is not None else {}
    kind = EventType.COMPLETE if run is None else EventType.OTHER
    run = run or str(uuid.uuid5(_RUNS, f"{process}\0{urn}\0{tag}"))
    document = run_event(kind, process, run, time=time, outputs=[output], facets=facets)
    return _event(kind, time, document, written, **_job(process, document), **_run(run, facets))


def _event(
    kind: EventType, time: datetime, document: dict[str, Any], output: DatasetMention, **more: Any
) -> LineageEvent:
    """``document`` is the event in OpenLineage's form, in which it is stored and sent on."""
    payload = canonical(document)
    return LineageEvent(
        type=kind, time=time, producer=PRODUCER, digest=digest(payload), payload=payload, datasets=(output,), **more
    )


def _job(process: str, document: dict[str, Any]) -> dict[str, Any]:
    facets = document["job"]["facets"]
    return {
        "job": Name(*process_name(process)),
        "job_facets": facets,
        "technology": facets["jobType"]["integration"],
    }


def _run(run: str, facets: dict[str, Any]) -> dict[str, Any]:
    start = facets["nominalTime"]["nominalStartTime"] if facets else None
    return {
        "run_uuid": run,
        "run_facets": facets,
        "nominal_start": None if start is None else datetime.fromisoformat(start),
    }
