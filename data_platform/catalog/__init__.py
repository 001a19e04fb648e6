"""What was judged, what was shown, and who is writing: the platform's memory, in SQLite or PostgreSQL.

SQL against it exists only in this package. Rows of datasets are not here; they are in the lake.
"""

from data_platform.catalog.store import Catalog, open_catalog

__all__ = ["Catalog", "open_catalog"]
