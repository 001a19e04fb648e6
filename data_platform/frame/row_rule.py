"""Translates a rule from Spark SQL to Python, or refuses: a translated rule gives what Spark gives, NULLs included.

Only what is known to be the same is translated: comparisons, AND, OR, NOT, IN, BETWEEN, IS NULL, CASE, COALESCE, LIKE,
arithmetic of whole and double numbers, ``abs``, ``length`` and ``trim``. Sides of different families, such as a text
and a number, are refused, since Spark casts one of them.
"""

from __future__ import annotations

import operator
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from data_platform.frame.operation import (
    alike,
    arithmetic,
    both,
    chosen,
    coalesced,
    compared,
    contained,
    number,
    sign_changed,
)
from data_platform.frame.term import BOOLEAN, NULL, NotFiniteError, Row, Term, UntranslatableError, constant, of_values
from data_platform.sql.tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KNOWN_PARTS = {
    "this", "expression", "expressions", "low", "high", "true", "false", "ifs", "default", "is_string", "safe",
    "negate",
}  # fmt: skip
"""The parts of a node that are translated. ``safe`` is of every division, ``negate`` of LIKE."""
SHOWN = 40
"""The most characters of a part that is named in a message."""


def translate(rule: str, types: Mapping[str, str], zone: str) -> Callable[[Row], bool | None]:
    """``types`` maps columns, in lower case, to their types; rows have these names. The result may be NULL, as None.

    Raises:
        UntranslatableError: Python has no exact equivalent.
    """
    term = _Translator(types, zone).truth(tree_of(rule))

    def answer(row: Row) -> bool | None:
        try:
            result: bool | None = term.of(row)
        except NotFiniteError:
            return False
        return result

    return answer


class _Translator:
    """Translates the nodes of one rule."""

    def __init__(self, types: Mapping[str, str], zone: str) -> None:
        self._types, self._zone = types, zone

    def term(self, node: Any) -> Term:
        function = self._functions.get(type(node))
        if function is None or {name for name, part in node.args.items() if part} - KNOWN_PARTS:
            raise UntranslatableError(f"{node.sql('spark')[:SHOWN]} has no equivalent in Python")
        return function(node)

    def truth(self, node: Any) -> Term:
        term = self.term(node)
        if term.kind not in (BOOLEAN, NULL):
            raise UntranslatableError(f"{node.sql('spark')[:SHOWN]} is not boolean")
        return term

    @cached_property
    def _functions(self) -> dict[type, Callable[[Any], Term]]:
        from sqlglot import exp

        comparisons = {
            exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.GT: operator.gt, exp.GTE: operator.ge,
            exp.LT: operator.lt, exp.LTE: operator.le,
        }  # fmt: skip
        signs = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
        return {
            **{kind: self._comparison(operation) for kind, operation in comparisons.items()},
            **{kind: self._arithmetic(sign) for kind, sign in signs.items()},
            exp.Paren: lambda node: self.term(node.this),
            exp.Column: self._column,
            exp.Literal: self._literal,
            exp.Null: lambda _: constant(NULL, None),
            exp.Boolean: lambda node: constant(BOOLEAN, bool(node.this)),
            exp.And: lambda node: both(self.truth(node.left), self.truth(node.right), decisive=False),
            exp.Or: lambda node: both(self.truth(node.left), self.truth(node.right), decisive=True),
            exp.Not: lambda node: of_values(BOOLEAN, operator.not_, self.truth(node.this)),
            exp.Is: self._is,
            exp.NullSafeEQ: self._null_safe,
            exp.In: self._in,
            exp.Between: self._between,
            exp.Neg: lambda node: sign_changed(self.term(node.this), operator.neg),
            exp.Abs: lambda node: sign_changed(self.term(node.this), abs),
            exp.Coalesce: lambda node: coalesced(
                [self.term(part) for part in (node.this, *node.expressions)], self._zone
            ),
            exp.If: self._if,
            exp.Case: self._case,
            exp.Length: lambda node: of_values("int", len, self._text(node.this)),
            exp.Trim: self._trim,
            exp.Like: self._like,
        }

    def _comparison(self, operation: Callable[[Any, Any], bool]) -> Callable[[Any], Term]:
        return lambda node: compared(operation, self.term(node.left), self.term(node.right), self._zone)

    def _arithmetic(self, sign: str) -> Callable[[Any], Term]:
        return lambda node: arithmetic(sign, self.term(node.left), self.term(node.right))

    def _column(self, node: Any) -> Term:
        name = node.name.lower()
        if len(node.parts) != 1 or name not in self._types:
            raise UntranslatableError(f"{node.sql('spark')[:SHOWN]} is not a declared column")
        return Term(self._types[name], lambda row: row[name])

    def _literal(self, node: Any) -> Term:
        if not node.is_string:
            return number(node.this)
        if "\\" in node.this:
            raise UntranslatableError("a text with a backslash")
        return constant("string", node.this)

    def _is(self, node: Any) -> Term:
        from sqlglot import exp

        term = self.term(node.this)
        if isinstance(node.expression, exp.Null):
            return Term(BOOLEAN, lambda row: term.of(row) is None)
        if isinstance(node.expression, exp.Boolean) and term.kind in (BOOLEAN, NULL):
            wanted = bool(node.expression.this)
            return Term(BOOLEAN, lambda row: term.of(row) is wanted)
        raise UntranslatableError(f"{node.sql('spark')[:SHOWN]} has no equivalent in Python")

    def _null_safe(self, node: Any) -> Term:
        left, right = alike([self.term(node.left), self.term(node.right)], self._zone)
        return Term(BOOLEAN, lambda row: left.of(row) == right.of(row))

    def _in(self, node: Any) -> Term:
        return contained(self.term(node.this), [self.term(one) for one in node.expressions], self._zone)

    def _between(self, node: Any) -> Term:
        item, low, high = (self.term(part) for part in (node.this, node.args["low"], node.args["high"]))
        above = compared(operator.ge, item, low, self._zone)
        return both(above, compared(operator.le, item, high, self._zone), decisive=False)

    def _if(self, node: Any) -> Term:
        default = node.args.get("false")
        other = self.term(default) if default is not None else constant(NULL, None)
        return chosen([(self.truth(node.this), self.term(node.args["true"])), (None, other)], self._zone)

    def _case(self, node: Any) -> Term:
        if node.this is not None:
            raise UntranslatableError("CASE with a value after it")
        branches = [(self.truth(part.this), self.term(part.args["true"])) for part in node.args["ifs"]]
        default = node.args.get("default")
        other = self.term(default) if default is not None else constant(NULL, None)
        return chosen([*branches, (None, other)], self._zone)

    def _text(self, node: Any) -> Term:
        term = self.term(node)
        if term.kind != "string":
            raise UntranslatableError(f"{node.sql('spark')[:SHOWN]} is not a text")
        return term

    def _trim(self, node: Any) -> Term:
        if node.expression is not None:
            raise UntranslatableError("trim with characters")
        return of_values("string", lambda text: text.strip(" "), self._text(node.this))

    def _like(self, node: Any) -> Term:
        from sqlglot import exp

        form = node.expression
        if not isinstance(form, exp.Literal) or not form.is_string or "\\" in form.this:
            raise UntranslatableError("LIKE with a pattern that is not a plain text")
        wild = {"%": ".*", "_": "."}
        pattern = re.compile("".join(wild.get(sign) or re.escape(sign) for sign in form.this), re.DOTALL)
        wanted = not node.args.get("negate")
        return of_values(BOOLEAN, lambda text: bool(pattern.fullmatch(text)) is wanted, self._text(node.this))
