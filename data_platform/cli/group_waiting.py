"""Versions that passed, and wait for the other members of their publish group, for ``status`` and ``certified``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.model.number_text import number_of
from data_platform.stage.group import rule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from data_platform.installation import Platform
    from data_platform.model.group_waiting import Waiting
    from data_platform.policies import Dataset

SHOWN = 3
"""How many versions of a dataset are printed; ``--json`` has all of them."""


def waiting_versions(platform: Platform) -> dict[str, list[Waiting]]:
    """Maps each dataset that has a version which waits to these, oldest first, by the policies as they are now."""
    found: dict[str, list[Waiting]] = {}
    for urn in platform.catalog.publications.waiting_urns():
        dataset = platform.policies.find(urn)
        if urn in found or dataset is None or not dataset.stages:
            continue
        for one in waiting_of(platform, dataset):
            found.setdefault(one.dataset_urn, []).append(one)
    return found


def waiting_of(platform: Platform, dataset: Dataset) -> tuple[Waiting, ...]:
    """The versions that wait, of the dataset and of the other members of its group."""
    rule = rule_of(platform, dataset)
    return platform.catalog.publications.state(rule, now=platform.now()).waiting if rule is not None else ()


def print_waiting_versions(waiting: Mapping[str, Sequence[Waiting]]) -> None:
    """Prints a line for each of the oldest ones, and how many more wait."""
    for urn, versions in waiting.items():
        for one in versions[:SHOWN]:
            name = f"{urn} {one.partition or ''}".rstrip()
            line = f"{name} passed in {one.run_id}, and {one.reason}"
            screen.out().print(line, markup=False, soft_wrap=True, style="yellow")
        if (more := len(versions) - SHOWN) > 0:
            line = f"{urn}: {number_of(more, 'more version')} wait for publish group {versions[0].group}"
            screen.out().print(line, markup=False, soft_wrap=True, style="yellow")


def documents(waiting: Iterable[Waiting]) -> list[dict[str, object]]:
    """As JSON."""
    return [{**screen.plain(one), "reason": one.reason} for one in waiting]
