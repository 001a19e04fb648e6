r"""Phone numbers: North American ones, those with a country code, local ones by form or by the words around them.

Ten digits in a row count only after a label (``Tel.: 3035550117``), in a column whose name says so (``homephone``), or
if a rule names the column whose whole value they are. A local number counts by itself if its form is hardly anything
else: with a trunk zero in groups (``0490 75 40 81``) or an area in brackets (``(08) 8747 6301``). Other digits in
groups (``467 3395``) count only after a label or a phrase (``call me at``), before a label (``416 60 039 office``), or
in such a column. A date, an IP address, an SSN's form, a decimal and a part of a longer row of groups are none.

Python cannot look behind for a label of any length: it matches the digits and tests the text before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_shape import (
    BARE_END,
    DASH,
    END,
    GAP,
    NOT_IN_NUMBER,
    NUMBER_WORD,
    START,
    Shape,
    is_long,
)
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from pyspark.sql import Column

_NXX = r"[2-9](?!11)\d{2}"
_COUNTRY = (
    r"(?:7|2[07]|2[1-689]\d|3[0-469]|3[578]\d|4[013-9]|42\d|5[1-8]|5[09]\d|6[0-6]|6[789]\d"
    r"|8[1246]|8[0578]\d|9[0-58]|9[679]\d)"
)
_EXTENSION = rf"(?:[ ,]{{0,2}}(?i:x|ext\.?|extension)[ .:]{{0,2}}\d{{1,6}}{BARE_END})?+"
_LAST = rf"(\d{{4}}){END}{_EXTENSION}{END}"
_LAST_BY_DIGIT = rf"(\d){GAP}?(\d){GAP}?(\d){GAP}?(\d)"
_BRACKETED = rf"\({_NXX}\){GAP}{{0,3}}{_NXX}{GAP}{{0,3}}{_LAST}"
_NANP = (
    rf"(?:(?:00)?1{GAP}{{0,3}}(?:\({_NXX}\){GAP}{{0,3}}|{_NXX}{GAP}{{1,3}})|{_NXX}{GAP}{{1,3}})"
    rf"{_NXX}{GAP}{{0,3}}{_LAST}"
)
# Behind +1 the exchange may be any: who writes the country's code means a phone.
_PLUS = (
    rf"\+(?:1{GAP}{{0,3}}(?:\([2-9]\d\d\)|[2-9]\d\d){GAP}{{0,3}}\d{{3}}{GAP}{{0,3}}{_LAST}"
    rf"|(?=(?:(?:{GAP}|[()]){{0,3}}\d){{7}}){_COUNTRY}{GAP}{{0,2}}(?:\(\d{{1,4}}\){GAP}{{0,2}})?"
    rf"(?:\d{GAP}?){{0,8}}{_LAST_BY_DIGIT}{END}{_EXTENSION}{END})"
)

# A row of groups is one number: nothing before or after it is another group, nor what remediation left of one. An
# address is no group, remediated or not, so that a number beside one is found in both cases.
_ALONE_BEFORE = (
    rf"(?<![0-9A-Za-z*\]]){NOT_IN_NUMBER}(?<!\d{GAP})(?<![*]{GAP})"
    rf"(?:(?<!\]{GAP})|(?<=EMAIL\]{GAP}))(?:(?<![0-9a-f]{{32}}{GAP})|(?<=_email_[0-9a-f]{{32}}{GAP}))"
)
_ALONE_AFTER = rf"(?!{GAP}?(?:\d|\*(?!\*\*@)|\[REDACTED:(?!EMAIL)|tok_v\d{{1,3}}_(?!email)))(?![A-WYZa-wyz])"
_SPACE = r"[ \u00a0]"
_SAME = (rf"[{DASH}]", _SPACE, r"\.")
_TRUNK = (
    "(?:"
    + "|".join(rf"0[1-9](?:{gap}\d\d){{4}}" for gap in _SAME)
    + rf"|(?=\d(?:{GAP}?\d){{9,10}}(?!\d))(?:"
    + "|".join(rf"0[1-9]\d{{1,3}}(?:{gap}\d{{2,4}}){{2,3}}" for gap in _SAME[:2])
    + r")|0[1-9]\d{1,3}/(?!(?:19|20)\d{6}(?!\d))\d{5,8}"
    rf"|\((?:0[1-9]\d{{0,3}}|[1-9]\d)\){_SPACE}?\d{{3,5}}[{DASH} \u00a0]\d{{3,4}}"
    rf"|\(0[1-9]\d{{1,3}}\){_SPACE}?\d{{5,8}})"
)
"""Local numbers that count by themselves."""
_NOT_GROUPS = (
    rf"(?!(?:19|20)\d\d{GAP}\d{{1,2}}{GAP}\d{{1,2}}(?!\d)|\d{{1,2}}{GAP}\d{{1,2}}{GAP}(?:19|20)\d\d(?!\d)"
    rf"|(?:19|20)\d\d{GAP}(?:19|20)\d\d(?!\d)|\d{{3}}{GAP}\d\d{GAP}\d{{4}}(?!\d)"
    rf"|(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?!\d)|\d{{1,9}}\.\d{{1,9}}(?!{GAP}?\d))"
)
_GROUPS = (
    rf"{_NOT_GROUPS}(?=(?:00)?\d(?:{GAP}?\d){{6,11}}(?!\d))\d{{2,5}}{GAP}\d{{2,8}}"
    rf"(?:{'|'.join(f'(?:{gap}[0-9]{{2,4}}){{0,4}}' for gap in (_SPACE, rf'[{DASH}]', '[.]'))}){_ALONE_AFTER}"
)
_DIGITS = rf"\(?(?:\d(?:\){_SPACE}?|{GAP})?){{3,10}}{_LAST_BY_DIGIT}{_ALONE_AFTER}{_EXTENSION}"

_PHONE_WORD = (
    r"(?:(?i:(?<!micro)(?<!head)(?<!ear)(?<!saxo)(?<!mega)phones?)|(?<![A-Za-z])(?i:tel|mobile?|mob|cell"
    r"|cellular|(?:tele)?fax|msisdn|telefono?|whatsapp|sms|contact|ph|handy|gsm|hotline)|(?<=[a-z])(?:Tel|Mobile|Cell|Fax))"
)
_BEFORE_DIGITS = rf"{_PHONE_WORD}{NUMBER_WORD}"
_WORD = "(?: [A-Za-z']{1,12})?"  # written three times, since Java looks behind for no repeated group
_BEFORE_GROUPS = (
    rf"(?:{_BEFORE_DIGITS}|(?<![A-Za-z])(?i:desk|office|direct|home|work) ?:[^0-9A-Za-z\]]{{0,5}}"
    r"|(?<![A-Za-z])(?i:call|ring|reach|dial|phone|text|contact|answer|message)(?i:e?d|ing|s)?"
    rf"{_WORD}{_WORD}{_WORD} (?i:at|on|to|under)[^0-9A-Za-z\]]{{1,4}})"
)
_AFTER = r"[ \-(]{1,3}(?i:office|fax|mobile|cell|cellphone|phone|tel|desk|direct|telefon|handy)(?![A-Za-z]| [A-Za-z])"

# Looking behind for a label is slow: cheap tests of what is near, and of the digits, go before it.
_NEAR_A_WORD = r"(?<=[A-Za-z][^0-9A-Za-z\]]{0,6})"
_BEFORE_A_WORD = rf"(?=[0-9 ./{DASH}]{{7,24}}+\(?[A-Za-z])"
_TEN = rf"(?:1?{_NXX}{_NXX}|0[1-9]\d{{3,5}})(\d{{4}})"
_LABELLED = rf"(?=\d{{9,11}}(?!\d)){_NEAR_A_WORD}{NOT_IN_NUMBER}(?<={_BEFORE_DIGITS}){_TEN}{BARE_END}"
_BY_FORM = rf"(?=\(?(?:0[1-9]|[1-9]\d\)))(?={_TRUNK}{_ALONE_AFTER}){_ALONE_BEFORE}"
_BY_WORD_AFTER = rf"{_BEFORE_A_WORD}(?={_GROUPS}{_AFTER}){_ALONE_BEFORE}"
_BY_WORD_BEFORE = rf"{_NEAR_A_WORD}(?={_GROUPS})(?<={_BEFORE_GROUPS}){_ALONE_BEFORE}"


def _pattern(labelled: str, *hints: str) -> str:
    grouped = rf"(?=\(?\d{{2,5}}(?:\)|{GAP}))(?:{'|'.join(hints)}){_DIGITS}"
    unlabelled = rf"(?<![A-Za-z]){NOT_IN_NUMBER}(?:{_NANP}|{grouped})"
    return rf"(?=[0-9+(])(?:{_PLUS}|{_BRACKETED}|(?<![0-9])(?:{labelled}{unlabelled}))"


CERTAIN_IN_PYTHON = _pattern("", _BY_FORM, _BY_WORD_AFTER)
"""What counts whatever is before it, as Python reads it."""
LABELLED_IN_PYTHON = (
    (rf"(?<!\d){NOT_IN_NUMBER}{_TEN}{BARE_END}", _BEFORE_DIGITS),
    (rf"{_ALONE_BEFORE}(?={_GROUPS}){_DIGITS}", _BEFORE_GROUPS),
)
"""What counts after a text that ends with the second pattern, which is at most ``LONGEST_LABEL`` characters long."""
LONGEST_LABEL = 64
BARE = rf"(?:{START}{_TEN}{BARE_END}|{_ALONE_BEFORE}(?={_GROUPS}){_DIGITS})"


def _e164(match: Column) -> Column:
    """Digits with the country code: 212-555-0147 and +1 (212) 555-0147 are equal, +44 (0)20 … has no 0."""
    from pyspark.sql import functions as F

    digits = F.regexp_replace(match, r"(?i)[ ,]*(?:x|ext).*|\(0\)|[^0-9]", "")
    return F.when(match.contains("+"), digits).otherwise(F.regexp_replace(digits, "^(?:00)?1?([2-9][0-9]{9})$", "1$1"))


PHONE = Shape(
    label="PHONE",
    rule=PiiKind.PHONE,
    pattern=_pattern(f"{_LABELLED}|", _BY_FORM, _BY_WORD_BEFORE, _BY_WORD_AFTER),
    bare=BARE,
    mask="***-***-" + "".join(f"${group}" for group in range(1, 18)),
    candidate=is_long,
    normal=_e164,
)
