"""Archives old runs and events in Parquet files, where they can still be queried; hourly and daily counts are kept.

``archive`` moves batches, each in one transaction that registers the files, counts the runs and deletes the rows. So a
row is either in its table or in a registered file, even if the process dies. ``reading`` queries the files.
"""

from data_platform.catalog.retention.archive import ArchiveReport, archive
from data_platform.catalog.retention.reading import find_archived_events, find_archived_run, find_archived_runs

__all__ = ["ArchiveReport", "archive", "find_archived_events", "find_archived_run", "find_archived_runs"]
