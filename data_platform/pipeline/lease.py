"""One writer a dataset: a run waits for the other to end, and takes over from one that is dead."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.errors import LeaseHeldError
from data_platform.pipeline import holder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset

POLL_SECONDS = 1.0


@contextmanager
def leased(platform: Platform, dataset: Dataset, run_id: str) -> Iterator[None]:
    """One writer a dataset: wait for the other to end, and take over from one that is dead."""
    catalog, settings = platform.catalog, platform.settings
    me = holder.of(run_id)
    give_up = time.monotonic() + settings.lease_wait.total_seconds()
    while True:
        try:
            catalog.take_lease(dataset.urn, holder=me, now=platform.now(), ttl=settings.lease)
            break
        except LeaseHeldError:
            other = catalog.lease_holder(dataset.urn)
            if other and holder.is_dead(other):
                catalog.release_lease(dataset.urn, holder=other)
                continue
            if time.monotonic() >= give_up:
                raise
            platform.on_step("waiting", {"dataset": dataset.urn, "for": other or "another run"})
            time.sleep(POLL_SECONDS)
    platform.on_step("lease", {"dataset": dataset.urn})
    try:
        yield
    finally:
        catalog.release_lease(dataset.urn, holder=me)
