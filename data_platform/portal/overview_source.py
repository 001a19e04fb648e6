"""Reads the overview, and keeps it for some seconds: at 10,000 datasets it takes longer than a page may (``kept``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.lateness import Progress
from data_platform.portal.kept import Kept
from data_platform.portal.overview import Facts, overview_of
from data_platform.signals.at_risk import find_at_risk
from data_platform.signals.due_today import find_due_today, find_there_now
from data_platform.signals.lateness import find_late

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.policies import Policies
    from data_platform.portal.overview import Overview
    from data_platform.portal.policy_source import PolicySource


KEPT_SECONDS = 15


def read_overview(policies: Policies, catalog: Catalog, now: datetime) -> Overview:
    """The run times that it takes to know what is at risk may be an hour old."""
    there = find_there_now(policies, catalog, now)
    present = Progress(present={urn: frozenset(partitions) for urn, partitions in there.items()})
    facts = Facts(
        at=now,
        policies=policies,
        certifications=catalog.certifications.all(),
        late=find_late(policies, catalog, now, present),
        at_risk=find_at_risk(policies, catalog, now, present=present, recent=True),
        due=find_due_today(policies, catalog, now, there),
        held=catalog.runs.held(),
        incidents=catalog.incidents.active(),
    )
    return overview_of(facts)


class OverviewSource:
    """Thread-safe."""

    def __init__(
        self,
        catalog: Catalog,
        policies: PolicySource,
        now: Callable[[], datetime],
        *,
        kept_seconds: float = KEPT_SECONDS,
    ) -> None:
        self._catalog, self._policies, self._now = catalog, policies, now
        self._kept: Kept[datetime | None, Overview] = Kept(self._read, kept_seconds=kept_seconds)

    def current(self) -> Overview:
        """The overview of now.

        Raises:
            ProblemError: 503, it is not read yet.
        """
        return self._kept.get(None)

    def as_of(self, moment: datetime) -> Overview:
        """What is known now, judged as if it were ``moment``. Raises: ProblemError, 503, it is not read yet."""
        return self._kept.get(moment)

    def begin(self, *, wait_seconds: float = 0) -> None:
        """Reads the overview, so that the first page has it. It goes on in the background after ``wait_seconds``."""
        self._kept.begin(None, wait_seconds=wait_seconds)

    def forget(self) -> None:
        """The next page reads a new overview, since somebody changed something."""
        self._kept.forget()

    def _read(self, moment: datetime | None) -> Overview:
        return read_overview(self._policies.wait(), self._catalog, moment or self._now())
