"""Records in the catalog that Dagster's daemon runs, and which schedules and sensors of this location are switched off.

So that a late day can be explained while no process of Dagster runs.
"""

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorState, InstigatorStatus

from data_platform.installation import Platform
from data_platform.orchestration.job import LOCATION


def record_scheduler(platform: Platform, instance: dg.DagsterInstance) -> None:
    storage = instance.schedule_storage  # None in an instance in memory, which has no daemon
    states = storage.all_instigator_state(instigator_statuses={InstigatorStatus.STOPPED}) if storage else ()
    off = {state.instigator_name for state in states if _is_ours(state)}
    platform.catalog.scheduler.record(off, now=platform.now())


def _is_ours(state: InstigatorState) -> bool:
    return state.origin.repository_origin.code_location_origin.location_name == LOCATION
