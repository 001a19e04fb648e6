"""The OpenLineage events about the platform's own runs, in the form that every other producer uses.

A stage of a dataset is a job ``DATA_PLATFORM/zone/name/stage``; the stage that a process makes is the process's job,
and each of its SQL steps a job within it. A run's id is derived from the platform's own, so that the same stage of the
same run always has the same id. The parent of all is the run that Dagster or a command started.

The table of a stage is a dataset ``ds://zone/name/stage``; what consumers see is ``ds://zone/name`` itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.dataset import Stage
from data_platform.model.internal import JOBS, STEP
from data_platform.model.run_identity import parent_of, retries_of, run_uuid
from data_platform.stage.column_source import input_columns
from data_platform.stage.run_dataset import inputs_of, output_of, quarantine_of
from data_platform.stage.run_facet import (
    PRODUCER,
    Document,
    dataset_of,
    facet,
    name_of,
    source_field,
)
from data_platform.transform.step import step_lineage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset
    from data_platform.transform.step import StepLineage

SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"


def stage_events(platform: Platform, dataset: Dataset, report: StageReport) -> Iterator[Document]:
    """Start and end of a judged stage, and of each step of the process that made it."""
    run = run_uuid(report.run_id, dataset.urn, report.stage)
    job = job_name(dataset, report.stage)
    inputs = inputs_of(platform, dataset, report)
    outputs = [output_of(platform, dataset, report)]
    if report.quarantine_table:
        outputs.append(quarantine_of(dataset, report))
    facets = _run_facets(platform, report)
    start = _event("START", report.started_at, run, job, run_facets=facets)
    start["job"]["facets"] = _job_facets(dataset, report.stage)
    yield start
    if not report.proceeds:
        failed = (verdict for verdict in report.verdicts if not verdict.outcome.qualifies)
        signatures = {name for verdict in failed for name in verdict.signatures}
        reasons = ", ".join(sorted(signatures)[:20]) or "a gate did not pass"
        facets = {**facets, "errorMessage": facet(message=f"held: {reasons}", programmingLanguage="PYTHON")}
    kind = "COMPLETE" if report.proceeds else "FAIL"
    yield _event(kind, report.finished_at, run, job, inputs=inputs, outputs=outputs, run_facets=facets)
    if _made_by_process(dataset, report.stage):
        yield from _steps(platform, dataset, report, run, kind)


def failure_event(
    dataset: Dataset, stage: Stage, partition: PartitionKey | None, run_id: str, *, message: str, now: datetime
) -> Document:
    """The event of a stage that ended before its verdict. ``message`` is one of our errors, which contain no values."""
    facets = {
        **_parent(run_id),
        **_partition_facet(partition),
        "errorMessage": facet(message=message, programmingLanguage="PYTHON"),
    }
    return _event("FAIL", now, run_uuid(run_id, dataset.urn, stage), job_name(dataset, stage), run_facets=facets)


def whole_run_event(run_uuid_: str, kind: str, now: datetime) -> Document:
    return _event(kind, now, run_uuid_, "run")


def job_name(dataset: Dataset, stage: Stage) -> str:
    if _made_by_process(dataset, stage) and dataset.process is not None:
        return dataset.process.name
    return f"{dataset.id.zone}/{dataset.id.name}/{stage}"


def _made_by_process(dataset: Dataset, stage: Stage) -> bool:
    return dataset.process is not None and stage == dataset.stages[0]


def _event(kind: str, at: datetime, run: str, job: str, **parts: Any) -> Document:
    return {
        "eventType": kind,
        "eventTime": at.isoformat(),
        "producer": PRODUCER,
        "schemaURL": SCHEMA_URL,
        "run": {"runId": run, "facets": parts.get("run_facets", {})},
        "job": {"namespace": JOBS, "name": job},
        "inputs": parts.get("inputs", []),
        "outputs": parts.get("outputs", []),
    }


def _run_facets(platform: Platform, report: StageReport) -> Document:
    return {
        **_parent(report.run_id),
        **_partition_facet(report.partition),
        "processing_engine": facet(version=platform.engine_version, name="spark"),
        "dataPlatform_run": facet(
            runId=report.run_id,
            deliveryId=report.delivery_id,
            policyFingerprint=report.policy_fingerprint,
            rowsRead=report.rows.read,
            rowsAccepted=report.rows.accepted,
            rowsQuarantined=report.rows.quarantined,
            **({"dagsterRun": platform.dagster_run} if platform.dagster_run else {}),
        ),
    }


def _parent(run_id: str) -> Document:
    parent = {"parent": facet(run={"runId": parent_of(run_id)}, job={"namespace": JOBS, "name": "run"})}
    retries = retries_of(run_id)
    return {**parent, "attempt": facet(attempt=retries + 1)} if retries else parent


def _partition_facet(partition: PartitionKey | None) -> Document:
    return {} if partition is None else {"nominalTime": facet(nominalStartTime=partition.nominal_start)}


def _job_facets(dataset: Dataset, stage: Stage) -> Document:
    policy, process = dataset.policy, dataset.process
    text = policy.description
    facets: Document = {}
    if process is not None and _made_by_process(dataset, stage):
        text = process.description or text
        facets["sql"] = facet(query=process.steps[-1].sql)
    owners = [{"name": f"team:{policy.owner_team}"}, *([{"name": policy.owner_email}] if policy.owner_email else [])]
    return {
        **facets,
        "jobType": facet(processingType="BATCH", integration="SPARK", jobType="STAGE"),
        "ownership": facet(owners=owners),
        **({"documentation": facet(description=text)} if text else {}),
    }


def _steps(platform: Platform, dataset: Dataset, report: StageReport, parent: str, kind: str) -> Iterator[Document]:
    process = dataset.process
    assert process is not None, "only for a stage that a process makes"  # noqa: S101
    places = {item.view: name_of(platform.policies.dataset(item.dataset), Stage.CERTIFIED) for item in process.inputs}
    places |= {
        step.name: (f"ds://{dataset.id.zone}", f"{dataset.id.name}/{STEP}/{step.name}") for step in process.steps
    }
    texts = {step.name: step for step in process.steps}
    facets = {"parent": facet(run={"runId": parent}, job={"namespace": JOBS, "name": process.name})}
    for step in step_lineage(process, input_columns(platform, dataset)):
        run = run_uuid(report.run_id, dataset.urn, report.stage, step.name)
        event = _event(
            kind,
            report.finished_at,
            run,
            f"{process.name}/{step.name}",
            run_facets=facets,
            inputs=[dataset_of(places[name]) for name in step.reads],
            outputs=[dataset_of(places[step.name], **_step_facets(step, places))],
        )
        event["job"]["facets"] = {
            "sql": facet(query=texts[step.name].sql),
            "jobType": facet(processingType="BATCH", integration="SPARK", jobType="STEP"),
        }
        yield event


def _step_facets(step: StepLineage, places: dict[str, tuple[str, str]]) -> Document:
    fields = {
        column: {"inputFields": [source_field(places[name], source, "TRANSFORMATION") for name, source in columns]}
        for column, columns in step.columns.items()
        if columns
    }
    return {"columnLineage": facet(fields=fields)} if fields else {}
