"""Builds OpenLineage events from the reports of a legacy job. Standard library only, like all imports of the client.

Names: ``ds://zone/name`` is dataset ``name`` of namespace ``ds://zone``, ``s3://bucket/a/b`` is ``a/b`` of
``s3://bucket``, a path is a file of namespace ``file``. A process key such as ``AUTOSYS/BOX/JOB`` is job ``BOX/JOB`` of
namespace ``AUTOSYS``; a name without a slash has namespace ``LEGACY``. The service identifies an event by its content,
so the same bytes may be sent any number of times.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PRODUCER = "urn:data-platform:legacy"
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_FACETS = "https://openlineage.io/spec/facets/"
NO_NAMESPACE = "LEGACY"
MESSAGE_CHARACTERS = 9_000
"""The most characters of an error message; the service stores 10,000."""

_WORDS = {
    "START": "start started starting begin began begun st",
    "RUNNING": "running run in_progress active ru",
    "COMPLETE": "complete completed success succeeded successful done ok finished available ready published produced"
    " loaded written su",
    "FAIL": "fail failed failure error errored fa",
    "ABORT": "abort aborted cancel cancelled canceled killed terminated stopped te",
}
_TYPES = {word: kind for kind, words in _WORDS.items() for word in words.split()}
ENDS = frozenset({"COMPLETE", "FAIL", "ABORT"})


def event_type(status: str) -> str:
    """Maps a status as people or Autosys write it to ``START``, ``RUNNING``, ``COMPLETE``, ``FAIL`` or ``ABORT``.

    Raises:
        UsageError: ``status`` is not one of these words.
    """
    word = status.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(status, str) else ""
    if word not in _TYPES:
        raise UsageError("unknown status: expected started, running, completed, failed or aborted")
    return _TYPES[word]


def dataset_name(name: str) -> tuple[str, str]:
    """Returns the dataset's namespace and name.

    Raises:
        UsageError: ``name`` is neither a URN nor an absolute path.
    """
    text = name.strip() if isinstance(name, str) else ""
    if text.startswith("/"):
        return "file", _printable(text, "dataset")
    scheme, mark, rest = _printable(text, "dataset").partition("://")
    authority, slash, inner = rest.partition("/")
    if not (scheme and mark and slash and inner and (authority or scheme == "file")):
        raise UsageError("a dataset's name is not understood: expected ds://zone/name, or the absolute path of a file")
    return (f"{scheme}://{authority}", inner) if authority else ("file", f"/{inner}")


def process_name(key: str) -> tuple[str, str]:
    """Returns the process' namespace and name.

    Raises:
        UsageError: ``key`` is empty, or has an empty part.
    """
    text = _printable(key.strip() if isinstance(key, str) else "", "process")
    parts = text.split("/")
    if not all(part.strip() for part in parts):
        raise UsageError("a process' name is empty or has an empty part: expected one such as AUTOSYS/BOX/JOB")
    return (parts[0], "/".join(parts[1:])) if len(parts) > 1 else (NO_NAMESPACE, text)


def _printable(text: str, what: str) -> str:
    if not text or any(ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 for letter in text):
        raise UsageError(f"a {what}'s name is empty or holds control characters")
    return text.encode(errors="replace").decode()


def now() -> datetime:
    return datetime.now(UTC)


def mention(
    name: str, *, version: str | None = None, rows: int | None = None, size: int | None = None, path: str | None = None
) -> dict[str, Any]:
    """Returns a dataset as it appears in an event.

    Raises:
        UsageError: The name is invalid, or a count is not a whole number of 0 or more.
    """
    facets: dict[str, Any] = {}
    if version is not None:
        facets["version"] = facet("1-0-1/DatasetVersionDatasetFacet.json", datasetVersion=str(version))
    if path is not None:
        place = _redacted(path_text(path))
        facets["dataSource"] = facet("1-0-1/DatasourceDatasetFacet.json", name=place, uri=place)
    counts = {"rowCount": _count(rows, "rows"), "size": _count(size, "size")}
    if statistics := {key: value for key, value in counts.items() if value is not None}:
        facets["outputStatistics"] = facet("1-0-2/OutputStatisticsOutputDatasetFacet.json", **statistics)
    namespace, inner = dataset_name(name)
    return {"namespace": namespace, "name": inner, **({"facets": facets} if facets else {})}


def path_text(path: Any) -> str:
    """Converts a path, also a ``Path``, to text."""
    return path if isinstance(path, str) else str(path)


def _count(value: Any, what: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise UsageError(f"{what} is not a count: expected a whole number of 0 or more")


def run_event(
    kind: str,
    process: str,
    run_id: str,
    *,
    time: datetime,
    inputs: Iterable[dict[str, Any]] = (),
    outputs: Iterable[dict[str, Any]] = (),
    error: str | None = None,
    facets: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Builds a run event. Secrets are removed from ``error``, and it is cut to ``MESSAGE_CHARACTERS``."""
    namespace, name = process_name(process)
    run_facets = dict(facets or {})
    if error:
        message = _redacted(error)[:MESSAGE_CHARACTERS]
        run_facets["errorMessage"] = facet(
            "1-0-1/ErrorMessageRunFacet.json", message=message, programmingLanguage="unknown"
        )
    kind_of_job = facet(
        "2-0-3/JobTypeJobFacet.json", processingType="BATCH", integration=namespace.upper()[:50], jobType="JOB"
    )
    return {
        **_common("RunEvent", time),
        "eventType": kind,
        "run": {"runId": run_id, **({"facets": run_facets} if run_facets else {})},
        "job": {"namespace": namespace, "name": name, "facets": {"jobType": kind_of_job}},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def dataset_event(dataset: dict[str, Any], *, time: datetime) -> dict[str, Any]:
    return {**_common("DatasetEvent", time), "dataset": dataset}


def dataset_status(dataset: dict[str, Any], kind: str, version: str | None) -> dict[str, Any]:
    """Returns ``dataset`` with the status of a version that does not exist (yet): it creates no version."""
    status = {"status": kind, **({"version": str(version)} if version is not None else {})}
    own = {"dataPlatform_status": {"_producer": PRODUCER, "_schemaURL": f"{_SPEC}DatasetFacet", **status}}
    return {**dataset, "facets": own}


def assertions(
    passed: Mapping[str, bool], details: Mapping[str, list[str]], severity: str, partition: str | None
) -> dict[str, Any]:
    """Returns a dataset's facets with the result of each check."""
    listed = [
        {
            "assertion": name,
            "name": name,
            "success": success,
            "severity": severity,
            **({"signatures": details[name]} if details.get(name) else {}),
            **({"partition": str(partition)} if partition is not None else {}),
        }
        for name, success in passed.items()
    ]
    return {"dataQualityAssertions": facet("1-0-2/DataQualityAssertionsDatasetFacet.json", assertions=listed)}


def partition_facet(text: str) -> dict[str, Any]:
    """Returns a run facet with the partition that the run processes, such as ``2026-02-14``.

    Raises:
        UsageError: ``text`` is not the key of a partition.
    """
    # imported late: time zones take longer to import than everything else, and most events have no partition
    from data_platform.model.partition_key import PartitionKey

    try:
        start = PartitionKey(str(text).strip()).nominal_start
    except ValueError as error:
        raise UsageError(str(error)) from None
    return {"nominalTime": facet("1-0-1/NominalTimeRunFacet.json", nominalStartTime=start)}


def exit_facet(code: int, seconds: float) -> dict[str, Any]:
    """Returns a run facet with a command's exit code and duration, rounded to a millisecond."""
    outcome = {"exitCode": code, "durationSeconds": round(seconds, 3)}
    return {"dataPlatform_exit": {"_producer": PRODUCER, "_schemaURL": f"{_SPEC}RunFacet", **outcome}}


def deploy_ref_facet(reference: str) -> dict[str, Any]:
    """Returns a run facet with the reference of the deployed code; none if it is empty."""
    if not reference.strip():
        return {}
    return {"tags": facet("1-0-0/TagsRunFacet.json", tags=[{"key": "deploy_ref", "value": reference.strip()}])}


def facet(schema: str, **fields: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": _FACETS + schema, **fields}


def body_of(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _common(kind: str, time: datetime) -> dict[str, Any]:
    return {"eventTime": time.isoformat(), "producer": PRODUCER, "schemaURL": _SPEC + kind}


def _redacted(text: str) -> str:
    # imported late: compiling its patterns takes longer than importing everything else, and most events need none
    from data_platform.model.secret import redact

    return redact(str(text).encode(errors="replace").decode())
