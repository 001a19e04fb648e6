"""The application of the catalog's HTTP service. It only wires; ``data-platform serve`` runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.application import build
from data_platform.api.service import Limits
from data_platform.catalog import open_catalog
from data_platform.settings import read_settings

if TYPE_CHECKING:
    from fastapi import FastAPI


def create() -> FastAPI:
    """Builds the application on the catalog from the environment's settings; for ``uvicorn --factory``."""
    settings = read_settings()
    limits = Limits(event_bytes=settings.max_event_bytes, batch_bytes=settings.max_batch_bytes)
    topic = settings.kafka_topic if settings.kafka_bootstrap else None
    return build(
        open_catalog(settings.catalog_url),
        limits,
        policies=settings.policies,
        evidence_topic=topic,
        pii_keys=settings.pii_keys,
    )
