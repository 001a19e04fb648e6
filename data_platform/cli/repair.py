"""``reconcile`` rolls back what a run that died left unjudged; ``rekey`` goes on after a key was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.errors import UsageError
from data_platform.model.run import new_run_id
from data_platform.pipeline import holder, token_key
from data_platform.pipeline.lease import leased
from data_platform.pipeline.reconcile import reconcile

if TYPE_CHECKING:
    from data_platform.model.lease import Lease
    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset


def reconcile_selected(platform: Platform, name: str | None, *, as_json: bool) -> None:
    """Of one dataset, or of all that something is left of; and Dagster runs that are dead.

    Raises:
        UsageError: No dataset is called so, or the platform does not write it.
        LeaseHeldError: A run is writing the dataset now, so it is not dead.
    """
    platform.on_step = screen.print_message
    selected = _selected(platform, name)
    runs = _end_dead_runs(platform)
    told = {dataset.urn: _reconcile(platform, dataset) for dataset in selected}
    if as_json:
        left = [{"dataset": urn, "found": found} for urn, found in told.items()]
        screen.print_json([*left, *({"dagster_run": message} for message in runs)])
        return
    sentences = [*runs, *(sentence for found in told.values() for sentence in found)]
    for sentence in sentences or ["nothing was left behind"]:
        screen.out().print(sentence, markup=False, soft_wrap=True)


def _end_dead_runs(platform: Platform) -> list[str]:
    """Dagster is loaded only if a run has left something, since that takes a second."""
    from data_platform.orchestration.instance import opened_instance
    from data_platform.orchestration.liveness import PREFIX, end_dead_runs

    if not any(lease.subject.startswith(PREFIX) for lease in platform.catalog.leases()):
        return []
    with opened_instance(platform.settings) as instance:
        return end_dead_runs(platform, instance)


def rekey_dataset(platform: Platform, name: str, *, as_json: bool) -> None:
    """Raises: UsageError, if the dataset has no tokens."""
    dataset = platform.policies.dataset(name)
    if not token_key.tokenizes(dataset):
        raise UsageError(f"{dataset.urn} has no rule with the action tokenize, so no key is needed for it")
    accepted = token_key.accept(platform, dataset, new_run_id(platform.now()))
    if as_json:
        screen.print_json({"dataset": dataset.urn, "token_key": accepted})
        return
    screen.out().print(
        f"{dataset.urn} goes on with key {accepted}. Tokens of the old key stay in the days that were written with it "
        "until you run those days again",
        markup=False,
    )


def _selected(platform: Platform, name: str | None) -> list[Dataset]:
    if name is not None:
        dataset = platform.policies.dataset(name)
        if not dataset.stages:
            raise UsageError(f"{dataset.urn} is external: the platform does not write it, so nothing can be left of it")
        return [dataset]
    left = {intent.dataset_urn for intent in platform.catalog.open_intents()}
    left |= {lease.subject for lease in platform.catalog.leases() if _is_over(platform, lease)}
    return [dataset for dataset in platform.policies.datasets if dataset.urn in left]


def _is_over(platform: Platform, lease: Lease) -> bool:
    return holder.is_dead(lease.holder) or lease.expires_at <= platform.now()


def _reconcile(platform: Platform, dataset: Dataset) -> list[str]:
    with leased(platform, dataset, new_run_id(platform.now())):
        return reconcile(platform, dataset)
