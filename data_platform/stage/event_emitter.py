"""Records what the platform does as lineage events, and sends them to an OpenLineage endpoint if one is configured.

Sending never fails a run: it takes seconds at most, and events that were not accepted wait in the catalog.
"""

from __future__ import annotations

import logging
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.model.personal import redacted
from data_platform.model.run_identity import parent_of
from data_platform.openlineage.event import read_event
from data_platform.stage import run_event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.dataset import Stage
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset
    from data_platform.stage.run_facet import Document

LOG = logging.getLogger(__name__)
SECONDS = 5
"""The timeout of one request; an endpoint that takes longer receives the event the next time."""
AT_ONCE = 200
REST_SECONDS = 60
"""How long an endpoint that did not answer is skipped, so that not every stage of a run waits for it."""


def events_of(platform: Platform, dataset: Dataset, report: StageReport) -> tuple[LineageEvent, ...]:
    """The stage's events; the first stage of a run also has an event for the start of the whole run."""
    documents = _beginning(platform, report.run_id, report.started_at)
    _note(platform, report.run_id, dataset, report.stage, passed=report.qualifies)
    documents += run_event.stage_events(platform, dataset, report)
    return tuple(read_event(document) for document in documents)


def later_events_of(platform: Platform, dataset: Dataset, report: StageReport) -> tuple[LineageEvent, ...]:
    """The events of a stage that belongs to a run of another process, which has its own start and end."""
    return tuple(read_event(document) for document in run_event.stage_events(platform, dataset, report))


def _beginning(platform: Platform, run_id: str, began: datetime) -> list[Document]:
    parent = parent_of(run_id)
    if parent in platform.runs:
        return []
    return [run_event.whole_run_event(parent, "START", began)]


def _note(platform: Platform, run_id: str, dataset: Dataset, stage: Stage, *, passed: bool) -> None:
    """Notes the result of a stage; a later attempt at the same stage replaces an earlier one."""
    platform.runs.setdefault(parent_of(run_id), {})[f"{dataset.urn}@{stage}"] = passed


@contextmanager
def failures_recorded(
    platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None, run_id: str
) -> Iterator[None]:
    """Records that a stage which ends with an error has failed; the error is raised unchanged."""
    try:
        yield
    except Exception as error:
        # the text of a foreign error may quote rows
        message = redacted(str(error)) if isinstance(error, DataPlatformError) else f"unexpected {type(error).__name__}"
        now = platform.now()
        documents = _beginning(platform, run_id, now)
        _note(platform, run_id, dataset, stage, passed=False)
        documents.append(run_event.failure_event(dataset, stage, partition, run_id, message=message, now=now))
        try:
            _record(platform, documents)
        except DataPlatformError as second:
            LOG.warning("the failure of %s %s is not in the catalog: %s", stage, dataset.urn, second)
        raise


def end_runs(platform: Platform) -> None:
    """Records the end of every run that this platform reported: COMPLETE if each of its stages passed.

    A process that dies does not reach this, so its run stays RUNNING in the catalog.
    """
    ended = {run: "COMPLETE" if all(stages.values()) else "FAIL" for run, stages in platform.runs.items()}
    documents = [run_event.whole_run_event(run, kind, platform.now()) for run, kind in ended.items()]
    platform.runs.clear()
    if documents:
        _record(platform, documents)


def pass_on(platform: Platform) -> int:
    """Sends waiting events, oldest first, until none is left or the endpoint accepts no more; returns the number."""
    url = platform.settings.openlineage_url
    taken = 0
    while url is not None:
        waiting = platform.catalog.events.waiting(AT_ONCE)
        done = []
        for key, text in waiting:
            if not _post(url, platform.settings.openlineage_token, text):
                break
            done.append(key)
        if done:
            platform.catalog.events.drop_sent(done)
            taken += len(done)
        if len(done) < len(waiting) or not waiting:
            break
    return taken


def pass_on_in_passing(platform: Platform) -> None:
    """Like ``pass_on``, within a stage: it raises nothing, and waits for a dead endpoint at most once a minute.

    The stage's evidence goes to Kafka in the same way.
    """
    platform.relay_evidence()
    if time.monotonic() < platform.passing_on_rests_until:
        return
    try:
        pass_on(platform)
        waits = platform.settings.openlineage_url is not None and platform.catalog.events.count_waiting() > 0
    except DataPlatformError as error:
        LOG.warning("events were not passed on: %s; %s", error, _LATER)
        waits = True
    if waits:
        platform.passing_on_rests_until = time.monotonic() + REST_SECONDS


def _record(platform: Platform, documents: list[Document]) -> None:
    outbox = platform.settings.openlineage_url is not None
    platform.catalog.events.record([read_event(document) for document in documents], outbox=outbox, now=platform.now())
    pass_on_in_passing(platform)


def _post(url: str, token: str | None, text: str) -> bool:
    """Whether the event is done; one that the endpoint refuses for good (4xx) is logged, and counts as done."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(url, data=text.encode(), headers=headers, method="POST")  # noqa: S310 - from settings
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):  # noqa: S310
            return True
    except urllib.error.HTTPError as error:
        if 400 <= error.code < 500 and error.code not in (401, 403, 408, 429):
            LOG.warning("%s refused an event with %s; it is in our catalog only", url, error.code)
            return True
        LOG.warning("%s answered %s; %s", url, error.code, _LATER)
    except (OSError, ValueError) as error:
        LOG.warning("%s did not accept an event (%s); %s", url, type(error).__name__, _LATER)
    return False


_LATER = "events wait in the catalog, and are sent with the next run or by `data-platform catalog emit`"
