"""Creates a stage's table, or adds what the policy allows, before a candidate is written into it.

Columns are added and widened, never removed or retyped: a change that would make another column is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import PolicyError
from data_platform.gates.expression.column import quoted
from data_platform.lake.table import schema_of
from data_platform.model.dataset import Stage
from data_platform.model.schema import is_widening

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from data_platform.lake.table import LakeTable
    from data_platform.model.schema import Column
    from data_platform.stage.candidate import Candidate


def prepare(table: LakeTable, rows: DataFrame, candidate: Candidate, note: Mapping[str, Any]) -> tuple[int, int]:
    """Creates ``table``, or extends it for ``rows``; returns its version before and after that.

    Raises:
        PolicyError: A column has another type than the table's, and neither is the wider one.
    """
    if not table.exists:
        strict = _strict(rows.schema, {name.lower() for name in candidate.not_null})
        # Bronze and silver are read a whole day at a time; statistics would put raw personal values into its log.
        table.create(strict, candidate.partition_by, statistics=candidate.stage is Stage.GOLD)
        return (table.version(),) * 2
    table.protect({**note, "kind": "protect"})
    have, before = table.schema(), table.version()
    want = schema_of(rows)
    growing = {**note, "kind": "schema"}
    added = {c.name: c.type for c in want.columns if have.get(c.name) is None}
    if added:
        table.add_columns(added, growing)
    for column in want.columns:
        old = have.get(column.name)
        if old is not None and old.type != column.type:
            _widen(table, old, column, growing)
    return before, table.version()


def fitted(table: LakeTable, rows: DataFrame) -> DataFrame:
    """``rows`` in the table's types, which may be wider: Delta widens in an append, but not in a replace."""
    have = {column.name.lower(): column.type for column in table.schema().columns}
    kinds = {f.name: (f.dataType.simpleString(), have.get(f.name.lower())) for f in rows.schema.fields}
    wider = {name: quoted(name).cast(there) for name, (here, there) in kinds.items() if there and there != here}
    return rows.withColumns(wider) if wider else rows


def _strict(schema: StructType, not_null: set[str]) -> StructType:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(f.name, f.dataType, f.name.lower() not in not_null) for f in schema.fields])


def _widen(table: LakeTable, old: Column, new: Column, note: dict[str, Any]) -> None:
    if is_widening(new.type, old.type):
        return  # every value fits the existing wider type
    if not is_widening(old.type, new.type):
        raise PolicyError(
            f"column {new.name} of {table.path} is {old.type.upper()}, but {new.type.upper()} in the policy: "
            "that is another column; give it another name, or the dataset another place in storage"
        )
    table.widen(new.name, new.type, note)
