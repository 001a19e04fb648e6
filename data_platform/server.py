"""The application of the catalog's HTTP service and the portal. It only wires; ``data-platform serve`` runs it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from data_platform.api.application import build
from data_platform.api.service import Limits
from data_platform.catalog import open_catalog
from data_platform.errors import EnvironmentProblem
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.key_file import make_key
from data_platform.portal.application import add_portal
from data_platform.portal.long_lived import settle
from data_platform.portal.onboarding_process import OnboardingDesk
from data_platform.settings import read_settings

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi import FastAPI


SESSION_KEY = "portal.key"
"""The file of the key that signs sessions, in the home folder."""
WARM_SECONDS = 10
"""The service accepts connections once the first page is ready, and at most so much later: senders must not wait."""


def create() -> FastAPI:
    """Builds the application on the catalog from the environment's settings; for ``uvicorn --factory``."""
    settings = read_settings()
    limits = Limits(event_bytes=settings.max_event_bytes, batch_bytes=settings.max_batch_bytes)
    topic = settings.kafka_topic if settings.kafka_bootstrap else None
    catalog = open_catalog(settings.catalog_url, EvidenceKeys(settings.evidence_key))
    app = build(catalog, limits, policies=settings.policies, evidence_topic=topic, pii_keys=settings.pii_keys)
    add_portal(
        app,
        catalog,
        policies=settings.policies,
        session_key=_session_key(settings.home / SESSION_KEY),
        now=lambda: datetime.now(UTC),
        dagster_url=settings.dagster_url,
        onboarding_desk=OnboardingDesk(home=settings.home, landing=settings.landing, policies=settings.policies),
        wait_seconds=WARM_SECONDS,
    )
    settle()
    return app


def create_with_tools() -> FastAPI:
    """The same with the tools of assistants at ``/mcp``; their package is imported only here."""
    from data_platform.mcp_service.http import add_tools

    app = create()
    add_tools(app)
    return app


def _session_key(file: Path) -> bytes:
    """The key that signs sessions; the first start creates it.

    Raises:
        EnvironmentProblem: The file cannot be made.
    """
    try:
        return make_key(file)[0]
    except OSError as error:
        raise EnvironmentProblem(
            f"the key of sessions {file} cannot be made: {error.strerror}; set DATA_PLATFORM_HOME to a folder that can "
            "be written"
        ) from None
