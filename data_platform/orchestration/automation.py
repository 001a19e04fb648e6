"""When Dagster starts a stage by itself: a delivery has arrived, or a certified view that is read has advanced.

Dagster's own ``eager`` looks at nothing but the latest day, so a day that was held and mended later would wake nobody.
Here any day of what is waited for wakes the same day. The stages of a dataset's day are one run, and so one Spark
session: each goes with the one before it, and Dagster stops it there if that one's gates do.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import dagster as dg

from data_platform.model.dataset import Stage
from data_platform.model.process import TriggerMode
from data_platform.orchestration.dagster_types import urn_of
from data_platform.policies import Dataset, Policies

_Condition = dg.AutomationCondition


def condition_of(
    policies: Policies, dataset: Dataset, stage: Stage, deps: Sequence[dg.AssetKey], *, delivered: bool
) -> dg.AutomationCondition[Any] | None:
    """Of ``stage``, which stands on ``deps``; ``delivered`` says that an asset tells of the dataset's deliveries.

    None if nothing but people and schedules start it.
    """
    if dataset.process is None:
        automated = delivered and bool(dataset.stages)
    else:
        automated = dataset.process.trigger is not TriggerMode.PROCESS
    if not automated:
        return None
    daily = dataset.policy.partition is not None
    datasets = {key: policies.dataset(urn_of(key)) for key in deps}
    by_day = [key for key in deps if datasets[key].policy.partition is not None]
    own = tuple(key for key in deps if datasets[key].urn == dataset.urn)
    if own:
        references = tuple(key for key in by_day if key not in own)
        return _on_delivery() if stage is dataset.stages[0] else _after(own, references)
    other = tuple(key for key in deps if (key in by_day) is not daily)
    external = tuple(key for key in deps if not datasets[key].stages)
    return _on_certification(other, external, daily=daily)


@cache
def _on_delivery() -> dg.AutomationCondition[Any]:
    """A delivery, and the end of its day if it came before that.

    Only a request of its own makes it forget a delivery, and one that is later than the request stands: bronze may have
    read the files of the one before. So a delivery that comes while bronze is made is taken next.
    """
    delivered = _Condition.any_deps_match(_Condition.newly_updated()).since(_Condition.newly_requested())
    over = _Condition.newly_missing().since_last_handled()
    found: dg.AutomationCondition[Any] = (
        (delivered | over) & ~_Condition.any_deps_missing() & ~_Condition.in_progress() & _green()
    )
    return found


@cache
def _after(own: tuple[dg.AssetKey, ...], references: tuple[dg.AssetKey, ...]) -> dg.AutomationCondition[Any]:
    """With the stage before, in one run, or after it, if that was run by itself; what gold refers to wakes nothing.

    Gold waits for a reference that is being made, so that it is not judged against yesterday's, and for one that was
    never certified. Of ``references``, which have days, none in particular is needed, so none is waited for.
    """
    stands_on = dg.AssetSelection.assets(*own)
    with_it = _Condition.any_deps_match(_Condition.will_be_requested()).allow(stands_on)
    after_it = _Condition.any_deps_match(_advanced()).allow(stands_on).since_last_handled()
    missing = _Condition.any_deps_missing()
    if references:
        missing = missing.ignore(dg.AssetSelection.assets(*references))
    found: dg.AutomationCondition[Any] = (with_it | after_it) & _free(missing)
    return found


@cache
def _on_certification(
    other: tuple[dg.AssetKey, ...], external: tuple[dg.AssetKey, ...], *, daily: bool
) -> dg.AutomationCondition[Any]:
    """Inputs are certified views, which are materialized only when a pointer advances: so this wakes on certification.

    It wakes once they have advanced, not with the run that is to make them: what is held there is not made here.
    ``other`` have days where the dataset has none, or the other way round. An input without days wakes the latest day
    only, and not all of the past. A dataset without days wakes with any day of its inputs, not only once every day of
    them is there.
    """
    trigger: Any = _Condition.any_deps_match(_advanced())
    missing = _Condition.any_deps_missing()
    if other and daily:
        same_day = trigger.ignore(dg.AssetSelection.assets(*other))
        trigger = same_day | (_Condition.in_latest_time_window() & trigger)
    elif other:
        missing = missing.ignore(dg.AssetSelection.assets(*other))
    being_made = _Condition.any_deps_match(_Condition.will_be_requested())
    woken = (trigger | _Condition.newly_missing()).since_last_handled()
    found: dg.AutomationCondition[Any] = woken & _free(missing) & ~being_made
    return found & _green().allow(dg.AssetSelection.assets(*external)) if external else found


def _advanced() -> Any:
    """Materialized anew, and not in a run that makes what stands on it as well."""
    return _Condition.newly_updated() & ~_Condition.executed_with_root_target()


def _free(missing: Any) -> Any:
    """Neither beside a run of it nor before its inputs are there, and at rest."""
    return ~missing & ~_Condition.any_deps_in_progress() & ~_Condition.in_progress()


def _green() -> Any:
    """Every check that is reported of what lives outside the platform has passed, for the day.

    Checks of our own stages are not asked: a stage that was held is not materialized, and so triggers nothing.
    """
    passed = _Condition.all_checks_match(_Condition.check_passed(), blocking_only=True)
    return _Condition.all_deps_match(passed).with_label("all_deps_green")
