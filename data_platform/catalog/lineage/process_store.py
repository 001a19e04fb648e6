"""``catalog.processes``: lists of processes with their newest runs, and what is around a run.

``catalog.lineage`` has the page of one process, its runs, and the run itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.lineage import last_run, process_list, run_relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.catalog.database import Database
    from data_platform.model.process_page import LastRun, ListedProcess, ProcessRun, RunRelations


class Processes:
    """May be used from several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def listed(self, words: str = "", *, internal: bool = False) -> tuple[ListedProcess, ...]:
        """All processes whose key, team, technology or description has each of ``words``, in the order of keys.

        ``internal`` adds the jobs of single stages and steps of the platform's datasets.
        """
        with self._database.reading() as connection:
            return process_list.find_processes(connection, words.split(), internal=internal)

    def last_runs(self, processes: Iterable[int]) -> dict[int, LastRun]:
        """The newest run of each process, by the ids of the processes; those that never ran are left out."""
        with self._database.reading() as connection:
            return last_run.find_last_runs(connection, processes)

    def around(self, run: ProcessRun) -> RunRelations:
        """The events of a run, its parent, its children, and the other attempts at the same work."""
        with self._database.reading() as connection:
            return run_relation.find_relations(connection, run)
