"""The parts of the running portal that every page needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.api.service import service_of

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from data_platform.api.quarantine_command import QuarantineCommand
    from data_platform.model.root_cause import RootCause
    from data_platform.portal.kept import Kept
    from data_platform.portal.kpi_view import KpiView
    from data_platform.portal.onboarding_process import OnboardingDesk
    from data_platform.portal.overview_source import OverviewSource
    from data_platform.portal.policy_source import PolicySource
    from data_platform.portal.seal import Seal
    from data_platform.portal.session import Sessions


@dataclass(frozen=True, kw_only=True)
class Portal:
    """``verifications`` seals how far a verification of evidence has come; ``kpis`` has the key figures by days.
    ``causes`` has root causes by the number of an incident and the number of its changes.

    ``samples`` reads the first rows of a quarantine table. ``onboarding`` is None if this service has no home folder.
    ``dagster_url`` is the address of Dagster's UI without a slash at the end; None if it is not configured.
    """

    policies: PolicySource
    overviews: OverviewSource
    sessions: Sessions
    verifications: Seal
    samples: QuarantineCommand
    kpis: Kept[int, KpiView]
    causes: Kept[tuple[int, int], RootCause]
    onboarding: OnboardingDesk | None = None
    dagster_url: str | None = None


def root_cause_of(request: HTTPConnection, number: int) -> RootCause:
    """The root cause of an incident, at most a minute old, and never of a time before the last change of the incident.

    Raises:
        NotFoundError: There is no such incident.
    """
    changes = len(service_of(request).catalog.incidents.history(number))
    return portal_of(request).causes.get((number, changes))


def portal_of(request: HTTPConnection) -> Portal:
    portal: Portal = request.app.state.portal
    return portal
