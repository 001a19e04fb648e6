r"""The patterns of e-mail addresses, phone numbers and SSNs, in any text and in columns that are about them.

A *shape* is detected inside free text and bounded on both sides: part of a longer number is no match, and neither is
the result of a remediation. Ten or nine digits in a row are an order number as often as a phone number or an SSN. They
count only with a hint: the column's name (``homephone``, ``cell_no``), a label before them (``Tel.: 3035550117``), or a
rule that names the column whose whole value they are.

Well-known samples (123-45-6789, 078-05-1120) count as SSNs: people type them, and masking them does no harm. The
advertising numbers 987-65-432x are in the 900 area, which is never an SSN. A taxpayer number (ITIN) is not one either,
but it is personal: the SSN rule covers it, and it is counted under its own name.

Not detected: addresses with quoted local parts, with ``!#$&*/=?^`{|}~`` in them, or without a dot in the domain
(``user@localhost``); phone numbers of seven digits, or abroad with ``00`` for ``+``; digits that are not ASCII;
anything encoded (``%40``).

Patterns are Java's. A repeat is of one character class or bounded: Java's engine recurses for each turn of a repeated
group, and a long text from outside would overflow the stack and end the JVM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.personal_name import names_kind
from data_platform.model.policy_bundle import PiiKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

_RUN = r"\p{L}\p{M}\p{N}._%+\-"
_LABEL = r"\p{L}\p{N}"
# Text that is joined by another @ belongs to the match, else it would be an address once the first is removed.
_EMAIL = (
    rf"(?<![{_RUN}])(?<![{_RUN}]')[{_RUN}][{_RUN}']*+"
    rf"@([{_LABEL}][{_LABEL}.-]*\.(?<![.]{{2}})(?!tok_v\d)\p{{L}}[{_LABEL}-]*[{_LABEL}])(?:(?=[{_RUN}']*+@)[{_RUN}'@]++)?+"
)

_DASH = r"\-\u2010-\u2015\u2212"
_GAP = rf"[{_DASH}. /\u00a0]"
# Each kind has the same bounds on both sides: replacing one match never makes its neighbour match.
_NOT_IN_NUMBER = rf"(?<!\d[{_DASH}.])"
_START = rf"(?<![0-9A-Za-z]){_NOT_IN_NUMBER}"
_END = rf"(?!\d|[{_DASH}.]\d)"
_BARE_END = rf"(?![0-9A-Za-z]|[{_DASH}.]\d)"

_SSN_START = rf"(?=\d{{3}})(?:(?<![0-9A-Za-z])|(?<=[Ss][Ss][Nn])){_NOT_IN_NUMBER}(?<!\+\d{{1,3}}[ \u00a0])"
_NUMBER_WORD = r"(?:[ _.\-]?(?i:numbers?|num|nr|no|nbr|is))?[^0-9A-Za-z\]]{0,6}"
_SSN_LABEL = (
    r"(?<=(?:(?<![A-Za-z])(?i:ssn)|(?<=[a-z])S(?:SN|sn)|(?<![A-Za-z])(?i:social[ _]?security))" + _NUMBER_WORD + ")"
)
_SSN_GAP = rf"[{_DASH} \u00a0]"
_AREA = r"(?!000|666|9)\d{3}"
_REST = r"(?!00)\d{2}(?!0000)(\d{4})"
_SSN = (
    rf"{_SSN_START}(?:{_AREA}({_SSN_GAP})(?!00)\d{{2}}\1(?!0000)(\d{{4}}){_END}"
    rf"|{_SSN_LABEL}{_AREA}{_REST}{_BARE_END})"
)
_ITIN_GROUP = r"(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])"
_ITIN = rf"(?=9){_SSN_START}(?!987{_SSN_GAP}65{_SSN_GAP}432)9\d\d({_SSN_GAP}){_ITIN_GROUP}\1(\d{{4}}){_END}"

_NXX = r"[2-9](?!11)\d{2}"
_COUNTRY = (
    r"(?:7|2[07]|2[1-689]\d|3[0-469]|3[578]\d|4[013-9]|42\d|5[1-8]|5[09]\d|6[0-6]|6[789]\d"
    r"|8[1246]|8[0578]\d|9[0-58]|9[679]\d)"
)
_NANP = (
    rf"(?:\+1{_GAP}{{0,3}}(?:\({_NXX}\)|{_NXX}){_GAP}{{0,3}}"
    rf"|(?:{_START}(?:00)?1{_GAP}{{0,3}})?\({_NXX}\){_GAP}{{0,3}}"
    rf"|(?=\d){_START}(?:(?:00)?1{_GAP}{{0,3}})?{_NXX}{_GAP}{{1,3}})"
    rf"{_NXX}{_GAP}{{0,3}}(\d{{4}}){_END}"
)
_INTERNATIONAL = (
    rf"\+(?=(?:(?:{_GAP}|[()]){{0,3}}\d){{7}}){_COUNTRY}{_GAP}{{0,2}}(?:\(\d{{1,4}}\){_GAP}{{0,2}})?"
    rf"(?:\d{_GAP}?){{0,8}}(\d){_GAP}?(\d){_GAP}?(\d){_GAP}?(\d){_END}"
)
# Ten digits after a word for a phone. The digits are matched first: lookbehind is slow, and few texts have them.
_PHONE_LABEL = (
    r"(?<=(?:(?i:(?<!micro|head|ear|saxo|mega)phones?)|(?<![A-Za-z])(?i:tel|mobile|mob|cell|cellular|fax|msisdn"
    r"|telefono?|whatsapp|sms|contact|ph)"
    r"|(?<=[a-z])(?:Tel|Mobile|Cell|Fax))" + _NUMBER_WORD + ")"
)
_LABELLED_PHONE = rf"(?=1?[2-9]\d{{9}}){_NOT_IN_NUMBER}{_PHONE_LABEL}1?{_NXX}{_NXX}(\d{{4}}){_BARE_END}"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """``bare`` also counts if the column's name indicates such values. ``mask`` is a regexp replacement.

    ``label`` is in signatures, placeholders and tokens; ``rule`` is the policy's kind. Every value that matches also
    passes the fast test ``candidate``. Two spellings of one value have the same ``normal``.
    """

    label: str
    rule: PiiKind
    pattern: str
    bare: str
    mask: str
    candidate: Callable[[Column], Column]
    normal: Callable[[Column], Column]

    def pattern_in(self, column: str, *, named: bool, free_text: bool) -> str:
        """The pattern for ``column``, which a rule may name; bare values count in ``free_text``."""
        if not self.bare:
            return self.pattern
        if free_text or names_kind(column, self.rule):
            return f"(?:{self.pattern}|{self.bare})"
        if named:
            return rf"(?:{self.pattern}|\A\s*+{self.bare}\s*+\z)"
        return f"(?:{self.pattern}|(?!){self.bare})"  # never matches, and keeps the groups that the mask names


def has_at(value: Column) -> Column:
    return value.contains("@")


def is_long(value: Column) -> Column:
    """The shortest detected number has eight characters. The patterns match digits first."""
    from pyspark.sql import functions as F

    return F.octet_length(value) >= 8  # fast, since it does not count characters


def _lower(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.lower(match)


def _nine_digits(match: Column) -> Column:
    from pyspark.sql import functions as F

    usual = F.replace(match, F.lit("-"))
    return F.when(F.octet_length(usual) == 9, usual).otherwise(F.regexp_replace(match, "[^0-9]", ""))


def _e164(match: Column) -> Column:
    """Digits with the country code: 212-555-0147 and +1 (212) 555-0147 are equal, +44 (0)20 … has no 0."""
    from pyspark.sql import functions as F

    digits = F.regexp_replace(match, r"\(0\)|[^0-9]", "")
    return F.when(match.contains("+"), digits).otherwise(F.concat(F.lit("1"), F.right(digits, F.lit(10))))


EMAIL = Shape(
    label="EMAIL", rule=PiiKind.EMAIL, pattern=_EMAIL, bare="", mask="***@$1", candidate=has_at, normal=_lower
)
SSN = Shape(
    label="SSN",
    rule=PiiKind.SSN,
    pattern=_SSN,
    bare=rf"(?:{_START}{_AREA}{_REST}{_BARE_END})",
    mask="***-**-$2$3$4",
    candidate=is_long,
    normal=_nine_digits,
)
ITIN = Shape(
    label="ITIN",
    rule=PiiKind.SSN,
    pattern=_ITIN,
    bare=rf"(?:{_START}(?!98765432)9\d\d{_ITIN_GROUP}(\d{{4}}){_BARE_END})",
    mask="***-**-$2$3",
    candidate=is_long,
    normal=_nine_digits,
)
PHONE = Shape(
    label="PHONE",
    rule=PiiKind.PHONE,
    pattern=rf"(?=[0-9+(])(?:{_NANP}|{_INTERNATIONAL}|{_LABELLED_PHONE})",
    bare=rf"(?:{_START}1?{_NXX}{_NXX}(\d{{4}}){_BARE_END})",
    mask="***-***-$1$2$3$4$5$6$7",
    candidate=is_long,
    normal=_e164,
)

SHAPES = (EMAIL, SSN, ITIN, PHONE)
"""The shapes in the order in which they claim a text: each ignores what an earlier one has claimed."""
