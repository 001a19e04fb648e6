"""Tells the lineage what the platform does, and passes it on to another OpenLineage service where one is configured.

The pass-on never costs a run: it takes seconds at most, and what was not taken waits in the catalog for the next time.
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
from data_platform.openlineage.event import read_event
from data_platform.stage import run_event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime

    from data_platform.installation import Platform
    from data_platform.model.dataset import Stage
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset
    from data_platform.stage.run_facet import Document

LOG = logging.getLogger(__name__)
SECONDS = 5
"""For one request; a service that takes longer hears of it the next time."""
AT_ONCE = 200
REST_SECONDS = 60
"""A service that did not answer is not asked by each of a run's stages again."""


def events_of(platform: Platform, dataset: Dataset, report: StageReport) -> tuple[LineageEvent, ...]:
    """The stage's events; before the first of a run, that the whole run began."""
    documents = _beginning(platform, report.run_id, report.started_at)
    _note(platform, report.run_id, dataset, report.stage, passed=report.passed)
    documents += run_event.stage_events(platform, dataset, report)
    return tuple(read_event(document) for document in documents)


def _beginning(platform: Platform, run_id: str, began: datetime) -> list[Document]:
    parent = run_event.parent_of(run_id)
    if parent in platform.runs:
        return []
    return [run_event.whole_run_event(parent, "START", began)]


def _note(platform: Platform, run_id: str, dataset: Dataset, stage: Stage, *, passed: bool) -> None:
    """A later attempt at the same stage counts instead of an earlier one."""
    platform.runs.setdefault(run_event.parent_of(run_id), {})[f"{dataset.urn}@{stage}"] = passed


@contextmanager
def failures_recorded(
    platform: Platform, dataset: Dataset, stage: Stage, partition: date | None, run_id: str
) -> Iterator[None]:
    """A stage that ends with an error is told to have failed; the error goes on as it was."""
    try:
        yield
    except Exception as error:
        # what a foreign error says may quote rows
        message = redacted(str(error)) if isinstance(error, DataPlatformError) else f"unexpected {type(error).__name__}"
        day = partition.isoformat() if partition else None
        now = platform.now()
        documents = _beginning(platform, run_id, now)
        _note(platform, run_id, dataset, stage, passed=False)
        documents.append(run_event.failure_event(dataset, stage, day, run_id, message=message, now=now))
        try:
            _tell(platform, documents)
        except DataPlatformError as second:
            LOG.warning("the failure of %s %s is not in the catalog: %s", stage, dataset.urn, second)
        raise


def end_runs(platform: Platform) -> None:
    """Every run that this platform told of has ended: well, if each of its stages did.

    A process that dies does not come here, and its run stays RUNNING in the catalog, as nobody knows better.
    """
    ended = {run: "COMPLETE" if all(stages.values()) else "FAIL" for run, stages in platform.runs.items()}
    documents = [run_event.whole_run_event(run, kind, platform.now()) for run, kind in ended.items()]
    platform.runs.clear()
    if documents:
        _tell(platform, documents)


def pass_on(platform: Platform) -> int:
    """Post what waits, oldest first, until nothing waits or the service does not take it; how many it took."""
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
    """As ``pass_on``, within a stage: raises nothing, and while a service is away lets only one stage a minute wait."""
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


def _tell(platform: Platform, documents: list[Document]) -> None:
    outbox = platform.settings.openlineage_url is not None
    platform.catalog.events.record([read_event(document) for document in documents], outbox=outbox, now=platform.now())
    pass_on_in_passing(platform)


def _post(url: str, token: str | None, text: str) -> bool:
    """A service that refuses an event for good (4xx) always will: that is told in the log, and counts as done."""
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
        LOG.warning("%s did not take an event (%s); %s", url, type(error).__name__, _LATER)
    return False


_LATER = "events wait in the catalog, and are sent with the next run or by `data-platform catalog emit`"
