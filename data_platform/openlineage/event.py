"""Reads OpenLineage events as producers really send them. Source: the OpenLineage specification 2-0-2.

It is strict about what identifies a run, a job, a dataset or a time: an event without it is rejected with the field's
name. It is lenient about everything else: a facet that is null or incomplete is skipped with a warning, since the
run matters more than its facet. Unknown facets are stored unchanged. A short form of events (``run.startTime``, plain
values as facets) is read too. The module ``dataset`` reads the facets of datasets.
"""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from data_platform.errors import InputError
from data_platform.model.lineage import DatasetRole, EventType, LineageEvent
from data_platform.openlineage.canonical_json import canonical, digest
from data_platform.openlineage.dataset import completed, read_dataset
from data_platform.openlineage.deploy_ref import read_deploy_ref
from data_platform.openlineage.redaction import redacted_event
from data_platform.openlineage.text import Facets, read_name, read_text, whole_name

if TYPE_CHECKING:
    from data_platform.model.lineage import DatasetMention, Name

_TIME = re.compile(
    r"(?P<moment>\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d)?)([.,](?P<fraction>\d{1,9}))?\s*"
    r"(?P<offset>[Zz]|[+-]\d\d(:?\d\d)?)?(\[[A-Za-z0-9_/+-]+\])?"
)
_ERROR_CHARACTERS = 10_000
MOST_MENTIONS = 10_000
"""The most datasets in one event. A job that names more of them names files, not datasets."""


def read_event(document: Any, *, historical: bool = False) -> LineageEvent:
    """Reads one event of any of the three kinds: run event, job event, dataset event.

    Raises:
        InputError: ``document`` is not an event, or a field that identifies something cannot be read.
    """
    if not isinstance(document, dict):
        raise InputError("", "expected one OpenLineage event, a JSON object")
    document = redacted_event(document)
    warnings: list[str] = []
    if document.get("run") is not None:
        return _read_run_event(document, warnings, historical=historical)
    if document.get("job") is not None:
        return _read_job_event(document, warnings)
    if document.get("dataset") is not None:
        return _read_dataset_event(document, warnings, historical=historical)
    raise InputError("run", "missing: expected run and job (a run's event), job, or dataset")


def read_time(value: Any, field: str, warnings: list[str]) -> datetime:
    """Returns a time in UTC. A text without an offset is UTC, never this machine's zone; digits below 1 µs are dropped.

    Raises:
        InputError: ``value`` is not ISO 8601 text. A number is rejected, since it may be seconds or milliseconds.
    """
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise InputError(field, "not a time: expected ISO 8601 text with an offset, such as 2025-06-01T10:05:00.123Z")
    if match["offset"] is None:
        warnings.append(f"{field}: no offset, read as UTC")
    try:
        moment = datetime.fromisoformat(match["moment"].replace(" ", "T").upper()).replace(tzinfo=UTC)
        return moment + _fraction(match["fraction"]) - _offset(match["offset"])
    except (ValueError, OverflowError):
        raise InputError(field, "not a time that exists: expected one such as 2025-06-01T10:05:00Z") from None


def _fraction(digits: str | None) -> timedelta:
    return timedelta(microseconds=int((digits or "").ljust(6, "0")[:6]))


def _offset(text: str | None) -> timedelta:
    if text is None or text in "Zz":
        return timedelta()
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    if hours > 18 or minutes > 59:  # the largest offset that java.time allows
        raise ValueError(text)
    size = timedelta(hours=hours, minutes=minutes)
    return -size if text[0] == "-" else size


def _read_run_event(document: dict[str, Any], warnings: list[str], *, historical: bool) -> LineageEvent:
    run = _mapping(document["run"], "run")
    facets = Facets.of(run.get("facets"), "run.facets", warnings)
    kind = _event_type(document.get("eventType"))
    nominal, error = facets.mapping("nominalTime"), facets.mapping("errorMessage")
    parent_run, parent_job = _parent(facets, warnings)
    is_historical = facets.mapping("historical").get("historical") if "historical" in facets.kept else False
    return LineageEvent(
        type=kind,
        time=_event_time(document, run, kind, warnings),
        run_uuid=_run_uuid(run.get("runId"), "run.runId"),
        parent_run_uuid=parent_run,
        parent_job=parent_job,
        nominal_start=_optional_time(nominal.get("nominalStartTime"), "run.facets.nominalTime", warnings),
        nominal_end=_optional_time(nominal.get("nominalEndTime"), "run.facets.nominalTime", warnings),
        attempt=_attempt(run, facets),
        error_message=read_text(error.get("message"))[:_ERROR_CHARACTERS] or None,
        log_location=read_text(run.get("logLocation") or facets.mapping("log").get("location"))[:2000] or None,
        run_facets=facets.kept,
        deploy_ref=read_deploy_ref(facets, document),
        historical=historical or is_historical is True,
        **_job(document, warnings, engine=read_text(facets.mapping("processing_engine").get("name"))),
        **_common(document, warnings),
    )


def _read_job_event(document: dict[str, Any], warnings: list[str]) -> LineageEvent:
    time = read_time(document.get("eventTime"), "eventTime", warnings)
    job = _job(document, warnings, engine="")
    return LineageEvent(type=EventType.JOB, time=time, **job, **_common(document, warnings))


def _read_dataset_event(document: dict[str, Any], warnings: list[str], *, historical: bool) -> LineageEvent:
    time = read_time(document.get("eventTime"), "eventTime", warnings)
    mention = read_dataset(document["dataset"], "dataset", DatasetRole.OUTPUT, warnings)
    common = {**_common(document, warnings), "datasets": (mention,)}
    return LineageEvent(type=EventType.DATASET, time=time, historical=historical, **common)


def _common(document: dict[str, Any], warnings: list[str]) -> dict[str, Any]:
    # called last, since its result contains the warnings of all other readers
    datasets = (
        *_datasets(document, "inputs", DatasetRole.INPUT, warnings),
        *_datasets(document, "outputs", DatasetRole.OUTPUT, warnings),
    )
    payload = canonical(document)
    return {
        "producer": read_text(document.get("producer"))[:2000],
        "digest": digest(payload),
        "payload": payload,
        "datasets": datasets,
        "warnings": tuple(warnings),
    }


def _datasets(document: dict[str, Any], key: str, role: DatasetRole, warnings: list[str]) -> list[DatasetMention]:
    """Returns one mention per name; a repeated one adds only what the ones before it do not report."""
    given = document.get(key)
    if given is None:
        return []
    if not isinstance(given, list):
        raise InputError(key, "expected a list of datasets, or null")
    if len(given) > MOST_MENTIONS:
        raise InputError(key, f"{len(given)} datasets: at most {MOST_MENTIONS} in one event")
    mentions: dict[Name, DatasetMention] = {}
    for place, item in enumerate(given):
        mention = read_dataset(item, f"{key}[{place}]", role, warnings)
        before = mentions.get(mention.name)
        mentions[mention.name] = mention if before is None else completed(before, mention)
    return list(mentions.values())


def _job(document: dict[str, Any], warnings: list[str], *, engine: str) -> dict[str, Any]:
    job = _mapping(document.get("job"), "job")
    facets = Facets.of(job.get("facets"), "job.facets", warnings)
    kind = facets.mapping("jobType")
    team, email = facets.owner()
    technology = read_text(kind.get("integration")) or engine
    name = read_name(job, "job", warnings)
    return {
        "job": name,
        "technology": technology.upper()[:50] or None,
        "job_description": read_text(facets.mapping("documentation").get("description")),
        "job_team": team,
        "job_email": email,
        "job_facets": {**facets.kept, **whole_name(job, name)},
    }


def _parent(facets: Facets, warnings: list[str]) -> tuple[str | None, Name | None]:
    parent = facets.mapping("parent")
    if not parent:
        return None, None
    try:
        run = _mapping(parent.get("run"), "run.facets.parent.run")
        job = read_name(_mapping(parent.get("job"), "run.facets.parent.job"), "run.facets.parent.job", warnings)
        return _run_uuid(run.get("runId"), "run.facets.parent.run.runId"), job
    except InputError as error:
        warnings.append(f"{error}; the parent is skipped")
        return None, None


def _event_type(value: Any) -> EventType:
    if value is None:
        return EventType.OTHER
    allowed = [kind for kind in EventType if kind not in (EventType.JOB, EventType.DATASET)]
    if value not in allowed:
        raise InputError("eventType", f"not known: expected one of {', '.join(allowed)}")
    return EventType(value)


def _event_time(document: dict[str, Any], run: dict[str, Any], kind: EventType, warnings: list[str]) -> datetime:
    if document.get("eventTime") is None:
        key = "startTime" if kind is EventType.START else "endTime"
        if run.get(key) is not None:
            return read_time(run[key], f"run.{key}", warnings)
    return read_time(document.get("eventTime"), "eventTime", warnings)


def _optional_time(value: Any, field: str, warnings: list[str]) -> datetime | None:
    if value is None:
        return None
    try:
        return read_time(value, field, warnings)
    except InputError as error:
        warnings.append(f"{error}; skipped")
        return None


def _run_uuid(value: Any, field: str) -> str:
    try:
        return str(uuid.UUID(value)) if isinstance(value, str) and len(value) == 36 else _refuse_uuid(field)
    except ValueError:
        return _refuse_uuid(field)


def _refuse_uuid(field: str) -> str:
    raise InputError(field, "missing or not a UUID: expected one such as 019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e5f")


def _attempt(run: dict[str, Any], facets: Facets) -> int:
    attempt = run.get("attempt") or facets.mapping("attempt").get("attempt")
    return attempt if isinstance(attempt, int) and not isinstance(attempt, bool) and 1 <= attempt < 1_000_000 else 1


def _mapping(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(field, "missing, or not a JSON object")
    return value
