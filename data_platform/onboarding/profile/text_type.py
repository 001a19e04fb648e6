"""The type that a column of text may be declared with, judged by its values; in doubt it stays text.

A type is proposed only if nearly all values have it, and only if none of them would lose a character: a number with a
leading zero is a code, and so is a number in a column that is named one. Dates are dates only in the form that the
platform reads, ``2013-01-31``; other forms are named, since people have to ask for another file.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from data_platform.model.number_text import number_of
from data_platform.model.personal_name import words

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST_SHARE = 0.98
"""The share of the values that must have a type; the others would be quarantined as TYPE_MISMATCH."""
LEAST_VALUES = 10
"""With fewer values a column stays text."""
_INT_DIGITS, _BIGINT_DIGITS = 8, 17
"""Numbers with more digits get the next wider type, so that there is room for numbers ten times as large."""
_MOST_PLACES = 8
_ROOM = 3
"""Digits that a decimal gets beyond those of the largest number."""
_INT = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]+|[+-]?[0-9]+\.")
_COMMA = re.compile(r"[+-]?[0-9]{1,3}(?:[.' ]?[0-9]{3})*,[0-9]+|[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_EXPONENT = re.compile(r"[+-]?(?:[0-9]*\.[0-9]+[eE][+-]?|[0-9]+\.?[eE][+-])[0-9]{1,3}")
"""Programs write a point or a sign: 1E5 is the code of a branch."""
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_TIMESTAMP = re.compile(rf"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}}){_CLOCK}(Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)?")
_BOOLEANS = {"true", "false"}
_STAND_INS = {"nan", "null", "none", "n/a", "na", "-", "--", "?", "nil", "inf", "-inf", "#n/a", "unknown", "empty"}
_OTHER_DATES = {
    "##/##/####": re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}"),
    "##.##.####": re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}"),
    "##-##-####": re.compile(r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}"),
    "####/##/##": re.compile(r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"),
    "##-aaa-####": re.compile(r"[0-9]{1,2}[- ][A-Za-z]{3}[- ][0-9]{2,4}"),
    "########": re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"),
}
_CODE_WORDS = {
    "zip", "zipcode", "postal", "postcode", "code", "codes", "phone", "tel", "fax", "ssn", "iban", "bic", "isin",
    "account", "acct", "card", "id", "identifier", "number", "nr", "num", "no", "ref", "reference", "key",
}  # fmt: skip
_LEAST_CODE_DIGITS = 5


@dataclass(frozen=True)
class TextType:
    """``misfits`` are values that do not have the type; ``notes`` is what people should know of the values."""

    type: str = "string"
    misfits: int = 0
    notes: tuple[str, ...] = ()


@dataclass
class _Seen:
    """Counts of values by what they look like."""

    kinds: Counter[str] = field(default_factory=Counter)
    dates: Counter[str] = field(default_factory=Counter)
    whole_digits: int = 0
    places: int = 0
    lengths: set[int] = field(default_factory=set)


def type_of(name: str, counted: Mapping[str, int]) -> TextType:
    """``counted`` maps trimmed texts, none of them empty, to rows."""
    seen = _Seen()
    for value, rows in counted.items():
        _look(seen, value, rows)
    total = sum(counted.values())
    notes = _date_notes(seen)
    if total < LEAST_VALUES:
        return TextType(notes=notes)
    if seen.kinds["stand-in"]:
        stand_ins = number_of(seen.kinds["stand-in"], "row")
        notes = (*notes, f"a word such as NULL, NaN or N/A is in place of a value in {stand_ins}")
    if seen.kinds["comma"] >= LEAST_SHARE * total - seen.kinds["int"] - seen.kinds["decimal"] > 0:
        notes = (*notes, "numbers have a comma, which is not read as part of a number: ask for 1234.50")
    for kind, fitting in _candidates(name, seen):
        if fitting / total >= LEAST_SHARE:
            return TextType(kind, total - fitting, notes) if kind else TextType(notes=(*notes, *_kept(seen)))
    return TextType(notes=notes)


def _look(seen: _Seen, value: str, rows: int) -> None:
    kind = _kind(value)
    seen.kinds[kind] += rows
    if kind in ("int", "zero", "decimal"):
        whole, _, places = value.lstrip("+-").partition(".")
        seen.whole_digits, seen.places = max(seen.whole_digits, len(whole)), max(seen.places, len(places))
        seen.lengths.add(len(value))
    for form, pattern in _OTHER_DATES.items():
        if pattern.fullmatch(value):
            seen.dates[form] += rows
            return
    if kind in ("date", "timestamp", "instant"):
        seen.dates["####-##-##"] += rows


def _kind(value: str) -> str:
    if value.lower() in _STAND_INS:
        return "stand-in"
    if _INT.fullmatch(value):
        return "zero" if _LEADING_ZERO.match(value) else "int"
    if _DECIMAL.fullmatch(value):
        return "zero" if _LEADING_ZERO.match(value) else "decimal"
    if _EXPONENT.fullmatch(value):
        return "exponent"
    if _COMMA.fullmatch(value):
        return "comma"
    if (match := _DATE.fullmatch(value)) and _is_day(match):
        return "date"
    if (match := _TIMESTAMP.fullmatch(value)) and _is_day(match):
        return "instant" if match[4] else "timestamp"
    return "boolean" if value.lower() in _BOOLEANS else "other"


def _is_day(match: re.Match[str]) -> bool:
    try:
        date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return False
    return True


def _candidates(name: str, seen: _Seen) -> list[tuple[str, int]]:
    """Types with the rows that fit, the narrowest first; an empty type means: numbers that have to stay text."""
    kinds = seen.kinds
    whole, all_numbers = kinds["int"] + kinds["zero"], kinds["int"] + kinds["decimal"]
    candidates = []
    if kinds["zero"] or _is_code(name, seen):
        candidates.append(("", whole + kinds["decimal"]))
    elif seen.whole_digits > _BIGINT_DIGITS and not kinds["decimal"]:
        candidates.append(("", whole))
    elif not kinds["decimal"] and not kinds["exponent"]:
        candidates.append(("int" if seen.whole_digits <= _INT_DIGITS else "bigint", kinds["int"]))
    elif kinds["exponent"] or seen.places > _MOST_PLACES:
        candidates.append(("double", all_numbers + kinds["exponent"]))
    else:
        precision = min(38, seen.whole_digits + _ROOM + seen.places)
        candidates.append((f"decimal({precision},{seen.places})", all_numbers))
    candidates += [("date", kinds["date"]), ("boolean", kinds["boolean"])]
    return [*candidates, ("timestamp", kinds["timestamp"] + kinds["instant"])]


def _is_code(name: str, seen: _Seen) -> bool:
    """Whether numbers of one length, of at least five digits, are in a column that is named as a code is."""
    is_fixed = len(seen.lengths) == 1 and min(seen.lengths, default=0) >= _LEAST_CODE_DIGITS
    return is_fixed and not seen.kinds["decimal"] and bool(words(name) & _CODE_WORDS)


def _kept(seen: _Seen) -> tuple[str, ...]:
    if seen.kinds["zero"]:
        return (f"numbers with leading zeros in {number_of(seen.kinds['zero'], 'row')}: kept as text",)
    return ("numbers that identify something: kept as text",)


def _date_notes(seen: _Seen) -> tuple[str, ...]:
    """Names the forms of dates if there are several, or if the only one is not the platform's."""
    if seen.kinds["int"] and set(seen.dates) <= {"########"} and seen.dates.total() < seen.kinds.total():
        return ()
    forms = [f"{form} ({number_of(rows, 'row')})" for form, rows in seen.dates.most_common()]
    if len(forms) > 1:
        return (f"dates are written in {len(forms)} forms: {', '.join(forms)}",)
    if forms and "####-##-##" not in seen.dates:
        return (f"dates are written as {forms[0]}, which is not read as a date: ask for ####-##-##",)
    return ()
