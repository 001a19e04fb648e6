"""All tables of the catalog, for code that needs every table: the tests of migrations, and the printed DDL."""

from data_platform.catalog import (
    access_table,
    alert_table,
    arrival_table,
    deployment_table,
    evidence_table,
    incident_table,
    legacy_table,
    lineage_table,
    onboarding_table,
    publication_table,
    quarantine_table,
    registry_table,
    scheduler_table,
    search_table,
    source_interval_table,
    waiver_table,
)
from data_platform.catalog.table import METADATA

__all__ = [
    "METADATA",
    "access_table",
    "alert_table",
    "arrival_table",
    "deployment_table",
    "evidence_table",
    "incident_table",
    "legacy_table",
    "lineage_table",
    "onboarding_table",
    "publication_table",
    "quarantine_table",
    "registry_table",
    "scheduler_table",
    "search_table",
    "source_interval_table",
    "waiver_table",
]
