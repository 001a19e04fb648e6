"""One writer for each dataset: a run waits for the other to end, and takes over from one that is dead.

A lease lasts two minutes, and a thread renews it while its run is alive. So a killed run is detected at once on its own
machine, and two minutes later on any other. A waiting run reports what it waits for, and has a time limit.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError, LeaseHeldError, StoppedError
from data_platform.stage import lease_owner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.installation import Platform
    from data_platform.model.lease import Lease
    from data_platform.policies import Dataset

LOG = logging.getLogger(__name__)
POLL_SECONDS = 1.0
REPORT_SECONDS = 30.0
RENEWALS = 6
"""How often a lease is renewed within its lifetime: the catalog may be away for a while, and a process may be slow."""


class Held:
    """Leases that are renewed until ``end``: of one subject, or of several together."""

    def __init__(self, platform: Platform, subjects: str | Sequence[str], me: str) -> None:
        self._platform, self._me = platform, me
        self._subjects = (subjects,) if isinstance(subjects, str) else tuple(subjects)
        self._names = ", ".join(self._subjects)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew_on, name=f"lease {self._names}", daemon=True)
        self._thread.start()

    def confirm(self) -> None:
        """Checks before a write that this run still has the lease; a machine that slept may have lost it.

        Raises:
            LeaseHeldError: Another run has taken it over.
        """
        if not self._renew():
            raise LeaseHeldError(
                f"{self._names} was taken over by another run, since this one had not renewed its lease for "
                f"{self._platform.settings.lease.total_seconds():.0f} seconds: nothing more was written; run again"
            )

    def end(self, *, release: bool = True) -> None:
        self._ended.set()
        self._thread.join()
        if release:
            self._platform.catalog.leases.release_all(self._subjects, owner=self._me)

    def _renew(self) -> bool:
        platform = self._platform
        return platform.catalog.leases.renew_all(
            self._subjects, owner=self._me, now=platform.now(), ttl=platform.settings.lease
        )

    def _renew_on(self) -> None:
        while not self._ended.wait(self._platform.settings.lease.total_seconds() / RENEWALS):
            try:
                if not self._renew():
                    return  # ``confirm`` detects it before the next write
            except DataPlatformError as error:
                LOG.warning("the lease of %s was not renewed, and is tried again: %s", self._names, error)


@contextmanager
def leased(platform: Platform, dataset: Dataset, run_id: str) -> Iterator[Held]:
    """Allows one writer for each dataset: waits for the other to end, and takes over from one that is dead.

    Raises:
        LeaseHeldError: The other did not end within ``settings.lease_wait``.
        StoppedError: A signal ended this process while it waited.
    """
    me = lease_owner.this_process(run_id)
    _take(platform, dataset, me)
    held = Held(platform, dataset.urn, me)
    try:
        platform.on_step("lease", {"dataset": dataset.urn})
        yield held
    finally:
        held.end()


@contextmanager
def leased_together(platform: Platform, datasets: Sequence[Dataset], run_id: str) -> Iterator[Held]:
    """The leases of all ``datasets``, which are in the order of their URNs: two that wait for each other never do.

    Raises:
        LeaseHeldError, StoppedError: As ``leased``; then no lease is kept.
    """
    me, urns = lease_owner.this_process(run_id), [dataset.urn for dataset in datasets]
    leases = platform.catalog.leases
    try:
        try:
            leases.take_all(urns, owner=me, now=platform.now(), ttl=platform.settings.lease)
        except LeaseHeldError:
            for dataset in datasets:
                _take(platform, dataset, me)
            if not leases.renew_all(urns, owner=me, now=platform.now(), ttl=platform.settings.lease):
                raise LeaseHeldError(f"a lease of {', '.join(urns)} ended while others were waited for") from None
        held = Held(platform, urns, me)
    except BaseException:
        leases.release_all(urns, owner=me)
        raise
    try:
        platform.on_step("leases", {"dataset": urns[-1]})
        yield held
    finally:
        held.end()


def _take(platform: Platform, dataset: Dataset, me: str) -> None:
    catalog, settings = platform.catalog, platform.settings
    started, reported = time.monotonic(), -REPORT_SECONDS
    while True:
        try:
            catalog.leases.take(dataset.urn, owner=me, now=platform.now(), ttl=settings.lease)
            return
        except LeaseHeldError as error:
            other = catalog.leases.get(dataset.urn)
            if other and free_if_dead(platform, other):
                continue
            waited = time.monotonic() - started
            if waited >= settings.lease_wait.total_seconds():
                raise LeaseHeldError(
                    f"{error}; waited {waited:.0f} seconds, DATA_PLATFORM_LEASE_WAIT_SECONDS sets how long"
                ) from None
            if other and waited - reported >= REPORT_SECONDS:
                reported = waited
                _report(platform, dataset, other, waited)
            if platform.stopping.wait(POLL_SECONDS):
                raise StoppedError(f"stopped while {dataset.urn} was waited for") from None


def free_if_dead(platform: Platform, lease: Lease) -> bool:
    """Releases the lease of a process of this machine that has ended, so that its successor need not wait."""
    if not lease_owner.is_dead(lease.owner):
        return False
    platform.catalog.leases.release(lease.subject, owner=lease.owner)
    message = f"{lease_owner.described(lease.owner)} is dead; its lease of {lease.subject} was freed"
    platform.on_step("freed", {"dataset": lease.subject, "message": message})
    return True


def _report(platform: Platform, dataset: Dataset, other: Lease, waited: float) -> None:
    limit = platform.settings.lease_wait.total_seconds()
    message = (
        f"waiting for {lease_owner.described(other.owner)}, which has been writing {dataset.urn} since "
        f"{other.taken_at:%Y-%m-%d %H:%M:%S} UTC; waited {waited:.0f} of at most {limit:.0f} seconds"
    )
    platform.on_step("waiting", {"dataset": dataset.urn, "for": other.owner, "message": message})
