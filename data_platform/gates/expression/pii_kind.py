r"""The patterns of e-mail addresses and SSNs, in any text and in columns that are about them.

Nine digits in a row are an order number as often as an SSN. They count only with a hint: the column's name
(``custSSN``), a label before them (``SSN: 899123456``), or a rule that names the column whose whole value they are.

Well-known samples (123-45-6789, 078-05-1120) count as SSNs: people type them, and masking them does no harm. The
advertising numbers 987-65-432x are in the 900 area, which is never an SSN. A taxpayer number (ITIN) is not one either,
but it is personal: the SSN rule covers it, and it is counted under its own name.

Not detected: addresses with quoted local parts, with ``!#$&*/=?^`{|}~`` in them, or without a dot in the domain
(``user@localhost``); digits that are not ASCII; anything encoded (``%40``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_shape import (
    BARE_END,
    DASH,
    END,
    NOT_IN_NUMBER,
    NUMBER_WORD,
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

_SSN_GAP = rf"[{DASH} \u00a0]"
_SSN_START = (
    rf"(?=\d{{3}}(?:{_SSN_GAP}\d\d|\d{{6}}))"
    rf"(?:(?<![0-9A-Za-z])|(?<=[Ss][Ss][Nn])){NOT_IN_NUMBER}(?<!\+\d{{1,3}}[ \u00a0])"
)
_SSN_LABEL = (
    r"(?<=(?:(?<![A-Za-z])(?i:ssn)|(?<=[a-z])S(?:SN|sn)|(?<![A-Za-z])(?i:social[ _]?security))" + NUMBER_WORD + ")"
)
_AREA = r"(?!000|666|9)\d{3}"
_REST = r"(?!00)\d{2}(?!0000)(\d{4})"
_SSN = (
    rf"{_SSN_START}(?:{_AREA}({_SSN_GAP})(?!00)\d{{2}}\1(?!0000)(\d{{4}}){END}"
    rf"|{_SSN_LABEL}{_AREA}{_REST}{BARE_END})"
)
_ITIN_GROUP = r"(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])"
_ITIN = rf"(?=9){_SSN_START}(?!987{_SSN_GAP}65{_SSN_GAP}432)9\d\d({_SSN_GAP}){_ITIN_GROUP}\1(\d{{4}}){END}"


def _nine_digits(match: Column) -> Column:
    from pyspark.sql import functions as F

    usual = F.replace(match, F.lit("-"))
    return F.when(F.octet_length(usual) == 9, usual).otherwise(F.regexp_replace(match, "[^0-9]", ""))


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
