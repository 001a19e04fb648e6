"""Checks that a run planned and never reached.

Dagster plans every check of a run at its start. Once the run has failed, it shows each check that was not reached as
"Execution failed", over the check's earlier result: a day held at bronze would mark gold as failed, although no gate
judged it. So at the end of the run the plan of each step that never started is removed. A step that started and broke
keeps its plan: there the execution did fail. The run's own events stay as they are, and the run can still be
re-executed from failure.
"""

from collections import defaultdict

import dagster as dg
import sqlalchemy as sa
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage

_PLANNED = dg.DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED
_STARTED = dg.DagsterEventType.STEP_START


def forget_unreached_checks(instance: dg.DagsterInstance, run_id: str) -> None:
    """Removes from the checks of ``run_id`` those of steps that never started; call it when no more will start."""
    storage = instance.event_log_storage
    unreached = _unreached_checks(instance, run_id)
    if not unreached or not isinstance(storage, SqlEventLogStorage):
        return
    plans = AssetCheckExecutionsTable
    of_run = plans.c.run_id == run_id
    is_plan = plans.c.execution_status == AssetCheckExecutionRecordStatus.PLANNED.value
    with storage.index_connection() as connection:
        for key in unreached:
            of_check = (plans.c.asset_key == key.asset_key.to_string()) & (plans.c.check_name == key.name)
            connection.execute(sa.delete(plans).where(of_run, of_check, is_plan))


def _unreached_checks(instance: dg.DagsterInstance, run_id: str) -> list[dg.AssetCheckKey]:
    planned: dict[str | None, list[dg.AssetCheckKey]] = defaultdict(list)
    started: set[str | None] = set()
    for entry in instance.all_logs(run_id, of_type={_PLANNED, _STARTED}):
        event = entry.get_dagster_event()
        if event.event_type is _STARTED:
            started.add(event.step_key)
        else:
            planned[event.step_key].append(event.asset_check_planned_data.asset_check_key)
    return [key for step, keys in planned.items() if step not in started for key in keys]
