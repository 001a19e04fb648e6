"""What is old goes out of the hot tables into Parquet files, and is still found there; hourly and daily counts stay.

``archive`` moves, batch by batch, each in one transaction that registers the files, counts the runs and deletes the
rows: so a row is either in its table or in a registered file, whenever the process dies. ``reading`` finds them again.
"""

from data_platform.catalog.retention.archive import ArchiveReport, archive
from data_platform.catalog.retention.reading import find_archived_events, find_archived_run, find_archived_runs

__all__ = ["ArchiveReport", "archive", "find_archived_events", "find_archived_run", "find_archived_runs"]
