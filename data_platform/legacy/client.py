"""One line in an existing script: ``register_process("AUTOSYS/BOX/JOB", "started")``.

Imports the standard library and little of it. Nothing here raises into the job unless it asks for it with ``strict``,
and no call takes longer than ``WAIT_SECONDS``. An event is on disk before it is sent, and leaves the disk when the
service has it; so what a dead service or a killed job leaves behind, the next call sends, or
``data-platform legacy forward``.

This module and ``wrapper`` read their variables themselves, at the call and never at import, since ``settings`` would
bring more than the standard library: ``DATA_PLATFORM_URL``, ``DATA_PLATFORM_TOKEN``, ``DATA_PLATFORM_SPOOL`` (a folder,
``~/.data_platform/spool``). ``settings`` knows their names. An argument counts more than a variable.
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
    from collections.abc import Callable, Iterable

    from data_platform.legacy.forward import Forwarded, Kept

    Made = tuple[dict[str, Any], str | None]

__all__ = ["register_dataset", "register_process", "service_of", "tell"]


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
    """Tell that a process started, runs, completed, failed or was aborted; the run's id, or None if nothing was told.

    Most scripts leave ``run_id`` out: the module of that name says which run is meant then. ``partition`` is the day
    that the run is of. ``error`` is kept without its secrets, ``seconds`` is the time limit of the call.

    Raises:
        UsageError: ``strict``, and an argument is wrong, or the service refused the event for good.
        SourceUnavailableError: ``strict``, and the event waits in the spool for a service that is away.
        EnvironmentProblem: ``strict``, and the event is lost, since neither disk nor service took it.
    """

    def made(service: Service) -> Made:
        kind, key = legacy_event.event_type(status), _process(name)
        read, written = ([legacy_event.mention(urn) for urn in _listed(urns)] for urns in (inputs, outputs))
        run = run_id_of(key, kind, os.environ, service.spool.folder, given=run_id and str(run_id))
        said = str(error) if error is not None else None
        day = legacy_event.day_facet(partition) if partition is not None else {}
        told = legacy_event.run_event(
            kind, key, run, time=legacy_event.now(), inputs=read, outputs=written, error=said, facets=day
        )
        return told, run

    return _register(made, (url, token, spool), seconds, strict=strict)


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
    """Tell that a version of a dataset is there; ``size`` is in bytes. The id of the run that made it, if one is known.

    ``partition`` is the day that it is of, such as ``2026-02-14``; a version that is a day itself needs none. It is an
    output of ``process``, or of the job that the wrapper has started, or of none. A status that is not "completed" is
    told of the dataset and makes no version.

    Raises:
        UsageError, SourceUnavailableError, EnvironmentProblem: As ``register_process``.
    """

    def made(service: Service) -> Made:
        kind = legacy_event.event_type(status)
        tag = f"{partition}/{version}" if partition is not None and version is not None else version or partition
        dataset = legacy_event.mention(name, version=tag, rows=rows, size=size, path=path)
        if kind != "COMPLETE":
            return legacy_event.dataset_event(
                legacy_event.dataset_status(dataset, kind, tag), time=legacy_event.now()
            ), None
        around = wrapped(os.environ)
        maker = _process(process) if process is not None else around and around[0]
        if maker is None:
            return legacy_event.dataset_event(dataset, time=legacy_event.now()), None
        run = run_id_of(maker, "OTHER", os.environ, service.spool.folder, given=run_id and str(run_id))
        return legacy_event.run_event("OTHER", maker, run, time=legacy_event.now(), outputs=[dataset]), run

    return _register(made, (url, token, spool), seconds, strict=strict)


def service_of(url: str | None = None, token: str | None = None, spool: str | None = None) -> Service:
    """Arguments, and for what is None the environment's variables."""
    folder = spool if spool is not None else os.environ.get("DATA_PLATFORM_SPOOL") or DEFAULT
    return Service(
        url=url if url is not None else os.environ.get("DATA_PLATFORM_URL", ""),
        token=token if token is not None else os.environ.get("DATA_PLATFORM_TOKEN", ""),
        spool=Spool(os.path.abspath(os.path.expanduser(folder))),
    )


def _process(name: str) -> str:
    """Raises: UsageError, if it is no process' name."""
    legacy_event.process_name(name)
    return name.strip()


def _listed(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _register(
    made: Callable[[Service], Made], where: tuple[str | None, ...], seconds: float, *, strict: bool
) -> str | None:
    try:
        service = service_of(*where)
        document, run = made(service)
        kept = keep_within(service.spool, legacy_event.body_of(document), seconds)
        result = forward_within(service, seconds, kept)
        _tell_trouble(service, kept, result)
        if strict:
            _raise_trouble(service, kept, result)
    except DataPlatformError as error:
        if strict:
            raise
        tell(f"nothing was told to the catalog: {error}")
        return None
    except Exception as error:  # whatever it is, the job that calls is more important
        if strict:
            raise
        tell(f"nothing was told to the catalog: unexpected {type(error).__name__}")
        return None
    return run


def _tell_trouble(service: Service, kept: Kept, result: Forwarded) -> None:
    for line in troubles(service, kept, result):
        tell(line)


def troubles(service: Service, kept: Kept, result: Forwarded) -> list[str]:
    """What somebody must do something about. That a service is away and an event waits for it is none."""
    found = []
    if kept.problem:
        end = "the event is lost" if result.loose else "the event was sent without it"
        todo = "make room, or name another folder in DATA_PLATFORM_SPOOL"
        found.append(f"the spool {service.spool.folder} cannot be written ({kept.problem}): {todo}; {end}")
    for why in result.refused.values():
        found.append(f"the service refused an event for good ({why}); it is in {service.spool.folder}/refused")
    if result.needs_person:
        found.append(f"{result.problem}; events wait in {service.spool.folder}")
    return found


def _raise_trouble(service: Service, kept: Kept, result: Forwarded) -> None:
    if result.loose:
        raise EnvironmentProblem(f"the event is lost: {kept.problem}, and {result.problem or 'it was refused'}")
    if kept.name in result.refused:
        raise UsageError(f"the service refused the event for good: {result.refused[kept.name]}")
    if result.problem:
        raise SourceUnavailableError(f"{result.problem}; the event waits in {service.spool.folder}")


def tell(text: str) -> None:
    """One line on standard error, if there is one."""
    try:
        sys.stderr.write(f"data-platform: {' '.join(text.split())}\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return
