"""Disjoint sets of names, joined two by two."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable


class DisjointSets:
    """A name that nobody has joined is a set of its own."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def root(self, name: Hashable) -> Hashable:
        way = []
        while (parent := self._parent.setdefault(name, name)) != name:
            way.append(name)
            name = parent
        for step in way:
            self._parent[step] = name
        return name

    def join(self, one: Hashable, other: Hashable) -> None:
        self._parent[self.root(one)] = self.root(other)
