"""A contract as a pandera schema for PySpark, for tools that read such schemas.

It describes columns, types, NULL and enums. Its ``validate`` never raises, and counts a check that it skipped
as passed; so the platform judges Spark frames with ``DatasetContract.validate``, and never with this schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.frame.column import is_nullable, types_of

if TYPE_CHECKING:
    import pandera.pyspark as pa

    from data_platform.model.policy_bundle import FieldConstraint
    from data_platform.policies import Dataset


def pyspark_schema(dataset: Dataset) -> pa.DataFrameSchema:
    """Needs an open Spark session, which parses the types."""
    import pandera.pyspark as pa
    from pyspark.sql.types import DataType

    constraints = {constraint.field: constraint for constraint in dataset.bundle.schema_.constraints}
    columns = {}
    for name, kind in types_of(dataset).items():
        constraint = constraints.get(name)
        kind_of_spark: Any = DataType.fromDDL(kind)
        columns[name] = pa.Column(
            kind_of_spark,
            nullable=is_nullable(dataset, name),
            required=constraint is not None,
            checks=_checks(constraint) if constraint else [],
            description=(constraint.description if constraint else "") or None,
        )
    return pa.DataFrameSchema(columns, name=dataset.id.identifier, title=dataset.urn)


def _checks(constraint: FieldConstraint) -> list[pa.Check]:
    """No pattern: pandera reads it as one of Python first, and Spark then as one of Java."""
    import pandera.pyspark as pa

    if not constraint.enum or constraint.column.type != "string":
        return []
    return [pa.Check.isin(list(constraint.enum), error=f"UNKNOWN_ENUM:{constraint.field}")]
