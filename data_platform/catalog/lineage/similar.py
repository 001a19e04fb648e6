"""Finds datasets that are easily mixed up: the same name with another namespace, case, scheme or number of slashes.

Similar names do not make two datasets one; only a symlink or a rename does. They are shown because a graph may end only
because of a different name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from data_platform.catalog.dataset_row import name_of_row
from data_platform.catalog.registry_table import DATASET
from data_platform.catalog.search_table import SEARCH_DOCUMENT
from data_platform.catalog.similar_key import scheme_of, similar_full, similar_name, slashed
from data_platform.catalog.upsert import chunks
from data_platform.model.lineage import Name, NodeType
from data_platform.model.lineage_graph import LookAlike

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

MOST = 50
"""The most of one result; those with the more similar text come first."""


def find_look_alikes(
    connection: Connection, datasets: Iterable[int], leave_out: Iterable[int] = ()
) -> tuple[LookAlike, ...]:
    """Returns datasets that look like ``datasets``, without those and the ones in ``leave_out``."""
    ordered = sorted(set(datasets))
    names = _names(connection, ordered)
    if not names:
        return ()
    others = _candidates(connection, names.values())
    shown = {*ordered, *leave_out}
    pairs = [
        (name, other)
        for name in names.values()
        for number, other in others.items()
        if number not in shown and _is_similar(name, other)
    ]
    pairs.sort(key=lambda pair: (similar_full(pair[0]) != similar_full(pair[1]), pair))
    return tuple(
        LookAlike(
            of=name.reference,
            dataset=other.reference,
            namespace=other.namespace,
            name=other.name,
            differs_by=differences(name, other),
        )
        for name, other in pairs[:MOST]
    )


def differences(one: Name, other: Name) -> tuple[str, ...]:
    """How two similar names differ."""
    if one.full == other.full:
        return ("split",)
    kinds = []
    (scheme, rest), (other_scheme, other_rest) = scheme_of(one.full), scheme_of(other.full)
    if scheme != other_scheme and similar_full(one) == similar_full(other):
        kinds.append("scheme" if scheme.lower() != other_scheme.lower() else "case")
    if slashed(rest).lower() != slashed(other_rest).lower():
        return (*kinds, "namespace")
    if slashed(rest) != slashed(other_rest):
        kinds.append("case")
    if rest.lower() != other_rest.lower():
        kinds.append("slashes")
    return tuple(dict.fromkeys(kinds)) or ("namespace",)


def _is_similar(one: Name, other: Name) -> bool:
    return similar_full(one) == similar_full(other) or similar_name(one) == similar_name(other)


def _names(connection: Connection, numbers: list[int]) -> dict[int, Name]:
    columns = select(DATASET.c.dataset_id, DATASET.c.namespace, DATASET.c.name)
    return {
        row.dataset_id: name_of_row(row)
        for part in chunks(numbers)
        for row in connection.execute(columns.where(DATASET.c.dataset_id.in_(part)))
    }


def _candidates(connection: Connection, names: Iterable[Name]) -> dict[int, Name]:
    document = SEARCH_DOCUMENT.c
    listed = list(names)
    alike = or_(
        document.similar_full.in_({similar_full(name) for name in listed}),
        document.similar_name.in_({similar_name(name) for name in listed}),
    )
    query = (
        select(DATASET.c.dataset_id, DATASET.c.namespace, DATASET.c.name)
        .join(SEARCH_DOCUMENT, DATASET.c.dataset_id == document.node_id)
        .where(document.node_type == NodeType.DATASET, document.internal.is_(False), alike)
        .order_by(DATASET.c.full_name, DATASET.c.namespace)
        .limit(20 * MOST)
    )
    return {row.dataset_id: name_of_row(row) for row in connection.execute(query)}
