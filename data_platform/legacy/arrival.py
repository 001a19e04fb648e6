"""The arrival of a dataset version as an OpenLineage event: a run event if the producing job is known."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from data_platform.model.arrival import REPORT_FACET, version_tag
from data_platform.openlineage.legacy_event import PRODUCER, dataset_event, mention, partition_facet, run_event

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey

_RUNS = uuid.UUID("6f0f0f8a-5f4e-5d0b-9a51-0d6a6f9a7a11")
"""Namespace of the ids of runs that no job reported: the same arrival gets the same run, whoever reports it."""

_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetFacet"


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
) -> dict[str, Any]:
    """Returns the event. ``process`` is the key of the job that wrote the version, ``run`` the id of its run.

    Without ``run`` the event completes a run with a derived id. The tag is ``version_tag(version, partition)``.
    """
    tag = version_tag(version, partition)
    output = mention(urn, version=tag, rows=rows, size=size, path=path)
    report = {"partition": partition, "description": description, "metadata": metadata or {}}
    output["facets"][REPORT_FACET] = {"_producer": PRODUCER, "_schemaURL": _SCHEMA, **report}
    if process is None:
        return dataset_event(output, time=time)
    facets = partition_facet(partition) if partition is not None else {}
    if run is not None:
        return run_event("OTHER", process, run, time=time, outputs=[output], facets=facets)
    derived_id = str(uuid.uuid5(_RUNS, f"{process}\0{urn}\0{tag}"))
    return run_event("COMPLETE", process, derived_id, time=time, outputs=[output], facets=facets)
