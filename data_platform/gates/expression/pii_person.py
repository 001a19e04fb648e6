"""Dates of birth, names of people and street addresses.

A date is one of birth only after a label (``born on 1980-02-28``) or in a column whose name says so (``birth_date``,
``geburtsdatum``). A name or an address has no pattern of its own: a column that is about one, by its name or because a
rule names it, has it as its whole value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_shape import WHOLE, Shape, at_least, at_least_with_digit, signs
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from pyspark.sql import Column

_YEAR = r"(?:18|19|20)\d\d"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH_NAME = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|m[aä]r|mai|okt|dez)\p{L}{0,7}\.?"


def _date_pattern() -> str:
    year_first = "|".join(f"{_YEAR}{sign}{_MONTH}{sign}{_DAY}" for sign in ("-", "/", r"\."))
    year_last = "|".join(
        f"(?:{_DAY}{sign}{_MONTH}|{_MONTH}{sign}{_DAY}){sign}(?:{_YEAR}|\\d\\d)" for sign in ("-", "/", r"\.", " ")
    )
    return (
        rf"(?:{year_first}|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|{year_last}"
        rf"|{_DAY}(?:st|nd|rd|th|\.)?[ -]{_MONTH_NAME},?[ -]{_YEAR}"
        rf"|{_MONTH_NAME} {_DAY}(?:st|nd|rd|th)?,? {_YEAR})(?!\d)"
    )


_DATE = _date_pattern()
_WORDS = (
    r"(?i:d\.?o\.?b\.?|date[ _-]?of[ _-]?birth|birth[ _-]?da(?:te|y)"
    r"|born(?: on)?|geb\.?|geboren(?: am)?|geburts(?:datum|tag)|date de naissance|n[eé]e? le"
    r"|fecha de nacimiento|data di nascita|geboortedatum)(?: is)?[^0-9A-Za-z\]]{0,6}"
)
_LABEL = rf"(?<=(?<![A-Za-z])(?<!tok_v\d{{1,3}}_){_WORDS})"
# Looking behind for a label is slow: cheap tests of what begins here, and of what is near, go before it.
_MAY_BEGIN = r"(?<!\d)(?=\d|[jfmasondJFMASOND]\p{L}{2,9}+\.? \d)(?<=[A-Za-z][^0-9A-Za-z\]]{0,7})"
BIRTH_IN_PYTHON = rf"(?<![A-Za-z]){_WORDS}{_DATE}".replace(r"\p{L}", r"[^\W\d_]")
DATE_IN_PYTHON = rf"(?<![0-9A-Za-z]){_DATE}".replace(r"\p{L}", r"[^\W\d_]")
"""The same for Python: a labelled date with its label, which Python cannot look behind for; and any date."""


def _year(match: Column) -> Column:
    from pyspark.sql import functions as F

    year = F.regexp_extract(match, _YEAR, 0)
    return F.concat(F.when(F.length(year) == 4, year).otherwise("****"), F.lit("-**-**"))


def _initial(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.concat(F.regexp_extract(match, r"\p{L}", 0), F.lit("***"))


def _stars(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.when(match.isNotNull(), "***")


def _letters(match: Column) -> Column:
    """The words in lower case, whatever is between them: ``LEE, Ann`` and ``Lee Ann`` are equal."""
    from pyspark.sql import functions as F

    return F.trim(F.regexp_replace(F.lower(match), r"[^\p{L}\p{N}]+", " "))


DATE_OF_BIRTH = Shape(
    label="DATE_OF_BIRTH",
    rule=PiiKind.DATE_OF_BIRTH,
    pattern=rf"{_MAY_BEGIN}{_LABEL}{_DATE}",
    bare=rf"(?<![0-9A-Za-z]){_DATE}",
    candidate=at_least_with_digit(6),
    normal=signs,
    masked=_year,
)
PERSON_NAME = Shape(
    label="PERSON_NAME",
    rule=PiiKind.PERSON_NAME,
    pattern=WHOLE,
    candidate=at_least(1),
    normal=_letters,
    masked=_initial,
    whole=True,
)
STREET_ADDRESS = Shape(
    label="STREET_ADDRESS",
    rule=PiiKind.STREET_ADDRESS,
    pattern=WHOLE,
    candidate=at_least(1),
    normal=_letters,
    masked=_stars,
    whole=True,
)
