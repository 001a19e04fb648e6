"""``reconcile`` rolls back what a run that died left unjudged; ``rekey`` goes on after a key was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.errors import UsageError
from data_platform.model.run import new_run_id
from data_platform.pipeline import token_key
from data_platform.pipeline.lease import leased
from data_platform.pipeline.reconcile import reconcile

if TYPE_CHECKING:
    from collections.abc import Callable

    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset


def reconcile_selected(platform: Platform, name: str | None, *, as_json: bool) -> None:
    """Of one dataset, or of all that something is left of.

    Raises:
        UsageError: No dataset is called so, or the platform does not write it.
        LeaseHeldError: A run is writing the dataset now, so it is not dead.
    """
    if not as_json:
        platform.on_step = _waiting()
    told = {dataset.urn: _reconcile(platform, dataset) for dataset in _selected(platform, name)}
    if as_json:
        screen.print_json([{"dataset": urn, "found": found} for urn, found in told.items()])
        return
    sentences = [sentence for found in told.values() for sentence in found]
    for sentence in sentences or ["nothing was left behind"]:
        screen.out().print(sentence, markup=False)


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
    return [dataset for dataset in platform.policies.datasets if dataset.urn in left]


def _reconcile(platform: Platform, dataset: Dataset) -> list[str]:
    with leased(platform, dataset, new_run_id(platform.now())):
        return reconcile(platform, dataset)


def _waiting() -> Callable[[str, dict[str, Any]], None]:
    """Says once for each dataset that its writer is waited for."""
    said: set[str] = set()

    def hear(step: str, told: dict[str, Any]) -> None:
        if step == "waiting" and told["dataset"] not in said:
            said.add(told["dataset"])
            screen.err().print(f"waiting for {told['for']}, which is writing {told['dataset']}", markup=False)

    return hear
