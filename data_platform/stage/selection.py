"""Which datasets a command selects, and in what order they must run.

``flights`` (as long as one zone has it), ``ds://zone/name``, ``zone/name``, ``zone:ops``, ``category:x``, ``tag:x``,
``*``; a ``+`` in front adds everything upstream. A DRAFT runs only if it is selected by its own name. An empty
selection is refused: Dagster's own command would then run everything.
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.policy import DatasetStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data_platform.policies import Dataset, Policies

NO_DATASETS = (
    "there are no datasets: write datasets/<zone>/<name>/dataset.yaml in the policies folder, which"
    " `data-platform init` does for you, or set DATA_PLATFORM_POLICIES to the folder that has them"
)
_LABELS: dict[str, Callable[[Dataset], tuple[str, ...]]] = {
    "zone": lambda dataset: (dataset.id.zone,),
    "tag": lambda dataset: dataset.policy.tags,
    "category": lambda dataset: (dataset.policy.category,),
}


def select(policies: Policies, words: Sequence[str]) -> tuple[Dataset, ...]:
    """The datasets that all ``words`` select, upstream first; external ones are left out.

    Raises:
        UsageError: A word matches nothing, or matches only external datasets.
    """
    chosen: dict[str, Dataset] = {}
    for selector in [part for text in words for part in text.replace(",", " ").split()]:
        for dataset in _matching(policies, selector):
            chosen[dataset.urn] = dataset
    runnable = {urn: dataset for urn, dataset in chosen.items() if dataset.stages}
    if not policies.datasets:
        raise UsageError(NO_DATASETS)
    if not runnable:
        raise UsageError(
            "the selection names no dataset that the platform runs: name one by its table or URN, or * for all"
        )
    return tuple(runnable[urn] for urn in upstream_first(policies) if urn in runnable)


def upstream_first(policies: Policies) -> tuple[str, ...]:
    """The URNs of all datasets, each after those that a run of it reads."""
    return tuple(TopologicalSorter({d.urn: upstream(d) for d in policies.datasets}).static_order())


def upstream(dataset: Dataset) -> set[str]:
    """URNs of the certified views that a run of ``dataset`` reads."""
    inputs = {item.dataset for item in dataset.process.inputs} if dataset.process else set()
    return (inputs | {reference.dataset for reference in dataset.bundle.contract.references}) - {dataset.urn}


def _matching(policies: Policies, selector: str) -> list[Dataset]:
    if selector.startswith("+"):
        level = _matching(policies, selector[1:])
        seen = {dataset.urn: dataset for dataset in level}
        while level:
            above = [policies.dataset(urn) for dataset in level for urn in upstream(dataset)]
            level = [dataset for dataset in above if dataset.urn not in seen]
            seen.update({dataset.urn: dataset for dataset in level})
        return list(seen.values())
    in_use = [dataset for dataset in policies.datasets if dataset.policy.status is not DatasetStatus.DRAFT]
    if selector == "*":
        return in_use
    kind, _, value = selector.partition(":")
    if kind in _LABELS and value:
        matched = [dataset for dataset in in_use if value in _LABELS[kind](dataset)]
        if not matched:
            raise UsageError(f"{selector} matches no dataset: see `data-platform status` for all")
        return matched
    return [policies.dataset(selector)]
