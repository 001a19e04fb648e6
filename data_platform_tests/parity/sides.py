"""Two small sides that are compared without a platform, as the tests of comparison and samples share them."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from data_platform.lake.table import schema_of
from data_platform.parity.column import paired
from data_platform.parity.comparison import Comparison, Counted
from data_platform.parity.output import LegacyOutput
from data_platform.parity.report import ColumnParity, LegacySide
from data_platform.parity.rule import Rules, Tolerance
from data_platform.parity.side import legacy_side, new_side


def rows(spark: SparkSession, kinds: str, values: Sequence[tuple[Any, ...]]) -> DataFrame:
    return spark.createDataFrame(list(values), kinds)


def comparison(
    legacy: DataFrame,
    new: DataFrame,
    rules: Rules | None = None,
    *,
    keys: Sequence[str] = ("id",),
    personal: frozenset[str] = frozenset(),
) -> Comparison:
    rules = rules or Rules()
    columns = paired(schema_of(legacy), schema_of(new), keys=keys, renamed={}, ignored=())
    output = LegacyOutput(legacy, schema_of(legacy), LegacySide(path="out", format="parquet"))
    side = legacy_side(output, columns, rules, lambda frame: frame)
    return Comparison(side, new_side(new, columns, rules), columns, rules, personal)


def counted(legacy: DataFrame, new: DataFrame, rules: Rules | None = None, **said: Any) -> Counted:
    return comparison(legacy, new, rules, **said).count()


def column(found: Counted, name: str = "x") -> ColumnParity:
    [wanted] = [column for column in found.columns if column.name == name]
    return wanted


def tolerance(option: str, number: str) -> Rules:
    """One of the three tolerances, for every column."""
    return Rules(**{option: Tolerance.parse(f"--{option}", [number])})  # type: ignore[arg-type]
