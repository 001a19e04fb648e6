"""One line in an existing script: ``register_process("AUTOSYS/BOX/JOB", "started")``.

Imports only a few modules of the standard library. Nothing here raises into the job unless the job passes ``strict``,
and no call takes longer than ``WAIT_SECONDS``. An event is written to disk before it is sent, and deleted when the
service has it; so the next call, or ``data-platform legacy forward``, sends what remained after an outage or a killed
job.

This module and ``wrapper`` read their variables themselves, at the call and never at import, since ``settings`` imports
more than the standard library: ``DATA_PLATFORM_URL``, ``DATA_PLATFORM_TOKEN``, ``DATA_PLATFORM_SPOOL`` (a folder,
``~/.data_platform/spool``). ``settings`` lists their names too. An argument overrides its variable.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from data_platform.errors import DataPlatformError, EnvironmentProblem, SourceUnavailableError, UsageError
from data_platform.legacy.forward import WAIT_SECONDS, Service, forward_within, keep_within
from data_platform.legacy.run_id import run_id_of, wrapped
from data_platform.legacy.spool import DEFAULT, Spool
from data_platform.openlineage import legacy_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from data_platform.legacy.forward import Forwarded, Kept

    EventAndRun = tuple[dict[str, Any], str | None]

__all__ = ["register_checks", "register_dataset", "register_process", "service_of", "write_message"]


def register_process(
    name: str,
    status: str,
    *,
    run_id: str | None = None,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    partition: str | None = None,
    error: str | None = None,
    url: str | None = None,
    token: str | None = None,
    spool: str | None = None,
    seconds: float = WAIT_SECONDS,
    strict: bool = False,
) -> str | None:
    """Report that a process started, runs, completed, failed or was aborted; returns the run's id, or None on failure.

    Most scripts omit ``run_id``: the module ``run_id`` then derives it. ``partition`` is the day that the run
    processes. Secrets are removed from ``error``; ``seconds`` is the time limit of the call.

    Raises:
        UsageError: ``strict`` is set, and an argument is wrong, or the service permanently rejected the event.
        SourceUnavailableError: ``strict`` is set, and the event waits in the spool because the service is down.
        EnvironmentProblem: ``strict`` is set, and the event is lost, since neither disk nor service accepted it.
    """

    def build(service: Service) -> EventAndRun:
        kind, key = legacy_event.event_type(status), _process(name)
        read, written = ([legacy_event.mention(urn) for urn in _listed(urns)] for urns in (inputs, outputs))
        run = run_id_of(key, kind, os.environ, service.spool.folder, given=run_id and str(run_id))
        message = str(error) if error is not None else None
        day = legacy_event.partition_facet(partition) if partition is not None else {}
        event = legacy_event.run_event(
            kind, key, run, time=legacy_event.now(), inputs=read, outputs=written, error=message, facets=day
        )
        return event, run

    return _register(build, (url, token, spool), seconds, strict=strict)


def register_dataset(
    name: str,
    version: str | None,
    status: str,
    *,
    rows: int | None = None,
    size: int | None = None,
    path: str | None = None,
    partition: str | None = None,
    process: str | None = None,
    run_id: str | None = None,
    url: str | None = None,
    token: str | None = None,
    spool: str | None = None,
    seconds: float = WAIT_SECONDS,
    strict: bool = False,
) -> str | None:
    """Report that a version of a dataset exists; ``size`` is in bytes. Returns the id of its run, if that is known.

    ``partition`` is the version's day, such as ``2026-02-14``; a version that is a day itself needs none. The version
    is an output of ``process``, or of the job that the wrapper started, or of no job. A status other than "completed"
    is reported for the dataset and creates no version.

    Raises:
        UsageError, SourceUnavailableError, EnvironmentProblem: As ``register_process``.
    """

    def build(service: Service) -> EventAndRun:
        kind = legacy_event.event_type(status)
        tag = f"{partition}/{version}" if partition is not None and version is not None else version or partition
        dataset = legacy_event.mention(name, version=tag, rows=rows, size=size, path=path)
        if kind == "COMPLETE":
            return _written_event(service, dataset, process, run_id, {})
        dataset = legacy_event.dataset_status(dataset, kind, tag)
        return legacy_event.dataset_event(dataset, time=legacy_event.now()), None

    return _register(build, (url, token, spool), seconds, strict=strict)


def register_checks(
    name: str,
    passed: Mapping[str, bool],
    *,
    details: Mapping[str, list[str]] | None = None,
    severity: str = "error",
    partition: str | None = None,
    process: str | None = None,
    run_id: str | None = None,
    url: str | None = None,
    token: str | None = None,
    spool: str | None = None,
    seconds: float = WAIT_SECONDS,
    strict: bool = False,
) -> str | None:
    """Report which checks of a dataset passed, by their names. Returns the id of the run, if that is known.

    They were made by ``process``, or by the job that the wrapper started, or by no job. ``details`` has the signatures
    of what broke each check, ``severity`` (``error`` or ``warn``) is what a failed one means.

    Raises:
        UsageError, SourceUnavailableError, EnvironmentProblem: As ``register_process``.
    """

    def build(service: Service) -> EventAndRun:
        day = legacy_event.partition_facet(partition) if partition is not None else {}
        checks = legacy_event.assertions(passed, details or {}, severity, partition)
        dataset = {**legacy_event.mention(name), "facets": checks}
        return _written_event(service, dataset, process, run_id, day)

    return _register(build, (url, token, spool), seconds, strict=strict)


def _written_event(
    service: Service, dataset: dict[str, Any], process: str | None, run_id: str | None, facets: dict[str, Any]
) -> EventAndRun:
    """The event of a dataset: an output of ``process`` or of the wrapper's job, else the dataset's own event.

    ``facets`` are those of the run, if there is one.
    """
    wrapper_run = wrapped(os.environ)
    producer = _process(process) if process is not None else wrapper_run and wrapper_run[0]
    if producer is None:
        return legacy_event.dataset_event(dataset, time=legacy_event.now()), None
    run = run_id_of(producer, "OTHER", os.environ, service.spool.folder, given=run_id and str(run_id))
    event = legacy_event.run_event("OTHER", producer, run, time=legacy_event.now(), outputs=[dataset], facets=facets)
    return event, run


def service_of(url: str | None = None, token: str | None = None, spool: str | None = None) -> Service:
    """Returns the service from the arguments; the environment's variables replace each that is None."""
    folder = spool if spool is not None else os.environ.get("DATA_PLATFORM_SPOOL") or DEFAULT
    return Service(
        url=url if url is not None else os.environ.get("DATA_PLATFORM_URL", ""),
        token=token if token is not None else os.environ.get("DATA_PLATFORM_TOKEN", ""),
        spool=Spool(os.path.abspath(os.path.expanduser(folder))),
    )


def _process(name: str) -> str:
    """Raises: UsageError, if ``name`` is not a valid process name."""
    legacy_event.process_name(name)
    return name.strip()


def _listed(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _register(
    build: Callable[[Service], EventAndRun], arguments: tuple[str | None, ...], seconds: float, *, strict: bool
) -> str | None:
    try:
        service = service_of(*arguments)
        document, run = build(service)
        kept = keep_within(service.spool, legacy_event.body_of(document), seconds)
        result = forward_within(service, seconds, kept)
        _report_problems(service, kept, result)
        if strict:
            _raise_problem(service, kept, result)
    except DataPlatformError as error:
        if strict:
            raise
        write_message(f"nothing was reported to the catalog: {error}")
        return None
    except Exception as error:  # the calling job is more important than any error here
        if strict:
            raise
        write_message(f"nothing was reported to the catalog: unexpected {type(error).__name__}")
        return None
    return run


def _report_problems(service: Service, kept: Kept, result: Forwarded) -> None:
    for line in problems(service, kept, result):
        write_message(line)


def problems(service: Service, kept: Kept, result: Forwarded) -> list[str]:
    """Returns the problems that a person must solve. A service that is down while an event waits is not one."""
    lines = []
    if kept.problem:
        end = "the event is lost" if result.loose else "the event was sent without it"
        todo = "free space, or name another folder in DATA_PLATFORM_SPOOL"
        lines.append(f"the spool {service.spool.folder} cannot be written ({kept.problem}): {todo}; {end}")
    for reason in result.refused.values():
        lines.append(f"the service refused an event for good ({reason}); it is in {service.spool.folder}/refused")
    if result.needs_person:
        lines.append(f"{result.problem}; events wait in {service.spool.folder}")
    return lines


def _raise_problem(service: Service, kept: Kept, result: Forwarded) -> None:
    if result.loose:
        raise EnvironmentProblem(f"the event is lost: {kept.problem}, and {result.problem or 'it was refused'}")
    if kept.name in result.refused:
        raise UsageError(f"the service refused the event for good: {result.refused[kept.name]}")
    if result.problem:
        raise SourceUnavailableError(f"{result.problem}; the event waits in {service.spool.folder}")


def write_message(text: str) -> None:
    """Writes one line to standard error, if it is open."""
    try:
        sys.stderr.write(f"data-platform: {' '.join(text.split())}\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return
