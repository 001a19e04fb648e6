"""The parts of the running portal that every page needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from data_platform.api.quarantine_command import QuarantineCommand
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

    ``samples`` reads the first rows of a quarantine table. ``onboarding`` is None if this service has no home folder.
    ``dagster_url`` is the address of Dagster's UI without a slash at the end; None if it is not configured.
    """

    policies: PolicySource
    overviews: OverviewSource
    sessions: Sessions
    verifications: Seal
    samples: QuarantineCommand
    kpis: Kept[int, KpiView]
    onboarding: OnboardingDesk | None = None
    dagster_url: str | None = None


def portal_of(request: HTTPConnection) -> Portal:
    portal: Portal = request.app.state.portal
    return portal
