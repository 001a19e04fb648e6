"""Which datasets are upstream of others, at any distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def upstream_of(inputs: Mapping[str, Iterable[str]], wanted: Iterable[str] | None = None) -> dict[str, frozenset[str]]:
    """Every dataset upstream of each wanted one, from direct inputs; a dataset in a cycle is not its own."""
    found: dict[str, frozenset[str]] = {}
    for urn in inputs if wanted is None else [one for one in wanted if one in inputs]:
        reached: set[str] = set()
        waiting = list(inputs[urn])
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += found.get(name) or inputs.get(name, ())
        found[urn] = frozenset(reached - {urn})
    return found
