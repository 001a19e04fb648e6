"""Finds parts of a plan whose constants are invalid for every row: a malformed pattern, an unknown time zone.

Spark checks such constants only when it computes a row. So each part that has a constant is evaluated here by itself,
with sample values in place of columns. A part is impossible only if it refuses its constant for every sample.
Errors that depend on the rows, such as a text that is not a number or a division by zero, are never reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.sql.function import words
from data_platform.sql.refusal import causes, plain_reason, spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

TEXTS = ("", "1", "a", "UTC", "MON", "yyyy", "utf-8", "hex", "a b,c", "[]")
"""Sample texts, with one for each kind of constant that may come from a column instead."""
MANY = 10_000
"""Elements of a sample array, more than delivered arrays have."""

_CONDITIONS = (
    "INVALID_PARAMETER_VALUE",
    "INVALID_DATETIME_PATTERN",
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN",
    "INVALID_TIMEZONE",
    "INVALID_INDEX_OF_ZERO",
    "INVALID_ARRAY_INDEX",
    "ILLEGAL_DAY_OF_WEEK",
    "DATETIME_FIELD_OUT_OF_BOUNDS",
)
_CLASSES = words(
    "PatternSyntaxException IllegalFormatConversionException UnknownFormatConversionException"
    " MissingFormatArgumentException IllegalFormatPrecisionException IllegalFormatFlagsException"
    " FormatFlagsConversionMismatchException DuplicateFormatFlagsException MissingFormatWidthException"
    " IllegalFormatWidthException UnsupportedCharsetException IllegalCharsetNameException ZoneRulesException"
)
_HARMLESS = words(
    "Alias AttributeReference Literal EqualTo EqualNullSafe GreaterThan GreaterThanOrEqual LessThan LessThanOrEqual And"
    " Or Not In InSet IsNull IsNotNull Coalesce If CaseWhen Cast Add Subtract Multiply Divide Remainder UnaryMinus"
    " SortOrder KnownNotNull AggregateExpression NamedLambdaVariable LambdaFunction"
)
"""Expressions for which every constant is valid, or whose constants are already folded."""


def impossible_parts(frame: DataFrame) -> list[str]:
    """Returns Spark's reason for each impossible part of ``frame``, whose plan Spark can optimize."""
    samples = _Samples(frame)
    reasons: dict[str, None] = {}
    for node in _expressions(frame._jdf.queryExecution().optimizedPlan()):
        if node.getClass().getSimpleName() not in _HARMLESS and (reason := _refusal(node, samples)):
            reasons[reason] = None
    return list(reasons)


def _refusal(node: Any, samples: _Samples) -> str:
    children = _items(node.children())
    fixed = [child.foldable() for child in children]
    if not any(fixed):
        return ""
    first = ""
    for turn in range(1 if all(fixed) else len(TEXTS)):
        arguments = [
            child if is_fixed else samples.literal(child.dataType(), turn)
            for child, is_fixed in zip(children, fixed, strict=True)
        ]
        reason = "" if None in arguments else samples.refusal(node, arguments)
        if not reason:
            return ""
        first = first or reason
    return first


class _Samples:
    """Makes sample literals in place of columns, and evaluates parts of a plan with them."""

    def __init__(self, frame: DataFrame) -> None:
        jvm = frame.sparkSession._jvm
        assert jvm is not None, "a classic session has a JVM"  # noqa: S101
        self._parser = frame.sparkSession._jsparkSession.sessionState().sqlParser()
        self._utils = jvm.PythonUtils
        self._catalyst = jvm.org.apache.spark.sql.catalyst.expressions
        self._no_row = jvm.org.apache.spark.sql.catalyst.InternalRow.empty()

    def refusal(self, node: Any, children: list[Any]) -> str:
        """Returns why ``node`` refuses its constants; empty if it returns a value, or if a sample caused the error."""
        try:
            node.withNewChildren(self._utils.toSeq(children).toIndexedSeq()).eval(self._no_row)
        except spark_errors() as error:
            chain = causes(error)
            fixed = any(name in _CLASSES or condition.startswith(_CONDITIONS) for name, condition in chain)
            return plain_reason(error) if fixed or chain[-1] == ("IllegalArgumentException", "") else ""
        return ""

    def literal(self, kind: Any, turn: int) -> Any:
        """The sample for ``turn``: another text each time; numbers alternate 0 and 1, arrays empty and long."""
        name = kind.typeName()
        try:
            if name.startswith("string"):
                return self._catalyst.Literal.create(TEXTS[turn], kind)
            if turn % 2 and name.startswith(("byte", "short", "integer", "long", "float", "double", "decimal")):
                return self._parser.parseExpression(f"CAST(1 AS {kind.sql()})")
            if turn % 2 and name == "array":
                element = self._catalyst.Literal.default(kind.elementType())
                return self._catalyst.ArrayRepeat(element, self._parser.parseExpression(str(MANY)))
            return self._catalyst.Literal.default(kind)
        except spark_errors():  # a type that has no sample
            return None


def _expressions(plan: Any) -> Iterator[Any]:
    """Every expression of a plan, of the plans below it and of those in its subqueries."""
    plans = [plan]
    while plans:
        node = plans.pop()
        plans += [*_items(node.children()), *_items(node.subqueries())]
        stack = _items(node.expressions())
        while stack:
            expression = stack.pop()
            yield expression
            stack += _items(expression.children())


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(position) for position in range(sequence.size())]
