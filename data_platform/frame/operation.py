"""The operators of rules over translated terms, with the types, the NULLs and the errors of Spark."""

from __future__ import annotations

import math
import operator
import re
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from data_platform.frame.term import BOOLEAN, NULL, NotFiniteError, Row, Term, UntranslatableError, constant, of_values
from data_platform.frame.value import BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FLOATS = ("float", "double")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def number(text: str) -> Term:
    """A number as it is written: whole, decimal, or with an exponent and then a double."""
    if text.isdigit():
        value = int(text)
        if value >= 1 << 63:
            raise UntranslatableError("a number beyond BIGINT")
        return constant("int" if value < 1 << 31 else "bigint", value)
    if re.fullmatch(r"[0-9]*\.[0-9]+|[0-9]+\.", text):
        return constant("decimal", Decimal(text))
    if re.fullmatch(r"[0-9.]+[eE][+-]?[0-9]+", text):
        return constant("double", float(text))
    raise UntranslatableError(f"{text} as a number")


def both(left: Term, right: Term, *, decisive: bool) -> Term:
    """AND (``decisive`` is false) and OR (true): NULL unless one side decides."""

    def value(row: Row) -> bool | None:
        one: bool | None = left.of(row)
        if one is decisive:
            return decisive
        other: bool | None = right.of(row)
        if other is decisive:
            return decisive
        return None if one is None or other is None else not decisive

    return Term(BOOLEAN, value)


def compared(operation: Callable[[Any, Any], bool], left: Term, right: Term, zone: str) -> Term:
    return of_values(BOOLEAN, operation, *alike([left, right], zone))


def contained(item: Term, options: Sequence[Term], zone: str) -> Term:
    """IN: NULL if no option is equal and one is NULL."""
    item, *options = alike([item, *options], zone)

    def value(row: Row) -> bool | None:
        wanted = item.of(row)
        found = [option.of(row) for option in options]
        if wanted is None:
            return None
        if any(one is not None and one == wanted for one in found):
            return True
        return None if None in found else False

    return Term(BOOLEAN, value)


def chosen(branches: Sequence[tuple[Term | None, Term]], zone: str) -> Term:
    """CASE: the value of the first branch whose condition is true; ELSE has no condition."""
    values = alike([value for _, value in branches], zone)
    conditions = [condition for condition, _ in branches]

    def value(row: Row) -> Any:
        for condition, one in zip(conditions, values, strict=True):
            if condition is None or condition.of(row) is True:
                return one.of(row)
        return None

    return Term(_kind(values), value)


def coalesced(terms: Sequence[Term], zone: str) -> Term:
    terms = alike(terms, zone)
    return Term(_kind(terms), lambda row: next((v for term in terms if (v := term.of(row)) is not None), None))


def alike(terms: Sequence[Term], zone: str) -> list[Term]:
    """``terms`` in one type, as Spark casts them to compare or choose between them.

    Raises:
        UntranslatableError: They are of different families, such as a text and a number.
    """
    kinds = {_family(term.kind) for term in terms} - {NULL}
    if "string" in kinds and kinds <= {"string", "date"}:
        return [_as_day(term) if term.kind == "string" else term for term in terms] if "date" in kinds else [*terms]
    if len(kinds) > 1 and kinds != {"date", "timestamp"} and kinds != {"date", "timestamp_ntz"}:
        raise UntranslatableError(f"{' and '.join(sorted(kinds))} in one comparison")
    if "other" in kinds:
        raise UntranslatableError("a comparison of nested or binary values")
    if any(term.kind in _FLOATS for term in terms):
        return [of_values("double", float, term) if term.kind != NULL else term for term in terms]
    if "date" in kinds and len(kinds) == 2:
        (kind,) = kinds - {"date"}
        return [_as_time(term, kind, zone) if term.kind == "date" else term for term in terms]
    return [*terms]


def arithmetic(sign: str, left: Term, right: Term) -> Term:
    """Arithmetic on whole numbers and doubles. A whole result beyond Spark's type is an error there and here."""
    if any(term.kind not in (*BITS, *_FLOATS) for term in (left, right)):
        raise UntranslatableError(f"arithmetic of {left.kind} and {right.kind}")
    exact = left.kind in BITS and right.kind in BITS
    if "float" in (left.kind, right.kind):
        raise UntranslatableError("arithmetic of FLOAT, which has half of Python's digits")
    if sign == "/":
        return of_values("double", lambda a, b: _finite(float(a) / float(b)), left, right)
    if sign == "%":
        kind = _wider(left.kind, right.kind) if exact else "double"
        return of_values(kind, _whole_remainder if exact else math.fmod, left, right)
    operation = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign]
    if not exact:
        return of_values("double", lambda a, b: _finite(operation(float(a), float(b))), left, right)
    kind = _wider(left.kind, right.kind)
    return of_values(kind, lambda a, b: _held(operation(a, b), kind), left, right)


def sign_changed(term: Term, function: Callable[[Any], Any]) -> Term:
    """``-x`` and ``abs(x)``."""
    if term.kind in BITS:
        return of_values(term.kind, lambda value: _held(function(value), term.kind), term)
    if _family(term.kind) == "number":
        return of_values(term.kind, function, term)
    raise UntranslatableError(f"a sign of {term.kind}")


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise NotFiniteError
    return value


def _whole_remainder(a: int, b: int) -> int:
    """The sign is that of ``a``, as in Java."""
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _held(value: int, kind: str) -> int:
    limit = 1 << (BITS[kind] - 1)
    if not -limit <= value < limit:
        raise OverflowError("a whole number beyond its type")
    return value


def _wider(left: str, right: str) -> str:
    return max(left, right, key=lambda kind: BITS[kind])


def _family(kind: str) -> str:
    if kind in BITS or kind in _FLOATS or kind.startswith("decimal"):
        return "number"
    simple = ("string", BOOLEAN, "date", "timestamp", "timestamp_ntz", NULL)
    return kind if kind in simple else "other"


def _kind(terms: Sequence[Term]) -> str:
    kinds = {term.kind for term in terms} - {NULL}
    if len(kinds) > 1:
        raise UntranslatableError(f"{' and '.join(sorted(kinds))} in one expression")
    return kinds.pop() if kinds else NULL


def _as_time(term: Term, kind: str, zone: str) -> Term:
    """Midnight of a day: an instant in ``zone``, or a clock time."""
    place = ZoneInfo(zone)

    def midnight(day: date) -> datetime:
        clock = datetime.combine(day, time())
        return clock.replace(tzinfo=place).astimezone(UTC) if kind == "timestamp" else clock

    return of_values(kind, midnight, term)


def _as_day(term: Term) -> Term:
    """A text that is written in the rule as a day."""
    try:
        text = term.of({})
        if _DAY.fullmatch(text):
            return constant("date", date.fromisoformat(text))
    except (KeyError, ValueError):
        pass
    raise UntranslatableError("a text compared with a day")
