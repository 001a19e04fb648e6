"""Kinds of a policy's own: a regular expression, bounded like the platform's, and a check from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_check import CHECKS
from data_platform.gates.expression.pii_shape import Shape, at_least, signs

if TYPE_CHECKING:
    from pyspark.sql import Column

    from data_platform.model.pii_policy import OwnKind


def own_shape(kind: OwnKind) -> Shape:
    """The shape of ``kind``; its mask keeps the last four characters of a match of eight or more."""
    return Shape(
        label=kind.name,
        rule=kind.name,
        pattern=rf"(?<![\p{{L}}\p{{N}}])(?:{kind.regex})(?![\p{{L}}\p{{N}}])",
        candidate=at_least(1),
        normal=signs,
        check=CHECKS.get(kind.check.value),
        masked=_last_four,
    )


def _last_four(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.concat(F.lit("***"), F.when(F.length(match) >= 8, F.right(match, F.lit(4))).otherwise(F.lit("")))
