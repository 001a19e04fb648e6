"""Texts through the PII gate, which the tests of the gate, of its kinds and of its tokens share."""

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from data_platform.gates import pii
from data_platform.model.pii_policy import Pii, PiiAction, PiiRule

KEY = bytes(range(32))


def rule(kind: str, action: str = "mask", *fields: str) -> PiiRule:
    return PiiRule(pattern=kind, action=PiiAction(action), fields=fields)


def every_kind(action: str = "mask", kinds: Iterable[str] = ("EMAIL", "PHONE", "SSN")) -> Pii:
    return Pii(detection=tuple(rule(kind, action) for kind in kinds))


def texts(spark: SparkSession, values: Iterable[str | None], column: str = "x") -> DataFrame:
    return spark.createDataFrame(list(enumerate(values)), f"n int, `{column}` string").orderBy("n")


def through(
    spark: SparkSession, values: Iterable[str | None], policy: Pii | None = None, column: str = "x"
) -> list[tuple[str | None, list[str]]]:
    """What became of each value, and the kinds that were found in it."""
    rows = texts(spark, values, column)
    plan = pii.plan(rows.schema, policy or every_kind(), KEY)
    answers = rows.select(
        plan.remediated[column].alias("value"), *(flag.alias(sign) for sign, flag in plan.found.items())
    )
    return [(row["value"], [sign.split(":")[1] for sign in plan.found if row[sign]]) for row in answers.collect()]


def told_apart(spark: SparkSession, values: Iterable[str | None], policy: Pii, column: str = "x") -> list[list[str]]:
    """The kinds of each value as the one write counts them: by what became of it, and a search only where need be."""
    rows = texts(spark, values, column)
    plan = pii.plan(rows.schema, policy, KEY)
    flags = plan.found_by_safe()
    answers = plan.computed_in(rows).orderBy("n").select(*(flag.alias(sign) for sign, flag in flags.items())).collect()
    return [[sign.split(":")[1] for sign in flags if row[sign]] for row in answers]


def left(spark: SparkSession, values: Iterable[str | None], policy: Pii | None = None) -> list[bool]:
    """Whether each value holds a raw one by the judgement of gold."""
    rows = texts(spark, values)
    flags = pii.leftover(rows.schema, policy or every_kind())
    return [any(row) for row in rows.select(*flags.values()).collect()]
