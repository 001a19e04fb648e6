"""Parts of a plan whose constants no row can make good: a pattern that is none, a time zone that does not exist.

Spark looks at such constants only when a row comes. So each part that has a constant is computed here by itself, with
samples in place of what the rows would bring. Only a part that refuses its constant whatever the sample is impossible.
What depends on the rows, such as a text that is no number or a division by zero, is never reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.sql.function import words
from data_platform.sql.refusal import causes, plain_reason, spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

TEXTS = ("", "1", "a", "UTC", "MON", "yyyy", "utf-8", "hex", "a b,c", "[]")
"""Samples of text: among them one for each kind of constant that may come from a column instead."""
MANY = 10_000
"""Elements of a sample array: an index beyond it is in no array that anybody delivers."""

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
"""Expressions whose constants are good whatever they are, or were folded already."""


def impossible_parts(frame: DataFrame) -> list[str]:
    """Spark's reason for each such part of ``frame``, whose plan Spark can optimize."""
    samples = _Samples(frame)
    found: dict[str, None] = {}
    for node in _expressions(frame._jdf.queryExecution().optimizedPlan()):
        if node.getClass().getSimpleName() not in _HARMLESS and (reason := _refusal(node, samples)):
            found[reason] = None
    return list(found)


def _refusal(node: Any, samples: _Samples) -> str:
    children = _items(node.children())
    fixed = [child.foldable() for child in children]
    if not any(fixed):
        return ""
    first = ""
    for turn in range(1 if all(fixed) else len(TEXTS)):
        given = [
            child if is_fixed else samples.literal(child.dataType(), turn)
            for child, is_fixed in zip(children, fixed, strict=True)
        ]
        reason = "" if None in given else samples.refusal(node, given)
        if not reason:
            return ""
        first = first or reason
    return first


class _Samples:
    """Literals for what the rows would bring, and what a part of a plan answers to them."""

    def __init__(self, frame: DataFrame) -> None:
        jvm = frame.sparkSession._jvm
        assert jvm is not None, "a classic session has a JVM"  # noqa: S101
        self._parser = frame.sparkSession._jsparkSession.sessionState().sqlParser()
        self._utils = jvm.PythonUtils
        self._catalyst = jvm.org.apache.spark.sql.catalyst.expressions
        self._no_row = jvm.org.apache.spark.sql.catalyst.InternalRow.empty()

    def refusal(self, node: Any, children: list[Any]) -> str:
        """Why ``node`` refuses constants among ``children``; nothing if it answers, or its samples are at fault."""
        try:
            node.withNewChildren(self._utils.toSeq(children).toIndexedSeq()).eval(self._no_row)
        except spark_errors() as error:
            found = causes(error)
            fixed = any(name in _CLASSES or condition.startswith(_CONDITIONS) for name, condition in found)
            return plain_reason(error) if fixed or found[-1] == ("IllegalArgumentException", "") else ""
        return ""

    def literal(self, kind: Any, turn: int) -> Any:
        """The sample of this ``turn``: texts differ in each, numbers are 0 and 1 by turns, arrays empty and long."""
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
        waiting = _items(node.expressions())
        while waiting:
            expression = waiting.pop()
            yield expression
            waiting += _items(expression.children())


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(position) for position in range(sequence.size())]
