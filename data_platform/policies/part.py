"""Can the parts of a partition, which ``slo.freshness.parts`` declares, be counted?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.policies.problem import Problem, did_you_mean
from data_platform.policies.relation import known_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.policies.entry import DatasetEntry

_TYPES = ("string", "tinyint", "smallint", "int", "bigint", "date", "boolean")


def part_problems(entry: DatasetEntry) -> Iterator[Problem]:
    freshness = entry.policy.slo.freshness if entry.policy else None
    if entry.policy is None or freshness is None or freshness.parts is None:
        return
    if entry.policy.partition is None:
        text = "a dataset without partitions has no parts of them; remove parts"
    elif not entry.policy.stages:
        reported = "its producer reports the rows of each part, and no column is counted; remove column"
        text = reported if freshness.parts.column else ""
    elif not freshness.parts.column:
        text = "column is missing: the column whose values are the parts"
    else:
        text = _of_column(entry, freshness.parts.column)
    if text:
        yield entry.document.problem(("slo", "freshness", "parts"), text)


def _of_column(entry: DatasetEntry, name: str) -> str:
    assert entry.bundle is not None, "its fields are checked"  # noqa: S101
    names = known_names(entry)
    if name.lower() not in {one.lower() for one in names}:
        return f"{name} is not declared in schema.constraints{did_you_mean(name, names)}"
    if any(name.lower() == field.lower() for rule in entry.bundle.pii.detection for field in rule.fields):
        return f"{name} is also under pii, and the values of parts are shown; name another column"
    column = entry.bundle.schema_.declared.get(name)
    if column is not None and column.type not in _TYPES:
        return f"{name} is a {column.type.upper()}; parts are values of a text, a whole number, a date or a boolean"
    return ""
