"""Catalogs of both databases."""

from data_platform_tests.catalog.conftest import catalog, catalog_url

__all__ = ["catalog", "catalog_url"]
