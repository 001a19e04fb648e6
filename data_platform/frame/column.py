"""The columns of a frame against those of its contract: which changes the policy does not allow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.gates.schema import judge_delivery
from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.model.schema import Column, Schema, is_widening
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.policies import Dataset


def types_of(dataset: Dataset) -> dict[str, str]:
    """Maps the columns of the dataset's rows, in their declared spelling, to their types."""
    types = {column.name: column.type for column in dataset.bundle.schema_.declared.columns}
    if added := dataset.added_column:
        types[added] = COLUMN_TYPE
    return types


def is_nullable(dataset: Dataset, name: str) -> bool:
    """Whether neither the declaration nor a contract requires the column to have a value."""
    column = dataset.bundle.schema_.declared.get(name)
    return name.lower() not in dataset.bundle.required_fields and (column is None or column.nullable)


def refused_changes(dataset: Dataset, columns: Schema) -> list[str]:
    """The signatures of changes that refuse a frame of ``columns``. A narrower type is no change; another type always
    is one, since no rule types the values of a frame.
    """
    declared, added = dataset.bundle.schema_.declared, dataset.added_column.lower()
    fitting: list[Column] = []
    retyped: set[str] = set()
    for column in columns.columns:
        wanted = declared.get(column.name)
        if wanted is None and column.name.lower() == added:
            continue
        kind = wanted.type if wanted and is_widening(column.type, wanted.type) else column.type
        if wanted and kind != wanted.type and not is_widening(wanted.type, kind):
            retyped.add(wanted.name.lower())
        fitting.append(Column(name=column.name, type=kind))
    nullable = Schema.of(Column(name=column.name, type=column.type) for column in declared.columns)
    verdict = judge_delivery(nullable, {"the frame": Schema.of(fitting)}, dataset.bundle.schema_, unreadable={})
    return [
        shown.signature  # a column may be named for a person
        for result, shown in zip(verdict.results, verdict.redacted().results, strict=True)
        if result.holds or (result.outcome is not Outcome.PASSED and result.rule.lower() in retyped)
    ]


def require_different_names(dataset: Dataset, names: Iterable[str]) -> None:
    """Raises: UsageError, if two columns of a frame have one name; case does not count."""
    twice = sum(count > 1 for count in Counter(name.lower() for name in names).values())
    if twice:
        raise UsageError(f"{dataset.urn}: the frame has {twice} names of columns twice; rename or drop one of each")
