"""The durations of the last runs of stages and of jobs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import DateTime, func, select, type_coerce

from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import PROCESS
from data_platform.catalog.stage_time import NewRuns
from data_platform.catalog.table import RUN
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.dataset import Stage
from data_platform.model.lineage import RunState
from data_platform.model.run_time import MOST_RUNS, RunTime, run_time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta
    from typing import TypeVar

    from sqlalchemy.engine import Connection

    Key = TypeVar("Key")


def find_stage_times(connection: Connection, urns: Iterable[str]) -> dict[tuple[str, Stage], RunTime]:
    """How long each stage takes; without those that have run too seldom."""
    newest = func.row_number().over(partition_by=(RUN.c.dataset_urn, RUN.c.stage), order_by=RUN.c.id.desc())
    # both times are read as the driver has them: a million of them are too many for ``UtcTime``
    times = (type_coerce(RUN.c[name], DateTime).label(name) for name in ("started_at", "finished_at"))
    of_datasets = select(RUN.c.dataset_urn, RUN.c.stage, *times, newest.label("place"))
    last = of_datasets.where(RUN.c.dataset_urn.in_(WANTED)).subquery()
    durations = defaultdict(list)
    for row in rows_of(connection, select(last).where(last.c.place <= MOST_RUNS), urns):
        urn, stage, started_at, finished_at, _ = tuple(row)
        durations[urn, stage].append(finished_at - started_at)
    return {(urn, Stage(stage)): time for (urn, stage), time in _times(durations).items()}


def find_new_runs(connection: Connection, after: int | None) -> NewRuns:
    """The datasets with a stage that ended after the run with this number; none if it is None."""
    newest = connection.scalar(select(func.max(RUN.c.id))) or 0
    if after is None or newest == after:
        return NewRuns(newest)
    query = select(RUN.c.dataset_urn).distinct().where(RUN.c.id > after)
    return NewRuns(newest, frozenset(connection.scalars(query)))


def find_job_times(connection: Connection, processes: Iterable[str]) -> dict[str, RunTime]:
    """How long each job takes by its completed runs."""
    newest = func.row_number().over(partition_by=PROCESS_RUN.c.process_id, order_by=PROCESS_RUN.c.end_ts.desc())
    of_jobs = (
        select(PROCESS.c.process_key, PROCESS_RUN.c.start_ts, PROCESS_RUN.c.end_ts, newest.label("place"))
        .join(PROCESS_RUN, PROCESS_RUN.c.process_id == PROCESS.c.process_id)
        .where(
            PROCESS.c.process_key.in_(WANTED),
            PROCESS_RUN.c.status == RunState.COMPLETED.value,
            PROCESS_RUN.c.historical.is_(False),
            PROCESS_RUN.c.start_ts.is_not(None),
            PROCESS_RUN.c.end_ts >= PROCESS_RUN.c.start_ts,
        )
        .subquery()
    )
    durations = defaultdict(list)
    for row in rows_of(connection, select(of_jobs).where(of_jobs.c.place <= MOST_RUNS), processes):
        durations[row.process_key].append(row.end_ts - row.start_ts)
    return _times(durations)


def _times(durations: Mapping[Key, list[timedelta]]) -> dict[Key, RunTime]:
    found = {key: run_time_of(listed) for key, listed in durations.items()}
    return {key: time for key, time in found.items() if time is not None}
