"""All tables of the catalog in one place, for what goes over all of them: migrations' tests and printed DDL."""

from data_platform.catalog import access_table, arrival_table, legacy_table, lineage_table, registry_table, search_table
from data_platform.catalog.table import METADATA

__all__ = [
    "METADATA",
    "access_table",
    "arrival_table",
    "legacy_table",
    "lineage_table",
    "registry_table",
    "search_table",
]
