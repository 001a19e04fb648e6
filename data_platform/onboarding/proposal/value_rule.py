"""Rules about the values of one column. They must hold for the rows of next month too, so each needs room or proof.

A rule is proposed only if there are enough rows to know. Codes only if the set is small and no code is new: if each
occurs often, the share of rows with an unknown one is next to nothing (Good and Turing's estimate, the share of values
that occur once). A range has room on both sides; a column that grows from day to day has none.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from data_platform.model.enum_domain import FEWEST_ROWS, MOST_VALUES, REPEATED, why_not_by_name
from data_platform.model.number_text import number_of
from data_platform.model.personal import redacted
from data_platform.model.personal_name import words
from data_platform.model.schema import is_number
from data_platform.onboarding.profile.form import pattern_of
from data_platform.onboarding.profile.stored_profile import is_identifier
from data_platform.onboarding.proposal.rule import ProposedRule, RuleKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.onboarding.profile.number import Numbers
    from data_platform.onboarding.profile.table_profile import ColumnProfile

_LONGEST_CODE = 300
_THINGS = {
    "airline", "airport", "bank", "branch", "brand", "category", "city", "company", "country", "county", "course",
    "currency", "department", "district", "event", "exchange", "file", "fund", "group", "hospital", "index", "job",
    "market", "measure", "model", "plant", "port", "process", "product", "province", "region", "sector", "service",
    "site", "state", "station", "store", "system", "table", "team", "type", "warehouse", "zone",
}  # fmt: skip
"""Words with which the name of a column is about things, and not about people: ``county_name``, ``city``."""
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST_UNSEEN = 0.0002
"""The share of rows that may have a code which occurs once: it estimates how many of the next rows have a new one."""
PATTERN_SHARE = 0.998
"""So many of the values must have the pattern: a form that a few rows have is an error, or a form to ask about."""
_BOUNDED = 1.5
"""If the farthest number is within so many times the distance of the percentile from the median, there is no tail."""
_BOUNDED_ROOM, _TAIL_ROOM, _LEAST_ROOM = 0.25, 1.0, 0.1
"""Room beyond the farthest number: shares of its distance from the median, and of the width between the percentiles."""
_FEW_ROWS, _FEW_ROWS_FACTOR = 1_000, 2.0
"""With fewer rows the room is doubled."""
_FILLER_WIDTHS = 10
"""A number that is farther out than so many widths is a filler such as 999999, and not within the range."""
_MOST_OUTSIDE = 0.001
"""If more rows would be outside, the range is not a range but a long tail."""


def value_rules(column: ColumnProfile) -> Iterator[ProposedRule]:
    """The type is a rule too: values of another type are quarantined."""
    kind = column.type.upper()
    name = (column.name,)
    notes = "; ".join(column.notes)
    reason = notes or f"{column.present:,} values have this type" if kind != "STRING" else notes or "text"
    yield ProposedRule(kind=RuleKind.TYPE, fields=name, value=kind, reason=reason)
    if column.present >= FEWEST_ROWS and column.nulls == 0:
        reason = f"each of {column.rows:,} rows has a value"
        yield ProposedRule(kind=RuleKind.REQUIRED, fields=name, value=False, reason=reason)
    if column.present < FEWEST_ROWS:
        return
    if column.personal:
        yield from _form(column)
    elif column.type == "string":
        yield from _text_rules(column)
    elif is_number(column.type) and not is_identifier(column) and not column.is_growing:
        yield from _range(column)


def _text_rules(column: ColumnProfile) -> Iterator[ProposedRule]:
    total = sum(column.values.values())
    if _holds_codes(column, total):
        codes = tuple(sorted(column.values))
        rarest = min(column.values.values())
        reason = f"{number_of(len(codes), 'code')}, the rarest in {number_of(rarest, 'row')}"
        yield ProposedRule(kind=RuleKind.CODES, fields=(column.name,), value=codes, reason=reason)
        return
    if found := _common_pattern(column):
        regex, reason = found
        yield ProposedRule(kind=RuleKind.PATTERN, fields=(column.name,), value=regex, reason=reason)


def _form(column: ColumnProfile) -> Iterator[ProposedRule]:
    """Gold has masked and tokenized values, so that only the lite contract, which silver judges, can ask for a form."""
    if column.type == "string" and (found := _common_pattern(column)):
        regex, reason = found
        literal = f"^(?:{regex})$".replace("\\", "\\\\").replace("'", "\\'")
        rule = f"{_in_sql(column.name)} RLIKE '{literal}'"
        yield ProposedRule(kind=RuleKind.FORM, fields=(column.name,), value=rule, reason=reason)


def _common_pattern(column: ColumnProfile) -> tuple[str, str] | None:
    """The pattern of nearly all values, and how many have it."""
    total = sum(column.values.values())
    if total < FEWEST_ROWS:
        return None
    may_quote = not column.personal
    pattern = pattern_of(column.values, PATTERN_SHARE, may_grow=is_identifier(column), may_quote=may_quote)
    if pattern is None or _is_bare_word(pattern.regex):
        return None
    of = "" if column.is_exact else " of a sample"
    return pattern.regex, f"{1 - pattern.misfits / total:.2%} of the values{of} have this form"


def _may_be_listed(name: str) -> bool:
    """Whether the values may be in a file: no name or free text of people, as far as the name of the column tells."""
    if not why_not_by_name(name):
        return True
    parts = words(name)
    things = parts & _THINGS
    about_things = {"name", "names", *things, *(f"{thing}{end}" for thing in things for end in ("name", "names"))}
    return bool(things) and not any(why_not_by_name(part) for part in parts - about_things)


def _holds_codes(column: ColumnProfile, total: int) -> bool:
    if not column.is_exact or not _may_be_listed(column.name) or not 0 < len(column.values) <= MOST_VALUES:
        return False
    if any(len(value) > _LONGEST_CODE or redacted(value) != value for value in column.values):
        return False
    once = sum(rows == 1 for rows in column.values.values())
    return total >= REPEATED * len(column.values) and once <= MOST_UNSEEN * total


def _is_bare_word(regex: str) -> bool:
    """A pattern of small letters only says that values are words, which the next one may be written otherwise."""
    return "[a-z]" in regex and "[0-9]" not in regex


def _range(column: ColumnProfile) -> Iterator[ProposedRule]:
    numbers = column.numbers
    if numbers is None or column.distinct <= 2:
        return
    is_whole = "decimal" not in column.type and column.type not in ("float", "double")
    ends = range_of(numbers, is_whole=is_whole, rows=column.present)
    if ends is None:
        return
    low, high = ends
    rule = f"{_in_sql(column.name)} BETWEEN {low} AND {high}"
    first, last = numbers.quantiles["p01"], numbers.quantiles["p99"]
    reason = f"98% of the values are {first:.6g} to {last:.6g}, the ends {numbers.low:.6g} and {numbers.high:.6g}"
    yield ProposedRule(kind=RuleKind.RANGE, fields=(column.name,), value=rule, reason=reason)


def _in_sql(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else f"`{name.replace('`', '``')}`"


def range_of(numbers: Numbers, *, is_whole: bool, rows: int) -> tuple[str, str] | None:
    """The ends of the range as SQL; None if the values have no width.

    What was seen is inside, with room to spare, unless it is so far out that it is a filler.
    """
    first, middle, last = (numbers.quantiles[name] for name in ("p01", "p50", "p99"))
    width = last - first
    if not width > 0:
        return None
    doubled = _FEW_ROWS_FACTOR if rows < _FEW_ROWS else 1.0
    low = _end(middle, first, numbers.low, -width, doubled)
    high = _end(middle, last, numbers.high, width, doubled)
    if numbers.low >= 0:
        low = max(low, 0.0)
    return _rounded(low, down=True, is_whole=is_whole), _rounded(high, down=False, is_whole=is_whole)


def _end(middle: float, percentile: float, farthest: float, width: float, factor: float) -> float:
    """``width`` is negative for the lower end. The longer the tail, the farther out the next value may be."""
    if abs(farthest - percentile) > _FILLER_WIDTHS * abs(width):
        return percentile + _FILLER_WIDTHS * width
    reach, usual = abs(farthest - middle), abs(percentile - middle)
    room = _BOUNDED_ROOM if reach <= _BOUNDED * usual else _TAIL_ROOM
    outward = math.copysign(max(room * reach, _LEAST_ROOM * abs(width)) * factor, width)
    return farthest + outward


def _rounded(number: float, *, down: bool, is_whole: bool) -> str:
    """The next number outward with two digits, which people can remember."""
    if number == 0:
        return "0"
    step = 10.0 ** (math.floor(math.log10(abs(number))) - 1)
    if is_whole:
        step = max(step, 1.0)
    rounded = (math.floor if down else math.ceil)(number / step) * step
    return format(Decimal(f"{rounded:.12g}"), "f")


def too_many_outside(rule: ProposedRule, rows: int) -> bool:
    """Whether the rule would reject more than errors explain."""
    odd = 2 * (1 - PATTERN_SHARE)
    limits = {
        RuleKind.RANGE: _MOST_OUTSIDE,
        RuleKind.FORM: odd,
        RuleKind.PATTERN: odd,
        RuleKind.CODES: MOST_UNSEEN,
    }
    return (rule.would_reject or 0) > limits.get(rule.kind, 1.0) * rows
