"""The platform's catalog in SQLite or PostgreSQL: verdicts, certified versions, leases, datasets and lineage.

Only this package runs SQL against it. Rows of datasets are not in the catalog; they are in the lake.
"""

from data_platform.catalog.store import Catalog, open_catalog

__all__ = ["Catalog", "open_catalog"]
