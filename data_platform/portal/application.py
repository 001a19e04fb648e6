"""Adds the portal to the application of the API. It only wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.portal import (
    approvals,
    backtest,
    dataset,
    datasets,
    evidence,
    incidents,
    kpis,
    lineage,
    onboarding,
    onboarding_action,
    policy,
    process,
    processes,
    quarantine,
    quarantine_action,
    run,
    sign_in,
    today,
    waivers,
    why,
)
from data_platform.portal.asset import ROOT, static_files
from data_platform.portal.error_page import add_error_pages
from data_platform.portal.kept import Kept
from data_platform.portal.kpi_view import read_kpi
from data_platform.portal.overview_source import KEPT_SECONDS, OverviewSource
from data_platform.portal.policy_source import PolicySource
from data_platform.portal.portal import Portal
from data_platform.portal.seal import Seal
from data_platform.portal.session import Sessions
from data_platform.signals.root_cause.gather import explain_incident

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from fastapi import FastAPI

    from data_platform.catalog import Catalog
    from data_platform.model.root_cause import RootCause
    from data_platform.portal.onboarding_process import OnboardingDesk

PARTS = (
    sign_in,
    today,
    datasets,
    dataset,
    why,
    policy,
    lineage,
    processes,
    process,
    run,
    incidents,
    evidence,
    quarantine,
    quarantine_action,
    onboarding,
    onboarding_action,
    approvals,
    kpis,
    waivers,
    backtest,
)
"""The modules that have pages."""
CAUSE_SECONDS, MOST_CAUSES = 10, 200
"""A page waits so long for a root cause, and so many are kept."""


def add_portal(
    app: FastAPI,
    catalog: Catalog,
    *,
    policies: Path | None,
    session_key: bytes,
    now: Callable[[], datetime],
    dagster_url: str | None = None,
    kept_seconds: float = KEPT_SECONDS,
    samples: QuarantineCommand | None = None,
    onboarding_desk: OnboardingDesk | None = None,
    wait_seconds: float = 0,
) -> None:
    """The pages are those of ``catalog`` and of the ``policies`` folder, and are kept for ``kept_seconds``.

    ``samples`` reads rows in quarantine; by default that is ``data-platform quarantine show``. ``onboarding_desk`` is
    where new datasets are profiled; None if they are not, here. The state of all datasets is read before this returns,
    unless that takes longer than ``wait_seconds``; then pages wait for it.
    """
    source = PolicySource(policies)
    overviews = OverviewSource(catalog, source, now, kept_seconds=kept_seconds)
    overviews.begin(wait_seconds=wait_seconds)
    app.state.portal = Portal(
        policies=source,
        overviews=overviews,
        sessions=Sessions(session_key),
        verifications=Seal(session_key, "verification"),
        samples=samples or QuarantineCommand("show"),
        kpis=Kept(lambda days: read_kpi(source.wait(), catalog, now(), days), kept_seconds=4 * kept_seconds),
        onboarding=onboarding_desk,
        causes=_causes(catalog, now, 4 * kept_seconds),
        dagster_url=dagster_url.rstrip("/") if dagster_url else None,
    )
    add_error_pages(app)
    for part in PARTS:
        app.include_router(part.router)
    app.mount(ROOT, static_files(), name="static")


def _causes(catalog: Catalog, now: Callable[[], datetime], kept_seconds: float) -> Kept[tuple[int, int], RootCause]:
    return Kept(
        lambda key: explain_incident(catalog, key[0], now=now()),
        kept_seconds=kept_seconds,
        wait_seconds=CAUSE_SECONDS,
        serves_old=False,
        most_kept=MOST_CAUSES,
    )
