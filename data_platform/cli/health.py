"""``data-platform signals health``: how healthy each dataset is, and which part costs it most. No Spark."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data_platform.model.health import DatasetHealth, GroupHealth, PartScore

_GOOD, _FAIR = 95, 80


class GroupBy(StrEnum):
    DATASET = "dataset"
    OWNER = "owner"
    ZONE = "zone"


def health(
    datasets: Annotated[
        list[str] | None, typer.Argument(metavar="[DATASET]...", help="A name, zone/name or ds://zone/name; or all.")
    ] = None,
    *,
    by: Annotated[GroupBy, typer.Option("--by", help="dataset, owner or zone.")] = GroupBy.DATASET,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="So many last days count.")] = 14,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show how healthy datasets are, the worst first: a score from 0 to 100, and what it is made of.

    Certified days and days in time weigh three each, the contract two, columns, personal data and quality one each.
    What does not apply is left out.

    Examples:

    data-platform signals health

    data-platform signals health flights --json

    data-platform signals health --by owner
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.health import find_health, rolled_up

        urns = None if not datasets else [platform.policies.dataset(name).urn for name in datasets]
        found = find_health(platform.policies, platform.catalog, platform.now(), datasets=urns, days=days)
        if by is GroupBy.DATASET:
            screen.print_json([_document(one) for one in found]) if as_json else _print(found)
        else:
            groups = rolled_up(found, _NAMES[by])
            screen.print_json([asdict(one) for one in groups]) if as_json else _print_groups(groups, by)


_NAMES: dict[GroupBy, Callable[[DatasetHealth], str]] = {
    GroupBy.OWNER: lambda one: one.owner_team,
    GroupBy.ZONE: lambda one: one.zone,
}


def _document(one: DatasetHealth) -> dict[str, Any]:
    return {**asdict(one), "worst": one.worst.part if one.worst else None}


def _print(found: Sequence[DatasetHealth]) -> None:
    rows = [[one.dataset, _score(one.score), *_shown(one.worst), one.owner_team, one.tier] for one in found]
    columns = ("dataset", "score", "costs most", "good days", "look at", "owner", "tier")
    screen.print_table(screen.out(), columns, rows, empty="no dataset is declared")


def _shown(part: PartScore | None) -> tuple[str, str, str]:
    if part is None:
        return "", "", ""
    return f"{part.part} {part.score:.0%}", f"{part.good} of {part.of}", part.hint


def _print_groups(groups: Sequence[GroupHealth], by: GroupBy) -> None:
    rows = [[one.name, _score(one.score), one.datasets, one.worst or "", _score(one.worst_score)] for one in groups]
    columns = (by.value, "score", "datasets", "worst dataset", "its score")
    screen.print_table(screen.out(), columns, rows, empty="no dataset is declared")


def _score(score: float | None) -> object:
    if score is None:
        return "unknown"
    return screen.styled(f"{score:.1f}", "green" if score >= _GOOD else "yellow" if score >= _FAIR else "red")
