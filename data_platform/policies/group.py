"""Reads ``groups/*.yaml``, and checks that the members of each group can be published together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.publish_group import PublishGroup
from data_platform.policies.document import Document, read_document
from data_platform.policies.problem import did_you_mean
from data_platform.policies.shape import validate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from data_platform.policies.entry import DatasetEntry
    from data_platform.policies.layout import Layout
    from data_platform.policies.problem import Problem
    from data_platform.policies.relation import Tree


@dataclass(frozen=True)
class GroupEntry:
    """``urns`` are the members that exist, by their position in the file; ``group`` is None if the file is wrong."""

    document: Document
    group: PublishGroup | None
    urns: dict[int, str]

    @property
    def resolved(self) -> PublishGroup | None:
        """The group with the URNs of its members."""
        return self.group and self.group.model_copy(update={"members": tuple(sorted(set(self.urns.values())))})


def read_groups(layout: Layout, tree: Tree, problems: list[Problem]) -> list[GroupEntry]:
    return [_read(layout, path, tree, problems) for path in layout.groups]


def _read(layout: Layout, path: Path, tree: Tree, problems: list[Problem]) -> GroupEntry:
    name = layout.name(path)
    document = read_document(path, name, problems)
    group = validate(document, PublishGroup, problems) if document else None
    if document is None or group is None:
        return GroupEntry(document or Document(name, "", {}), None, {})
    if group.name != path.stem:
        problems.append(document.problem(("name",), f"found {group.name}, but the file is named {path.name}"))
    urns = {}
    for position, member in enumerate(group.members):
        found = _named(tree, member)
        if len(found) == 1:
            urns[position] = found[0]
            continue
        if found:
            text = f"{member!r} is the name of {len(found)} datasets, {', '.join(found)}; name the one you mean"
        else:
            text = f"there is no dataset {member}{did_you_mean(member, tree.datasets)}"
        problems.append(document.problem(("members", position), text))
    return GroupEntry(document, group, urns)


def _named(tree: Tree, member: str) -> list[str]:
    if member in tree.datasets:
        return [member]
    return [urn for urn in sorted(tree.datasets) if member in (urn.removeprefix("ds://"), urn.rpartition("/")[2])]


def group_problems(entries: Sequence[GroupEntry], tree: Tree) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for entry in entries:
        if entry.group is None:
            continue
        for position, urn in entry.urns.items():
            if urn in taken:
                where = "here twice" if taken[urn] == entry.group.name else f"in group {taken[urn]} too"
                text = f"{urn} is {where}; a dataset is a member of one group, once"
                yield entry.document.problem(("members", position), text)
            taken.setdefault(urn, entry.group.name)
            if (policy := tree.datasets[urn].policy) and not policy.stages:
                text = f"{urn} is external: the platform does not certify it, so it cannot be published with others"
                yield entry.document.problem(("members", position), text)
        yield from _partitions(entry, tree)
        yield from _members_made_of_members(entry, tree)


def _partitions(entry: GroupEntry, tree: Tree) -> Iterator[Problem]:
    members = [(position, tree.datasets[urn]) for position, urn in entry.urns.items()]
    declared = [(position, one) for position, one in members if one.policy]
    if not declared:
        return
    first = _partitioning(declared[0][1])
    for position, one in declared[1:]:
        if (own := _partitioning(one)) != first:
            text = (
                f"{one.urn} has {own}, and {declared[0][1].urn} has {first}; the members of a group have days, or "
                "none has"
            )
            yield entry.document.problem(("members", position), text)


def _partitioning(entry: DatasetEntry) -> str:
    return "days" if entry.policy and entry.policy.partition else "no partitions"


def _members_made_of_members(entry: GroupEntry, tree: Tree) -> Iterator[Problem]:
    """A process reads certified versions. It would wait for its input, which would wait for it."""
    members = set(entry.urns.values())
    for position, urn in entry.urns.items():
        source = next((one for one in sorted(_made_of(tree, urn)) if one in members and one != urn), None)
        if source is not None:
            text = (
                f"{urn} is made of {source}, which is in this group too: it could only be made of the version of "
                f"{source} that waits for it; take one of the two out of the group"
            )
            yield entry.document.problem(("members", position), text)


def _made_of(tree: Tree, urn: str) -> set[str]:
    """The inputs of the dataset's process, with their own inputs, and so on."""
    found: set[str] = set()
    todo = [urn]
    while todo:
        entry = tree.datasets.get(todo.pop())
        maker = tree.processes.get(entry.policy.process or "") if entry and entry.policy else None
        process = maker.process if maker else None
        new = {item.dataset for item in process.inputs} - found if process else set()
        found |= new
        todo += new
    return found
