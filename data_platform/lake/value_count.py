"""Counts the values of columns of one version of a table, without Spark and in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def count_values(path: str, version: int, columns: Sequence[str], *, most: int) -> dict[str, dict[str, int] | None]:
    """Maps each column to the rows of each of its values; None if it has more than ``most``. NULL is no value.

    A column that the version does not have is left out; names are compared in any case.

    Raises:
        UnreadableVersionError: The version cannot be read without Spark.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    from data_platform.errors import UnreadableVersionError

    counts: dict[str, dict[str, int] | None] = {}
    try:
        rows = DeltaTable(path, version=version).to_pyarrow_dataset()
        stored = {name.lower(): name for name in rows.schema.names}
        present = {column: stored[column.lower()] for column in columns if column.lower() in stored}
        counts = {column: {} for column in present}
        for batch in rows.to_batches(columns=list(present.values())):
            for column, name in present.items():
                known = counts[column]
                if known is None:
                    continue
                values = batch.column(name).drop_null().cast(pa.string())
                for item in pc.value_counts(values).to_pylist():
                    known[item["values"]] = known.get(item["values"], 0) + item["counts"]
                if len(known) > most:
                    counts[column] = None
    except (DeltaError, OSError, pa.ArrowException) as error:
        raise UnreadableVersionError(f"v{version} of {path} cannot be read: {type(error).__name__}") from None
    return counts
