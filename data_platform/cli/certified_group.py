"""``data-platform certified --group``: the versions of all members that belong together, read in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from data_platform.cli import screen
from data_platform.cli.group_waiting import documents, print_waiting_versions, waiting_of
from data_platform.cli.guard import HELD
from data_platform.cli.recorded_dataset import certified_name
from data_platform.cli.status import exit_if_damaged, time, version
from data_platform.errors import UsageError
from data_platform.lake.presence import find_damage
from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.publication import PublishedVersion
    from data_platform.model.publish_group import PublishGroup


def show_group(platform: Platform, name: str, day: PartitionKey | None, *, as_json: bool) -> None:
    """Shows what consumers see of the group's members at one moment.

    Raises:
        UsageError: There is no such group, or ``day`` is none of its days.
        Exit: With 3, if ``day`` is not certified for each member that has it; with 1, if files are missing.
    """
    group = platform.policies.group(name)
    lacking = _lacking(platform, group, day) if day is not None else []
    published = platform.catalog.publications.published(group.name, members=group.members)
    waiting = waiting_of(platform, platform.policies.dataset(group.members[0]))
    damage = {one.dataset_urn: _damage(one) for one in published.members}
    if as_json:
        members = [{**screen.plain(one), "damage": damage[one.dataset_urn]} for one in published.members]
        own = {"partition": day, "lacking": lacking} if day is not None else {}
        rest = {"members": members, "waiting": documents(waiting), **own}
        screen.print_json({**screen.plain(published), **rest})
    else:
        _print(platform, published.members, waiting)
        if published.publication:
            line = f"publication {published.publication} at {time(published.published_at)} (UTC)"
            screen.out().print(line, markup=False)
        if lacking:
            line = f"{day} is not certified for {', '.join(lacking)}"
            screen.out().print(line, markup=False, soft_wrap=True, style="yellow")
    exit_if_damaged(damage, as_json=as_json)
    if lacking:
        raise typer.Exit(HELD)


def _lacking(platform: Platform, group: PublishGroup, day: PartitionKey) -> list[str]:
    """The members that have this day, and were never certified for it."""
    members = [platform.policies.dataset(urn) for urn in group.members]
    declared = [(one.urn, one.policy.partition) for one in members if one.policy.partition]
    if not any(not partitions.outside(day) for _, partitions in declared):
        raise UsageError(f"{day} is no day of publish group {group.name}")
    latest = platform.catalog.runs.latest
    return [
        urn
        for urn, partitions in declared
        if not partitions.outside(day) and latest(urn, Stage.CERTIFIED, day, passed_only=True) is None
    ]


def _damage(one: PublishedVersion) -> str | None:
    return None if one.version is None else find_damage(one.path, one.version)


def _print(platform: Platform, members: Sequence[PublishedVersion], waiting: Sequence[Waiting]) -> None:
    columns = ("view", "version", "since (UTC)", "path")
    rows = [
        (certified_name(platform.policies, one.dataset_urn), version(one.version), time(one.certified_at), one.path)
        for one in members
    ]
    screen.print_table(screen.out(), columns, rows)
    by_dataset: dict[str, list[Waiting]] = {}
    for one in waiting:
        by_dataset.setdefault(one.dataset_urn, []).append(one)
    print_waiting_versions(by_dataset)
