r"""The patterns of e-mail addresses, phone numbers and SSNs, in any text and in columns that are about them.

Ten or nine digits in a row are an order number as often as a phone number or an SSN. They count only with a hint: the
column's name (``homephone``, ``cell_no``), a label before them (``Tel.: 3035550117``), or a rule that names the column
whose whole value they are.

Well-known samples (123-45-6789, 078-05-1120) count as SSNs: people type them, and masking them does no harm. The
advertising numbers 987-65-432x are in the 900 area, which is never an SSN. A taxpayer number (ITIN) is not one either,
but it is personal: the SSN rule covers it, and it is counted under its own name.

Not detected: addresses with quoted local parts, with ``!#$&*/=?^`{|}~`` in them, or without a dot in the domain
(``user@localhost``); phone numbers of seven digits, or abroad with ``00`` for ``+``; digits that are not ASCII;
anything encoded (``%40``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_shape import (
    BARE_END,
    DASH,
    END,
    GAP,
    NOT_IN_NUMBER,
    START,
    Shape,
    has_at,
    is_long,
    lower,
)
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from pyspark.sql import Column

_RUN = r"\p{L}\p{M}\p{N}._%+\-"
_LABEL = r"\p{L}\p{N}"
# Text that is joined by another @ belongs to the match, else it would be an address once the first is removed.
_EMAIL = (
    rf"(?<![{_RUN}])(?<![{_RUN}]')[{_RUN}][{_RUN}']*+"
    rf"@([{_LABEL}][{_LABEL}.-]*\.(?<![.]{{2}})(?!tok_v\d)\p{{L}}[{_LABEL}-]*[{_LABEL}])(?:(?=[{_RUN}']*+@)[{_RUN}'@]++)?+"
)

_SSN_START = rf"(?=\d{{3}})(?:(?<![0-9A-Za-z])|(?<=[Ss][Ss][Nn])){NOT_IN_NUMBER}(?<!\+\d{{1,3}}[ \u00a0])"
_NUMBER_WORD = r"(?:[ _.\-]?(?i:numbers?|num|nr|no|nbr|is))?[^0-9A-Za-z\]]{0,6}"
_SSN_LABEL = (
    r"(?<=(?:(?<![A-Za-z])(?i:ssn)|(?<=[a-z])S(?:SN|sn)|(?<![A-Za-z])(?i:social[ _]?security))" + _NUMBER_WORD + ")"
)
_SSN_GAP = rf"[{DASH} \u00a0]"
_AREA = r"(?!000|666|9)\d{3}"
_REST = r"(?!00)\d{2}(?!0000)(\d{4})"
_SSN = (
    rf"{_SSN_START}(?:{_AREA}({_SSN_GAP})(?!00)\d{{2}}\1(?!0000)(\d{{4}}){END}"
    rf"|{_SSN_LABEL}{_AREA}{_REST}{BARE_END})"
)
_ITIN_GROUP = r"(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])"
_ITIN = rf"(?=9){_SSN_START}(?!987{_SSN_GAP}65{_SSN_GAP}432)9\d\d({_SSN_GAP}){_ITIN_GROUP}\1(\d{{4}}){END}"

_NXX = r"[2-9](?!11)\d{2}"
_COUNTRY = (
    r"(?:7|2[07]|2[1-689]\d|3[0-469]|3[578]\d|4[013-9]|42\d|5[1-8]|5[09]\d|6[0-6]|6[789]\d"
    r"|8[1246]|8[0578]\d|9[0-58]|9[679]\d)"
)
_NANP = (
    rf"(?:\+1{GAP}{{0,3}}(?:\({_NXX}\)|{_NXX}){GAP}{{0,3}}"
    rf"|(?:{START}(?:00)?1{GAP}{{0,3}})?\({_NXX}\){GAP}{{0,3}}"
    rf"|(?=\d){START}(?:(?:00)?1{GAP}{{0,3}})?{_NXX}{GAP}{{1,3}})"
    rf"{_NXX}{GAP}{{0,3}}(\d{{4}}){END}"
)
_INTERNATIONAL = (
    rf"\+(?=(?:(?:{GAP}|[()]){{0,3}}\d){{7}}){_COUNTRY}{GAP}{{0,2}}(?:\(\d{{1,4}}\){GAP}{{0,2}})?"
    rf"(?:\d{GAP}?){{0,8}}(\d){GAP}?(\d){GAP}?(\d){GAP}?(\d){END}"
)
# Ten digits after a word for a phone. The digits are matched first: lookbehind is slow, and few texts have them.
_PHONE_LABEL = (
    r"(?<=(?:(?i:(?<!micro|head|ear|saxo|mega)phones?)|(?<![A-Za-z])(?i:tel|mobile|mob|cell|cellular|fax|msisdn"
    r"|telefono?|whatsapp|sms|contact|ph)"
    r"|(?<=[a-z])(?:Tel|Mobile|Cell|Fax))" + _NUMBER_WORD + ")"
)
_LABELLED_PHONE = rf"(?=1?[2-9]\d{{9}}){NOT_IN_NUMBER}{_PHONE_LABEL}1?{_NXX}{_NXX}(\d{{4}}){BARE_END}"


def _nine_digits(match: Column) -> Column:
    from pyspark.sql import functions as F

    usual = F.replace(match, F.lit("-"))
    return F.when(F.octet_length(usual) == 9, usual).otherwise(F.regexp_replace(match, "[^0-9]", ""))


def _e164(match: Column) -> Column:
    """Digits with the country code: 212-555-0147 and +1 (212) 555-0147 are equal, +44 (0)20 … has no 0."""
    from pyspark.sql import functions as F

    digits = F.regexp_replace(match, r"\(0\)|[^0-9]", "")
    return F.when(match.contains("+"), digits).otherwise(F.concat(F.lit("1"), F.right(digits, F.lit(10))))


EMAIL = Shape(label="EMAIL", rule=PiiKind.EMAIL, pattern=_EMAIL, bare="", mask="***@$1", candidate=has_at, normal=lower)
SSN = Shape(
    label="SSN",
    rule=PiiKind.SSN,
    pattern=_SSN,
    bare=rf"(?:{START}{_AREA}{_REST}{BARE_END})",
    mask="***-**-$2$3$4",
    candidate=is_long,
    normal=_nine_digits,
)
ITIN = Shape(
    label="ITIN",
    rule=PiiKind.SSN,
    pattern=_ITIN,
    bare=rf"(?:{START}(?!98765432)9\d\d{_ITIN_GROUP}(\d{{4}}){BARE_END})",
    mask="***-**-$2$3",
    candidate=is_long,
    normal=_nine_digits,
)
PHONE = Shape(
    label="PHONE",
    rule=PiiKind.PHONE,
    pattern=rf"(?=[0-9+(])(?:{_NANP}|{_INTERNATIONAL}|{_LABELLED_PHONE})",
    bare=rf"(?:{START}1?{_NXX}{_NXX}(\d{{4}}){BARE_END})",
    mask="***-***-$1$2$3$4$5$6$7",
    candidate=is_long,
    normal=_e164,
)
