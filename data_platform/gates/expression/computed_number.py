"""Whether all numbers that a rule computes for a row are finite.

For Spark NaN is larger than every number, and arithmetic of DOUBLE overflows to Infinity without an error: ``sqrt(x) >
0`` is true for -4, ``coalesce(sqrt(x), 1) > 0`` and ``least(sqrt(x), 9) < 10`` too. So a row in which a rule computes
such a number breaks the rule, whatever the rule makes of it. Only what Spark evaluates counts: in ``x < 0 OR sqrt(x) >
1`` there is no root of a negative number. Constants do not count, nor what is within a lambda function, which
``finite_call`` treats. A rule that asks for NaN itself (``isnan``, ``nanvl``) decides itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import never_null
from data_platform.sql.engine import parsed_expression
from data_platform.sql.finite_call import asks_for_nan, may_make
from data_platform.sql.function import words
from data_platform.sql.refusal import spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import Column, DataFrame

_ARITHMETIC = re.compile(r"[-+*/%]")
_EXPONENT = re.compile(r"\d[eE][-+]?\d|\d[dDfF]\b")
_COMPUTES = words("Add Subtract Multiply Divide Remainder Cast UnresolvedFunction")
_OPERATIONS = words("Add Subtract Multiply Divide")
"""Their result is not finite if an operand is not, but for a divisor: a long sum is tested once, and not for each +."""
_MOST_TESTED = 100
"""The most nodes in tested parts that are within each other: Spark runs out of memory when it compiles thousands."""
_COALESCE = words("coalesce nvl ifnull")


def all_finite(rows: DataFrame, expression: str) -> Column | None:
    """A never-NULL column that is true if ``expression``, which Spark can analyze, computes finite numbers only.

    None if it computes no DOUBLE or FLOAT.
    """
    if not _may_compute(rows, expression):
        return None
    jvm = rows.sparkSession._jvm
    assert jvm is not None, "a classic session has a JVM"  # noqa: S101
    utils = jvm.org.apache.spark.sql.classic.ExpressionUtils
    tree = _node(parsed_expression(rows.sparkSession, expression), utils)
    computing = [node for node in _nodes(tree) if node.may_compute]
    for node, is_floating in zip(computing, _are_floating(rows, computing), strict=True):
        node.is_floating = is_floating
    _limit([node for node in computing if node.is_floating])
    return tree.finite()


def _limit(tested: Sequence[_Node]) -> None:
    """In a rule of many numbers within each other only the outermost are tested."""
    if sum(1 for node in tested for _ in _nodes(node)) > _MOST_TESTED:
        within = [inner for node in tested for inner in _nodes(node) if inner is not node]
        for node in within:
            node.is_floating = False


def _may_compute(rows: DataFrame, expression: str) -> bool:
    """Whether the text alone, and the types of the rows, allow a number that is not finite."""
    if asks_for_nan(expression):
        return False
    if may_make(expression):
        return True
    has_floating = any(re.search(r"\b(double|float)\b", field.dataType.simpleString()) for field in rows.schema.fields)
    return bool(_ARITHMETIC.search(expression)) and (has_floating or bool(_EXPONENT.search(expression)))


@dataclass
class _Node:
    """A part of a parsed rule: ``kind`` is Spark's class, ``function`` the name of a called function.

    ``is_operand`` is true for arithmetic within arithmetic that passes on what is not finite: it is not tested itself.
    """

    kind: str
    function: str
    children: tuple[_Node, ...]
    expression: Any
    utils: Any
    is_operand: bool
    is_floating: bool = False

    @property
    def column(self) -> Column:
        from pyspark.sql.classic.column import Column

        return Column(self.utils.column(self.expression))

    @property
    def may_compute(self) -> bool:
        has_column = any(node.kind == "UnresolvedAttribute" for node in _nodes(self))
        return has_column and self.kind in _COMPUTES and not self.is_operand

    def finite(self) -> Column | None:
        """Whether this part and all parts that are evaluated for it are finite; None if no part is a computed one."""
        from pyspark.sql import functions as F

        parts = self._parts_finite()
        if not self.is_floating:
            return parts
        own = F.coalesce(F.abs(self.column) < F.lit(float("inf")), F.lit(True))
        return own if parts is None else parts & own

    def _parts_finite(self) -> Column | None:
        match self.kind, self.function:
            case "And" | "Or", _:
                return self._operands_finite()
            case "CaseWhen", _:
                return _case(self.children)
            case _, "if":
                return _case(self.children)
            case _, "nvl2":
                tested, one, other = self.children
                return _both(tested.finite(), _either(tested.column.isNotNull(), one.finite(), other.finite()))
            case _, function if function in _COALESCE:
                return _first(self.children)
        return reduce(_both, (child.finite() for child in self.children), None)

    def _operands_finite(self) -> Column | None:
        """Of AND and OR, whose operands count up to the first one that decides."""
        from pyspark.sql import functions as F

        decisive = F.lit(self.kind == "Or")
        found: Column | None = None
        for operand in reversed(list(self._operands())):
            found = _both(operand.finite(), _unless(operand.column.eqNullSafe(decisive), found))
        return found

    def _operands(self) -> Iterator[_Node]:
        """The operands of a chain of the same operator, from left to right."""
        for child in self.children:
            if child.kind == self.kind:
                yield from child._operands()
            else:
                yield child


def _node(expression: Any, utils: Any, around: str = "", place: int = 0) -> _Node:
    kind = expression.getClass().getSimpleName()
    function = str(expression.nameParts().mkString(".")).lower() if kind == "UnresolvedFunction" else ""
    children = expression.children()
    parts = [] if kind == "LambdaFunction" else [children.apply(at) for at in range(children.size())]
    is_divisor = around == "Divide" and place > 0
    is_operand = kind in _OPERATIONS and around in _OPERATIONS and not is_divisor
    inner = tuple(_node(part, utils, kind, at) for at, part in enumerate(parts))
    return _Node(kind, function, inner, expression, utils, is_operand)


def _nodes(tree: _Node) -> Iterator[_Node]:
    yield tree
    for child in tree.children:
        yield from _nodes(child)


def _are_floating(rows: DataFrame, nodes: Sequence[_Node]) -> list[bool]:
    """Spark analyzes all nodes at once; each by itself, if one of them is no expression without what surrounds it."""
    if not nodes:
        return []
    try:
        fields = rows.select(*(node.column.alias(str(place)) for place, node in enumerate(nodes))).schema.fields
    except spark_errors():
        return [False] if len(nodes) == 1 else [_are_floating(rows, [node])[0] for node in nodes]
    return [field.dataType.simpleString() in ("double", "float") for field in fields]


def _both(one: Column | None, other: Column | None) -> Column | None:
    return other if one is None else one if other is None else one & other


def _unless(condition: Column, finite: Column | None) -> Column | None:
    from pyspark.sql import functions as F

    return None if finite is None else F.when(condition, True).otherwise(finite)


def _either(condition: Column, one: Column | None, other: Column | None) -> Column | None:
    from pyspark.sql import functions as F

    if one is None and other is None:
        return None
    yes = F.lit(True)
    return F.when(condition, yes if one is None else one).otherwise(yes if other is None else other)


def _case(children: Sequence[_Node]) -> Column | None:
    """Of condition, value, condition, value, and at last perhaps the value of ELSE."""
    if len(children) < 2:
        return children[0].finite() if children else None
    condition, value, *others = children
    return _both(condition.finite(), _either(never_null(condition.column), value.finite(), _case(others)))


def _first(children: Sequence[_Node]) -> Column | None:
    """Of values of which the first that is not NULL counts."""
    if not children:
        return None
    first, *others = children
    return _both(first.finite(), _unless(first.column.isNotNull(), _first(others)))
