"""The shapes of requests and responses, for the OpenAPI document."""

from typing import Any

from pydantic import BaseModel


class FieldProblem(BaseModel):
    field: str
    problem: str


class Problem(BaseModel):
    """An RFC 9457 problem. ``errors`` names the wrong fields; it is empty if no field is wrong."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem]


class EventReceipt(BaseModel):
    """``stored`` is false for an event that was stored before."""

    digest: str
    run_uuid: str | None
    stored: bool
    warnings: list[str]


class EventResult(BaseModel):
    """A receipt, or the reason for none; ``retry`` is true if sending the event again may help."""

    index: int
    status: int
    digest: str | None = None
    run_uuid: str | None = None
    stored: bool | None = None
    warnings: list[str] | None = None
    detail: str | None = None
    errors: list[FieldProblem] | None = None
    retry: bool | None = None


class BatchReceipt(BaseModel):
    received: int
    kept: int
    refused: int
    results: list[EventResult]


_NAMED = {
    "type": "object",
    "required": ["namespace", "name"],
    "properties": {"namespace": {"type": "string"}, "name": {"type": "string"}, "facets": {"type": "object"}},
}
_EVENT = {
    "type": "object",
    "description": "An OpenLineage event (specification 2-0-2): of a run, of a job, or of a dataset.",
    "required": ["eventTime"],
    "properties": {
        "eventType": {"type": "string", "enum": ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]},
        "eventTime": {"type": "string", "format": "date-time"},
        "producer": {"type": "string"},
        "schemaURL": {"type": "string"},
        "run": {
            "type": "object",
            "required": ["runId"],
            "properties": {"runId": {"type": "string", "format": "uuid"}, "facets": {"type": "object"}},
        },
        "job": _NAMED,
        "dataset": _NAMED,
        "inputs": {"type": "array", "items": _NAMED},
        "outputs": {"type": "array", "items": _NAMED},
    },
}
_BATCH = {"type": "array", "items": _EVENT, "minItems": 1}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


EVENT_BODY = _body({"anyOf": [_EVENT, _BATCH]})
BATCH_BODY = _body(_BATCH)


class ReportReceipt(BaseModel):
    """``stored`` is false for a report that was stored before; only a materialization has a ``version``."""

    asset_key: list[str]
    dataset: str
    partition: str | None
    stored: bool
    version: str | None = None
    check_name: str | None = None


class DifferenceDocument(BaseModel):
    """``would_pass`` is null with a ``reason`` if the rows cannot be judged without a run.

    ``still_broken`` maps signatures to rows. ``accepted_meanwhile`` are rows whose key is accepted by now, and
    ``differing`` is how many of them differ in each column.
    """

    entry: dict[str, Any]
    would_pass: int | None
    would_not: int | None
    still_broken: dict[str, int | None]
    accepted_meanwhile: int | None
    differing: dict[str, int]
    reason: str


class ReplayReceipt(BaseModel):
    """The replay is requested, and not done yet: the sensor ``started_by`` starts it, or somebody runs ``command``."""

    entry: str
    status: str
    started_by: str
    command: str


_REPORT = {
    "type": "object",
    "properties": {
        "asset_key": {"type": "array", "items": {"type": "string"}},
        "partition": {"type": "string"},
        "description": {"type": "string"},
        "metadata": {"type": "object"},
        "data_version": {"type": "string"},
        "check_name": {"type": "string"},
        "passed": {"type": "boolean"},
        "severity": {"type": "string", "enum": ["ERROR", "WARN"]},
    },
}
REPORT_BODY = {"requestBody": {"content": {"application/json": {"schema": _REPORT}}}}
