"""The events that OpenLineage's listener wrote while a wrapped command ran, corrected by how the command ended.

The listener sees a Spark application that was stopped, and reports COMPLETE, also if the program fails after that; and
of a JVM that was killed it reports no end at all. So the exit code decides: if it is not 0, the application's run ends
as FAIL, and so does each of its runs that has no end; if it is 0, these end as COMPLETE.

The wrapper writes how the command ended beside the file, which takes no time. The next process that forwards, most
often the wrapper's own thread, corrects the events and moves them to the spool.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from data_platform.legacy.spool import SPARK, write_whole
from data_platform.openlineage.legacy_event import ENDS, PRODUCER, body_of, facet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.legacy.spool import Spool

_EVENTS, _END = ".jsonl", ".end"
MOST_BYTES = 64 * 1024 * 1024
"""What a longer file has beyond is left out: a loop of a million small queries is no lineage."""
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_INSTANT = timedelta(milliseconds=1)


def end(spool_folder: str, run_id: str, *, failure: str, at: datetime) -> None:
    """Records that the command of the run ended at ``at``; ``failure`` is empty if its exit code was 0.

    Raises:
        OSError: It cannot be written; the events stay in their file.
    """
    body = json.dumps({"failure": failure, "at": at.isoformat()}).encode()
    write_whole(os.path.join(spool_folder, SPARK), f"{run_id}{_END}", body, durable=False)


def corrections(
    events: Iterable[dict[str, Any]], run_id: str, *, failure: str, at: datetime
) -> Iterator[dict[str, Any]]:
    """Yields an end for each run that has none, and a FAIL for an application whose program failed."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        runs.setdefault(event["run"]["runId"], []).append(event)
    for of_run in runs.values():
        ends = {event["eventType"] for event in of_run if event["eventType"] in ENDS}
        is_wrong = failure and ends <= {"COMPLETE"} and any(_parent(event) == run_id for event in of_run)
        if not ends or is_wrong:
            yield _end(of_run, failure, at)


def release(spool: Spool) -> None:
    """Moves the events of ended commands to the spool.

    Raises:
        OSError: The spool cannot be written; the next process tries again.
    """
    folder = os.path.join(spool.folder, SPARK)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_END) and name[0] != ".")
    except OSError:
        return
    for name in names:
        run_id = name.removesuffix(_END)
        file = os.path.join(folder, f"{run_id}{_EVENTS}")
        events = list(_read(file))
        if (known := _how(os.path.join(folder, name))) is not None:
            failure, at = known
            events += corrections(events, run_id, failure=failure, at=at)
        for event in _worth_sending(events):
            spool.keep(body_of(event))
        for path in (file, os.path.join(folder, name)):  # in this order: without its end a file would stay for ever
            with suppress(FileNotFoundError):
                os.unlink(path)


def abandon(spool: Spool, run_id: str) -> None:
    """Releases the events of a command that is gone together with its wrapper; its runs keep the state they have."""
    folder = os.path.join(spool.folder, SPARK)
    if os.path.exists(os.path.join(folder, f"{run_id}{_EVENTS}")):
        write_whole(folder, f"{run_id}{_END}", b"", durable=False)


def _how(path: str) -> tuple[str, datetime] | None:
    """How the command ended, and when; None if nobody saw it."""
    with suppress(OSError, ValueError, KeyError, TypeError), open(path, "rb") as file:
        facts = json.load(file)
        return str(facts["failure"]), datetime.fromisoformat(facts["at"])
    return None


def _read(path: str) -> Iterator[dict[str, Any]]:
    """The run events of the file; lines that a killed JVM wrote in part are left out."""
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES)
    except FileNotFoundError:
        return
    for line in content.splitlines():
        with suppress(ValueError, TypeError, KeyError):
            event = json.loads(line)
            if isinstance(event["run"]["runId"], str) and isinstance(event["eventType"], str) and event["job"]:
                datetime.fromisoformat(event["eventTime"])
                yield event


def _worth_sending(events: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Leaves out progress of ended runs, unless it names datasets that neither start nor end name."""
    named: dict[str, set[tuple[Any, ...]]] = {}
    for event in events:
        if event["eventType"] != "RUNNING":
            named.setdefault(event["run"]["runId"], set()).update(_datasets(event))
    for event in events:
        if event["eventType"] != "RUNNING" or not _datasets(event) <= named.get(event["run"]["runId"], set()):
            yield event


def _datasets(event: dict[str, Any]) -> set[tuple[Any, ...]]:
    return {
        (role, one.get("namespace"), one.get("name"))
        for role in ("inputs", "outputs")
        for one in event.get(role) or ()
        if isinstance(one, dict)
    }


def _parent(event: dict[str, Any]) -> str | None:
    with suppress(KeyError, TypeError):
        return str(event["run"]["facets"]["parent"]["run"]["runId"])
    return None


def _end(of_run: list[dict[str, Any]], failure: str, at: datetime) -> dict[str, Any]:
    """The end of a run, later than each of its events."""
    first = of_run[0]
    last = max(datetime.fromisoformat(event["eventTime"]) for event in of_run)
    facets = {name: value for name, value in (first["run"].get("facets") or {}).items() if name == "parent"}
    if failure:
        facets["errorMessage"] = facet(
            "1-0-1/ErrorMessageRunFacet.json", message=failure, programmingLanguage="unknown"
        )
    return {
        "eventTime": max(at, last + _INSTANT).isoformat(),
        "producer": PRODUCER,
        "schemaURL": _SPEC,
        "eventType": "FAIL" if failure else "COMPLETE",
        "run": {"runId": first["run"]["runId"], **({"facets": facets} if facets else {})},
        "job": {"namespace": first["job"].get("namespace"), "name": first["job"].get("name")},
        "inputs": [],
        "outputs": [],
    }
