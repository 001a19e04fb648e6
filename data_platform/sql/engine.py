"""The same checks on the tree of Spark's own parser, just before a text runs: this tree is what Spark will run.

They read the parsed tree only, before anything is resolved, folded or executed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from data_platform.sql.function import FUNCTIONS, words
from data_platform.sql.lexical import SESSION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
_VALUES = ("org.apache.spark.sql.types.", "org.apache.spark.unsafe.", "java.", "scala.Enumeration", "scala.math.")
_REFUSED_EXPRESSIONS = words(
    "CallMethodViaReflection InputFileName InputFileBlockStart InputFileBlockLength CurrentUser ScalaUDF PythonUDF Rand"
    " Uuid"
)
_NODES = words(
    "Aggregate AliasIdentifier CaseInsensitiveStringMap Distinct Except Filter FunctionIdentifier Generate GlobalLimit"
    " Intersect Join JoinHint LateralJoin LocalLimit LocalRelation NamedParameter Offset OneRowRelation Pivot Project"
    " RepartitionByExpression ResolvedInlineTable Sort SubqueryAlias Union UnresolvedAlias UnresolvedAttribute"
    " UnresolvedExtractValue UnresolvedFunction UnresolvedGenerator UnresolvedHaving UnresolvedHint"
    " UnresolvedInlineTable UnresolvedOrdinal UnresolvedQualify UnresolvedRegex UnresolvedRelation UnresolvedStar"
    " UnresolvedStarExceptOrReplace UnresolvedSubqueryColumnAliases UnresolvedWindowExpression UnresolvedWith Unpivot"
    " UsingJoin NaturalJoin WithWindowDefinition Inner$ Cross$ LeftOuter$ RightOuter$ FullOuter$ LeftSemi$ LeftAnti$"
    " UnpivotExpr MultiAlias WindowSpecReference"
)
_PLAIN = words(
    "Add And CaseWhen Cast Coalesce Divide EqualNullSafe EqualTo GreaterThan GreaterThanOrEqual In IsNotNull IsNull"
    " LessThan LessThanOrEqual Like Literal Multiply Not Or RLike Remainder Subtract UnaryMinus"
)
"""Expressions whose parts are all children, so that Spark's list of the nodes leaves out nothing."""
_ONE_NAME = re.compile(r"\[(\w+)\]")
_SUBQUERIES = words("ScalarSubquery ListQuery Exists LateralSubquery")


def expression_refusals(session: SparkSession, text: str) -> tuple[str, ...]:
    """Returns why ``text``, as Spark parses it, is not an expression over columns.

    Raises:
        ParseException: Spark cannot parse it.
    """
    tree = parsed_expression(session, text)
    return () if _is_plain(tree) else _refusals(tree, None)


def query_refusals(session: SparkSession, text: str, readable: tuple[str, ...]) -> tuple[str, ...]:
    """Returns why ``text``, as Spark parses it, is not a SELECT over ``readable``.

    Raises:
        ParseException: Spark cannot parse it.
    """
    return _refusals(_parser(session).parsePlan(text), readable)


def parsed_expression(session: SparkSession, text: str) -> Any:
    """Spark's own tree of ``text``, in which nothing is resolved.

    Raises:
        ParseException: Spark cannot parse it.
    """
    return _parser(session).parseExpression(text)


def _parser(session: SparkSession) -> Any:
    return session._jsparkSession.sessionState().sqlParser()


def _is_plain(tree: Any) -> bool:
    """Whether all nodes are operators, literals, columns or allowed functions.

    Spark lists them in one call; walking the tree takes hundreds of calls for each rule.
    """
    return all(_is_plain_node(node) for node in json.loads(tree.toJSON()))


def _is_plain_node(node: dict[str, Any]) -> bool:
    package, _, short = node["class"].rpartition(".")
    if f"{package}." == _EXPRESSIONS:
        return short in _PLAIN
    name = _ONE_NAME.fullmatch(str(node.get("nameParts")))
    if name is None:
        return False
    if short == "UnresolvedAttribute":
        return name[1].lower() not in SESSION_WORDS
    return short == "UnresolvedFunction" and not _function_refusals(name[1])


def _refusals(tree: Any, readable: tuple[str, ...] | None) -> tuple[str, ...]:
    allowed = {name.lower() for name in readable or ()}
    reasons: list[str] = []
    relations: list[str] = []
    for node in _nodes(tree):
        name = node.getClass().getName()
        short = name.rsplit(".", 1)[-1]
        if short == "UnresolvedRelation":
            relations.append(str(node.multipartIdentifier().mkString(".")))
        elif short == "SubqueryAlias":
            allowed.add(str(node.alias()).lower())
        if not _is_allowed(name, short):
            reasons.append(f"Spark reads it as {short}, which is not allowed")
        elif readable is None and (short in _SUBQUERIES or short == "UnresolvedRelation"):
            reasons.append("Spark reads a query in it, and a rule has columns only")
        reasons += _name_refusals(node, short)
    if readable is not None:
        others = (name for name in relations if name.lower() not in allowed)
        reasons += [f"Spark reads {name} in it, neither an input nor a step" for name in others]
    return tuple(reasons)


def _name_refusals(node: Any, short: str) -> list[str]:
    if short == "UnresolvedAttribute" and str(node.name()).lower() in SESSION_WORDS:
        return [f"{node.name()} depends on the session"]
    if short == "UnresolvedFunction":
        return _function_refusals(str(node.nameParts().mkString(".")))
    return _function_refusals(str(node.name().unquotedString())) if short == "UnresolvedGenerator" else []


def _function_refusals(name: str) -> list[str]:
    return [] if name.lower() in FUNCTIONS | {"between"} else [f"{name}() is not a function that policies may call"]


def _is_allowed(name: str, short: str) -> bool:
    if name.startswith(_EXPRESSIONS):
        return short not in _REFUSED_EXPRESSIONS
    return short in _NODES


def _nodes(tree: Any) -> Iterator[Any]:
    """Yields every Spark object in the tree. ``children`` alone would leave out subqueries and WITHs."""
    from py4j.java_gateway import JavaObject
    from py4j.protocol import Py4JError

    stack = [tree]
    while stack:
        node = stack.pop()
        if not isinstance(node, JavaObject):
            continue
        name = node.getClass().getName()
        if name.startswith(_VALUES):
            continue
        if name.startswith("org."):
            yield node
        try:
            parts = node.iterator() if name.startswith("scala.collection.") else node.productIterator()
        except Py4JError:
            continue  # a leaf that is not a Product: only its class is checked
        while parts.hasNext():
            stack.append(parts.next())
